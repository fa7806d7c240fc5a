"""The command line: every command of the README, what it prints where, and its exit codes."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ORACLE, Run

import parsolve
from parsolve.cli import COMMANDS


def test_solve_hoppers_prints_the_lines_of_the_page(run_process: Run) -> None:
    done = run_process("solve", "hoppers")
    assert done.stdout == (ORACLE / "hoppers_18.txt").read_text()
    assert "limit 7: 18 solutions" in done.stderr
    assert "18 solutions of cost 7" in done.stderr


def test_json_says_what_was_searched_and_found(run_here: Run) -> None:
    """The names are those of its schema, see test_schemas.py."""
    found = json.loads(run_here("solve", "sliding", "--start", "1 8 2 0 4 3 7 6 5", "--workers", "2", "--json").stdout)
    assert found["puzzle"] == "sliding"
    assert found["parameters"]["start"] == "1 8 2 0 4 3 7 6 5"
    assert (found["status"], found["cost"], found["count"], found["workers"]) == ("solved", 9, 1, 2)
    assert [solution["text"] for solution in found["solutions"]] == ["4 8 2 3 5 6 8 5 6"]
    assert found["nodes"] == sum(each["nodes"] for each in found["iterations"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("count", "hoppers"), {"count": 18, "cost": 7, "status": "solved"}),
        (("solve", "hoppers", "--want", "first"), {"count": None, "cost": 7, "found_so_far": 1}),
        (("solve", "peg", "--vacancy", "9"), {"count": 0, "cost": None, "status": "none", "solutions": []}),
    ],
)
def test_json_of_other_wants(run_here: Run, words: tuple[str, ...], expected: dict[str, object]) -> None:
    done = run_here(*words, "--json", code=None)
    assert done.returncode == (1 if expected["count"] == 0 else 0)
    found = json.loads(done.stdout)
    assert found.items() >= expected.items()
    assert ("solutions" in found) == (words[0] == "solve")


def test_no_solution_is_exit_1(run_here: Run) -> None:
    done = run_here("solve", "peg", "--vacancy", "9", code=1)
    assert done.stdout == ""
    assert "no solution" in done.stderr
    assert run_here("count", "peg", "--vacancy", "9", code=1).stdout == "0\n"


def test_list_and_describe(run_here: Run) -> None:
    assert {"peg", "hoppers", "sliding", "eight", "five"} <= set(run_here("list").stdout.split())
    assert json.loads(run_here("list", "--json").stdout)["five"]["family"] == "sliding"
    text = run_here("describe", "peg").stdout
    for word in ("--board", "--vacancy", "6 if absent", "none | corners", "hoppers", "0-6"):
        assert word in text
    assert json.loads(run_here("describe", "eight", "--json").stdout)["parameters"][0]["default"] == "8 6 7 2 5 4 3 0 1"


@pytest.mark.processes
@pytest.mark.parametrize("words", [("--help",), ("list",), ("list", "--json"), ("--version",)])
def test_help_and_list_import_neither_numpy_nor_numba(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "parsolve", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "parsolve" in imported
    assert not imported & {"numpy", "numba", "psutil", "tqdm"}


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("solve", "peg")])
def test_help_has_examples(run_here: Run, command: tuple[str, ...]) -> None:
    text = run_here(*command, "--help").stdout
    assert "usage: parsolve" in text
    assert "examples:\n  parsolve " in text
    assert len(text.splitlines()) > 5


def test_help_by_other_names(run_here: Run) -> None:
    assert run_here("help").stdout == run_here("--help").stdout
    assert run_here("help", "run").stdout == run_here("run", "--help").stdout
    for words in (("help", "peg"), ("peg", "--help"), ("peg", "-h")):
        assert run_here(*words).stdout == run_here("solve", "peg", "--help").stdout


def test_versions(run_here: Run) -> None:
    import numba

    version = f"parsolve {parsolve.__version__} (Python {platform.python_version()}, numba {numba.__version__})\n"
    assert run_here("--version").stdout == version


def test_a_fixed_first_jump_is_told(run_here: Run) -> None:
    assert "its first jump is 0-6, as on " in run_here("count", "hoppers").stderr
    for words in (("--first", "any"), ("--first", "0-6"), ("--quiet",)):
        assert "first jump" not in run_here("count", "hoppers", *words).stderr


def test_the_help_names_each_command_on_a_small_screen(run_here: Run) -> None:
    text = run_here("--help").stdout
    assert all(f"\n  {name:12}{summary}\n" in text for name, summary in COMMANDS.items())
    assert run_here(code=2).stdout == text
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
