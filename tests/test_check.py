"""`parsolve check` finds what compiled code cannot notice, and nothing in what is right."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import KEY, WALK, edited

from parsolve.check import check
from parsolve.puzzles import Peg, Sliding
from parsolve.registry import load_class


@pytest.mark.parametrize(
    "puzzle",
    [
        Peg(first="0-6"),
        Peg(bound="none"),
        Sliding(),
        Sliding(start="1 2 3 4 5 6 0 7 8"),
        Sliding(start="4 5 0 1 2 3", bound="none"),
        Sliding(start="0 3 1 2", shape="1x4", goal="3 1 2 0"),
    ],
    ids=repr,
)
def test_the_built_ins_are_clean(puzzle: Peg | Sliding) -> None:
    report = check(puzzle, states=3000, samples=60)
    assert report.faults == []
    assert report.states > 3


@pytest.mark.parametrize("source", [WALK, WALK + KEY])
def test_the_sample_is_clean(puzzle_file: Callable[..., Path], source: str) -> None:
    report = check(load_class(f"{puzzle_file(source)}:Walk")(), states=500)
    assert report.faults == []
    assert report.on_solved_paths > 0
    assert (report.key_pairs > 0) == (source != WALK)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (edited("            row.bound = 0\n", ""), "leaves the field 'bound' of a child unset"),
        (edited("row.bound = 0", "row.bound = 70000 * (here.place == 3)"), "'bound' (uint16) overflows: 70000"),
        (edited("row.bound = 0", "row.bound = -1"), "'bound' (uint16) overflows: -1"),
        (edited("row.move = step", "row.move = 1"), "not distinct and rising: [1, 1]"),
        (edited("row.move = step", "row.move = 3 - step"), "not distinct and rising: [2, 1]"),
        (edited("row.cost = here.cost + 1", "row.cost = here.cost + 1 - 2 * (here.place == 3)"), "the cost falls to"),
        (edited("children = 2", "children = 1"), "gives 2 children, 'children' says at most 1"),
        (edited("row.bound = 0", "row.bound = 3 * (row.place * 2 != tables.size)"), "the bound 3 exceeds the distance"),
        (edited("here.cost + 1 <= limit", "here.cost + 2 <= limit"), "those that can meet it are"),
        (edited("top += here.cost + 1 <= limit", "top += 1"), "those that can meet it are"),
        (
            edited("row.move = step", "row.move = step; row.nothing = 1"),
            "the rule 'expand' does not compile (my_puzzle.py, line 30)",
        ),
        (
            edited("(here.place + step)", "(here.place + step + 0 * (tables.size // (here.place - 3)))"),
            "a rule raises ZeroDivisionError",
        ),
        (
            WALK.replace('("place", "u4")', '("place", "u8")').replace(
                "row.place = (here.place + step) % tables.size",
                "place = here.place\n            if step:\n                place += step + 2**60\n"
                "            row.place = place % 2**60",
            ),
            "int64 mixed with uint64",
        ),
        (WALK + KEY.replace("here.place", "here.place // 2"), "'key' merges this state with"),
    ],
)
def test_faults_are_found(run: Run, puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    puzzle_file(source)
    done = run("check", "my_puzzle.py:Walk", code=None)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in done.stdout + done.stderr
    assert "at place=" in done.stdout or done.stderr


def test_an_index_beyond_a_table_is_found(run: Run, puzzle_file: Callable[..., Path]) -> None:
    source = edited("size: int\n\n@", "size: np.ndarray\n\n@").replace(
        "Tables(self.size)", "Tables(np.full(3, self.size))"
    )
    source = source.replace("% tables.size", "% tables.size[here.place // 2]").replace(
        "== tables.size", "== tables.size[0]"
    )
    puzzle_file(source)
    done = run("check", "my_puzzle.py:Walk", code=2)
    assert "reads a table of shape (3,) at 3" in done.stdout


def test_array_fields_are_refused_in_one_line(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(edited('("place", "u4")', '("place", "u4"), ("more", "u1", (3,))'))
    assert "array field 'more'" in run("check", "my_puzzle.py:Walk", code=2).stderr


def test_a_rule_that_never_ends_can_be_stopped(puzzle_file: Callable[..., Path], tmp_path: Path) -> None:
    source = "while here.place < 99:\n            top += 0\n        return here.place * 2 == tables.size"
    puzzle_file(edited("return here.place * 2 == tables.size", source.replace("top += 0", "pass")))
    command = [sys.executable, "-m", "parsolve", "check", "my_puzzle.py:Walk"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    time.sleep(5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130


def test_an_instance_without_solved_states_in_reach_says_so(run: Run) -> None:
    assert "the bound was not checked" in run("check", "eight", "--states", "500").stdout
