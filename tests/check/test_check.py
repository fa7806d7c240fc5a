"""`parsolve check` finds what compiled code cannot notice, and nothing in what is right."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from numba.core.event import install_recorder
from samples import INDEX, KEY, WALK, edited
from variants import Variant

from parsolve.check import check
from parsolve.problem.registry import load_class

pytest_plugins = ["variants"]


@pytest.mark.parametrize(
    "source",
    [
        WALK,
        WALK + KEY,
        edited("row.bound = 0", "row.bound = 0 * row.place", WALK + KEY).replace("place", "state"),
        edited("row.bound = 0", "row.bound = 70000; row.bound = 0", WALK + KEY),
        edited("top += ", "top += here.place != 3 and ", WALK + KEY + INDEX),
    ],
)
def test_the_sample_is_clean(puzzle_file: Callable[..., Path], source: str) -> None:
    report = check(load_class(f"{puzzle_file(source)}:Walk")(), states=500)
    assert report.faults == []
    assert report.on_solved_paths > 0
    assert (report.key_pairs > 0) == (source != WALK)


def test_the_rules_are_kept_in_the_kernel_cache(
    puzzle_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = load_class(f"{puzzle_file(WALK + KEY)}:Walk")
    assert check(walk(), states=500).faults == []
    monkeypatch.setattr("parsolve.problem.compiled._known", {})  # as in another process
    with install_recorder("numba:compile") as recorder:
        assert check(walk(), states=500).faults == []
    assert recorder.buffer == []


def test_edited_rules_are_compiled_again(puzzle_file: Callable[..., Path]) -> None:
    for key, number in (("here.place", 0), ("here.place // 2", 1)):
        path = puzzle_file(WALK + KEY.replace("here.place", key), own=True)
        faults = [str(fault) for fault in check(load_class(f"{path}:Walk")(), states=500).faults]
        assert len([fault for fault in faults if "'key' merges this state with" in fault]) == len(faults) == number


def test_rules_that_their_author_has_compiled(puzzle_file: Callable[..., Path]) -> None:
    source = (WALK + KEY).replace("    @staticmethod\n", "    @staticmethod\n    @numba.njit\n")
    source = edited("import numpy as np", "import numba\nimport numpy as np", source)
    report = check(load_class(f"{puzzle_file(source)}:Walk")(), states=500)
    assert report.faults == []
    assert report.key_pairs > 0
    wrong = edited("return here.place\n", "return here.place // 2\n", source)
    faults = [str(fault) for fault in check(load_class(f"{puzzle_file(wrong)}:Walk")(), states=500).faults]
    assert any("'key' merges this state with" in fault for fault in faults)


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
        (edited("row.bound = 0", "row.bound = 0 // (here.place - 3)"), "a rule raises ZeroDivisionError"),
        (
            WALK.replace('("place", "u4")', '("place", "u8")').replace(
                "row.place = (here.place + step) % tables.size",
                "place = here.place\n            if step:\n                place += step + 2**60\n"
                "            row.place = place % 2**60",
            ),
            "int64 mixed with uint64",
        ),
    ],
)
def test_faults_are_found(variant: Variant, source: str, says: str) -> None:
    faults = [str(fault) for fault in check(variant(source)()).faults]
    assert any(says in fault and " at place=" in fault for fault in faults), faults


@pytest.mark.parametrize("text", ["'a' == here.place", "here.place != 'a'", "here.place not in ('a', 'b')"])
def test_a_text_is_compared_with_a_number(variant: Variant, text: str) -> None:
    (fault,) = check(variant(edited("row.bound = 0", f"row.bound = {text}"))()).faults
    assert str(fault).endswith("a text is compared with what is none: they always differ")


def test_what_follows_from_too_few_children_is_not_told(variant: Variant) -> None:
    """What is not written is missing from the compiled children, and below states of the same key."""
    report = check(variant(edited("children = 2", "children = 1") + KEY)(), states=500)
    assert [fault.kind for fault in report.faults] == ["children"]


def test_solved_is_compared_in_every_state(variant: Variant) -> None:
    """Two of the states differ, and no state of the sample."""
    solved = "here.place * 2 == tables.size and here.move - here.cost < 1"  # compiled, it wraps around
    report = check(variant(edited("here.place * 2 == tables.size", solved))(size=100), samples=12)
    (fault,) = report.faults
    assert "'solved' is True as Python, but not compiled at place=50" in str(fault)


@pytest.mark.processes
def test_a_puzzle_without_a_bound(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(edited("            row.bound = 0\n", "", edited('("bound", "u2"), ', "")))
    assert "states, all that there are; bound: none\n" in run("check", "my_puzzle.py:Walk").stdout


@pytest.mark.processes
def test_a_file_that_hides_a_module_of_python(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK, "random.py")
    said = run("check", "random.py:Walk", code=2).stdout
    assert "another process could not build 'tables' and 'root': ImportError: cannot import name" in said


@pytest.mark.processes
def test_what_a_puzzle_prints_and_leaves_running(run_process: Run, puzzle_file: Callable[..., Path]) -> None:
    leaves = "import threading, time\nprint('loaded')\nthreading.Thread(target=time.sleep, args=(100,)).start()\n"
    puzzle_file(WALK + leaves)
    assert "0 faults" in run_process("check", "my_puzzle.py:Walk").stdout


@pytest.mark.usefixtures("alone")
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
    assert "the rest can be checked when that is right" in done.stdout  # compiled, it would read what is not its own


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("bound = 0", "bound = 0 * np.zeros(2, np.int64)[here.place]", "a rule raises IndexError as Python: index 2 "),
        ("return top", "rows[top - 1].bound = 0\n        return top", "'expand' uses rows[0], which is no child's: "),
        ("1 <= limit", "1 + limit", "'expand' uses rows[17179869186], which is no child's: "),
    ],
)
def test_foreign_memory_ends_the_check(variant: Variant, old: str, new: str, says: str) -> None:
    report = check(variant(edited(old, new))())
    (fault,) = report.faults
    assert str(fault).startswith(says)
    assert report.stopped


LOOP = "            for place in range(8):\n"
"""How `expand` begins to write an array field."""

MOVED = f"{LOOP}                row.cells[(place + step) % 8] = here.cells[place]\n"

CELLS = edited('("place", "u4")', '("cells", "u1", (8,))').replace('{"place": 0}', '{"cells": [1] + [0] * 7}')
CELLS = edited("            row.place = (here.place + step) % tables.size\n", MOVED, CELLS)
CELLS = f"""{edited("here.place * 2 == tables.size", "here.cells[4] == 1", CELLS)}
    @staticmethod
    def key(tables, here):
        key = np.uint64(0)
        for place in range(8):
            key = key * np.uint64(2) + np.uint64(here.cells[place])
        return key
"""
"""The walk with an array field: the one place that is 1."""


@pytest.mark.parametrize(
    "source",
    [
        CELLS,
        edited(LOOP, f"            row.cells[:] = 0\n{LOOP}", CELLS),
        edited(LOOP, f"            row.cells = here.cells\n{LOOP}", CELLS),
        edited(
            "row.cells[(place + step) % 8] = here.cells[place]", "row.cells[place] = here.cells[place - step]", CELLS
        ),
        CELLS.replace('"u1", (8,)', '"u8", (8,)'),
    ],
    ids=["one by one", "slice", "whole", "negative index", "u8"],
)
def test_array_fields_are_clean(variant: Variant, source: str) -> None:
    report = check(variant(source, base=CELLS)())
    assert [str(fault) for fault in report.faults] == []
    assert (report.states, report.on_solved_paths > 0, report.key_pairs > 0) == (15, True, True)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("row.bound = 0", "row.bound = 9 * (row.cells[4] == 0)", "the bound 9 exceeds the distance"),
        ("range(8):\n            key", "range(4):\n            key", "'key' merges this state with cells=["),
        (
            "for place in range(8):\n                row",
            "for place in range(7):\n                row",
            "leaves the field 'cells' (or a part of it) of a child unset",
        ),
        ("= here.cells[place]", "= here.cells[place + 1]", "reads the field 'cells' of the state of shape (8,) at 8"),
        ("row.cells[(place + step) % 8]", "row.cells[place + step]", "writes the field 'cells' of shape (8,) at 8"),
        ("= here.cells[place]", "= here.cells[place] + 255", "the field 'cells' (uint8) overflows: 256"),
        ("= here.cells[place]", "= row.cells[0]", "reads the field 'cells' of a row before it is set"),
        (
            "row.cost = here.cost + 1",
            "here.cells[0] = 1; row.cost = here.cost + 1",
            "writes into the field 'cells' of the state",
        ),
    ],
)
def test_array_fields_are_looked_into(variant: Variant, old: str, new: str, says: str) -> None:
    source = CELLS.replace("range(8):\n            key", new) if old.startswith("range(8)") else edited(old, new, CELLS)
    faults = [str(fault) for fault in check(variant(source, base=CELLS)()).faults]
    (fault,) = [fault for fault in faults if says in fault]
    assert " at cells=[" in fault


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            edited("return here.place * 2 ==", "here.place * 2 =="),
            "the rule 'solved' (my_puzzle.py, line 34) returns nothing: write 'return'",
        ),
        (
            edited("        return top\n", "        if here.place != 3:\n            return top\n"),
            "the rule 'expand' (my_puzzle.py, line 23) returns nothing: end it with 'return top'",
        ),
        (
            WALK + KEY.replace("return here.place", "here.place"),
            "the rule 'key' (my_puzzle.py, line 38) returns nothing: end it with 'return' and the key",
        ),
        (edited("        return top\n", "        return 0\n"), "'expand' must return top, at least what it was given"),
        (
            edited("            top += here.cost + 1 <= limit\n", ""),
            "the root is not solved and has no children at any limit",
        ),
        (edited("top += here.cost + 1 <= limit", "top += 0 * limit"), "has no children at any limit"),
        (edited("== tables.size", "== tables.size // (here.place != 3)"), "a rule raises ZeroDivisionError as Python"),
    ],
)
def test_rules_that_do_nothing_or_raise(puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    (fault,) = check(load_class(f"{puzzle_file(source)}:Walk")()).faults
    assert says in str(fault)
    assert " at place=" in str(fault)


def test_a_rule_that_returns_the_wrong_type(puzzle_file: Callable[..., Path]) -> None:
    source = WALK + KEY.replace("return here.place", "return here.place / 2")
    report = check(load_class(f"{puzzle_file(source)}:Walk")())
    (fault,) = report.faults
    says = "Walk: the rule 'key' (my_puzzle.py, line 38) must return a uint64, or a tuple of at most 13, not float64"
    assert str(fault).startswith(says)
    assert report.stopped


@pytest.mark.usefixtures("alone")
def test_a_root_without_moves_is_told(run: Run) -> None:
    """No fault: a puzzle may be unsolvable."""
    said = run("check", "flipit", "--row", "B_").stdout
    assert said.startswith("0 faults in 1 state; the root has no children; no solved state")


def test_a_solved_root_needs_no_children(puzzle_file: Callable[..., Path]) -> None:
    source = edited("            top += here.cost + 1 <= limit\n", "").replace("here.place * 2 ==", "here.place == 0 *")
    report = check(load_class(f"{puzzle_file(source)}:Walk")())
    assert report.faults == []


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("def limits(self):\n        return [9, 5]", "'limits' must give rising whole numbers, not 5 after 9"),
        ("def limits(self):\n        return []", "'limits' gives no limit at all"),
        (
            "def show(self, solution):\n        print(end='')",
            "'show' (my_puzzle.py, line 12) must return a text, not None",
        ),
        (
            "def picture(self, state, moves):\n        return [('disc', 0, 0)]",
            "'picture' (my_puzzle.py, line 12) must return shapes such as Shape('disc', x, y, 'piece'), of a kind (",
        ),
        (
            "def images_of(self, moves):\n        return moves",
            "'images_of' (my_puzzle.py, line 12) must return lists of moves, not [2, 2]",
        ),
        (
            "def images_of(self, moves):\n        return [moves, [*moves, 7]]",
            "'images_of' gives (2, 2, 7) for the moves (2, 2): these lead nowhere",
        ),
        (
            "def images_of(self, moves):\n        return [moves, [1, 1]]",
            "'images_of' gives (1, 1) for the moves (2, 2): these lead to a state that is not solved",
        ),
        (
            "def show(self, solution):\n        return solution.moves[9]",
            "'show' raises IndexError: tuple index out of range (my_pu",
        ),
    ],
)
def test_methods(variant: Variant, method: str, says: str) -> None:
    report = check(variant(WALK + "    " + method)())
    (fault,) = report.faults
    assert says in str(fault)
    assert (report.states, report.all_states, report.on_solved_paths) == (15, 15, 15)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "        return top\n",
            "        while True:\n            top += 0\n        return top\n",
            "'expand' does not return",
        ),
        (
            "return here.place * 2 ==",
            "while here.place == 2: pass\n        return here.place * 2 ==",
            "'solved' does not",
        ),
    ],
)
def test_a_rule_that_never_returns(puzzle_file: Callable[..., Path], old: str, new: str, says: str) -> None:
    """Also without the command line, where nobody watches."""
    report = check(load_class(f"{puzzle_file(edited(old, new))}:Walk")())
    (fault,) = report.faults
    assert says in str(fault)
    assert "2,000,000 lines of Python and no end (my_puzzle.py, line 3" in str(fault)
    assert "at place=2" in str(fault) or "at place=0" in str(fault)
    assert report.stopped


WITHIN_2_SECONDS = """
from parsolve.check import endless, plain
plain.SECONDS, endless.on_time.__defaults__ = 2, (2,)
from parsolve.__main__ import entry
entry()
"""
"""The command, with a shorter deadline for a call of a rule."""


@pytest.mark.nightly
@pytest.mark.processes
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "top += here.cost + 1",
            "top += sum(iter(int, 1)) + here.cost + 1",
            "'expand' of Walk, as Python, at place=0 cost=0 bound=0 move=0",
        ),
        (  # as Python the number grows beyond 4e30, compiled it becomes 0
            "        for step in",
            "        n = 1\n        while here.place == 3 and n <= 4e30:\n            n *= 2\n        for step in",
            "'expand' of Walk, compiled, at place=3 cost=2 bound=0 move=2",
        ),
    ],
    ids=["in C", "compiled"],
)
def test_a_call_that_only_the_supervisor_ends(
    tmp_path: Path, puzzle_file: Callable[..., Path], old: str, new: str, says: str
) -> None:
    puzzle_file(edited(old, new))
    done = subprocess.run(
        [sys.executable, "-c", WITHIN_2_SECONDS, "check", "my_puzzle.py:Walk"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, f"parsolve: no return within 2 s, while {says} ran\n")


@pytest.mark.usefixtures("alone")
def test_an_instance_without_solved_states_in_reach_says_so(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    assert "the bound was not checked" in run("check", "my_puzzle.py:Walk", "--size", "99", "--states", "20").stdout


def test_a_small_space_is_checked_whole(variant: Variant) -> None:
    """Reached in several ways, its states are more than are looked at; up to their key they are not. Once states that a
    key merged wrongly were all, and bounds were compared with the distances of what was merged."""

    def found(source: str) -> tuple[list[str], int | None]:
        report = check(variant(source)(size=300), states=400)
        return [str(fault) for fault in report.faults], report.all_states

    right = WALK + KEY
    assert found(right) == ([], 300)
    (fault,), every = found(edited("row.bound = 0", "row.bound = 300 * (row.place == 299)", right))
    assert ("the bound 300 exceeds the distance 76 to a solved state at place=299" in fault, every) == (True, 300)
    (fault,), every = found(edited("return here.place\n", "return here.place // (here.place != 290)\n", right))
    assert (fault.startswith("a rule raises ZeroDivisionError") and " at place=290" in fault, every) == (True, None)
    (fault,), every = found(edited("return here.place\n", "return here.place // 2\n", right))
    assert (fault.startswith("'key' merges this state with"), every) == (True, None)
    assert found(WALK) == ([], None)
