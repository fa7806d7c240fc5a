"""Tables of distances: right, and what puzzles, journals and the command do with them."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run
from samples import TOWERS, WALK, edited
from small_kernel import Compiled
from tabled import disks_of, forget, plain_distances, tables_in, truncate

import parsolve
from parsolve import BadInput, BadPuzzle
from parsolve.check import check
from parsolve.compiler.cache import reporting_to
from parsolve.deepening.searcher import Searcher
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.tables.databases import supply

pytest_plugins = ["tabled"]

# What is in them.


@pytest.mark.parametrize("disks", [1, 2, 4])
def test_distances_are_right(towers: Any, disks: int) -> None:
    found = parsolve.distances(disks_of(towers)(disks))
    assert found.dtype == np.uint8
    assert found[::-1].tolist() == plain_distances(disks)  # `entry` turns it round


@pytest.mark.nightly
def test_a_bound_that_knows_all_is_the_distance(towers: Any) -> None:
    found = parsolve.solve(towers(5, 5), workers=1)
    assert (found.cost, len(found.iterations)) == (13, 1)
    assert supply(Problem(towers(5, 5))).root["bound"].tolist() == [plain_distances(5)[0]] == [13]
    assert {state["bound"] + state["cost"] for each in found.solutions for state in each.states} == {13}
    assert not check(towers(3, 3)).faults


@pytest.mark.parametrize("known", [0, 1, 3, 4])
@pytest.mark.parametrize("workers", [1, 2])
def test_any_bound_gives_the_same_answer(towers: Any, known: int, workers: int) -> None:
    found = parsolve.solve(towers(4, known), workers=workers)
    other = parsolve.solve(towers(4, known), engine="breadth")
    assert (found.cost, found.count, found.paths) == (9, 22, other.paths)


def test_goals_that_are_not_solved_are_told(towers: Any) -> None:
    """The table of other goals is no bound."""
    wrong = disks_of(towers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wrong, "goals", lambda self: [{"pegs": 0}])
        for search in (check, parsolve.solve):
            with pytest.raises(parsolve.BadPuzzle, match="Disks: 'goals' gives pegs=0, which is not solved"):
                search(towers(3, 3))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("    def goals(self):", "    def no_goals(self):"), "gives no 'goals'"),
        (("    def index(", "    def no_index("), "'unindex' needs 'index'"),
        (("        return 4**self.disks\n", "        return -1\n"), "'size' must be an int, at least 1"),
        (("        return [Disks(self.known)]", "        return [3]"), "'abstractions' must return a list of puzzles"),
        (("        return [Disks(self.known)]", "        return 3"), "'abstractions' must return a list of puzzles"),
        (("        return [Disks(self.known)]", "        return [Towers(1 + self.disks, 1)]"), "does not number"),
        (
            ("    def goals(self):", "    def abstractions(self):\n        return [self]\n\n    def goals(self):"),
            "abstractions without end",
        ),
    ],
)
def test_what_is_wrong_with_an_abstraction_is_one_line(
    run_here: Run, place: Path, puzzle_file: Callable[..., Path], change: tuple[str, str], says: str
) -> None:
    puzzle_file(edited(*change, source=TOWERS), "towers.py")
    for command in ("solve", "explore", "estimate", "check"):
        done = run_here(command, "towers.py:Towers", code=2)
        (line,) = done.stderr.splitlines()
        assert says in line
    assert tables_in(place) == []


def test_distances_of_what_has_none(place: Path, puzzle_file: Callable[..., Path]) -> None:
    walk = load_class(f"{puzzle_file(WALK)}:Walk")
    with pytest.raises(BadInput, match="Walk does not number its states"):
        parsolve.distances(walk())
    with pytest.raises(BadInput, match="a puzzle is wanted"):
        parsolve.distances(3)  # type: ignore[arg-type]


def test_limits_begin_at_the_root_s_cost_and_bound(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(itertools.islice(supply(Problem(towers(4, 3))).limits(), 3)) == [5, 6, 7]
    for given, left in (([1, 5, 9], [5, 9]), ([4, 6, 9], [6, 9]), ([1, 2], []), ([7, 9], [7, 9])):
        monkeypatch.setattr(towers, "limits", lambda self, given=given: given)
        assert list(supply(Problem(towers(4, 3))).limits()) == left
    monkeypatch.setattr(towers, "limits", lambda self: [3, 1, 9])
    with pytest.raises(BadPuzzle, match="rising whole numbers, not 1 after 3"):
        list(supply(Problem(towers(4, 3))).limits())


def test_a_root_that_is_far_away_is_no_loop(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "root", lambda self, *distances: {"cost": 60_000, "bound": 200})
    assert next(supply(Problem(towers(4, 3))).limits()) == 60_200


def test_tables_of_another_type_are_warmed_up_too(towers: Any) -> None:
    """A class may have an array of its own in the place of a table, which can be written: that is another kernel."""
    compiled = Compiled()
    for known in (0, 3):
        searcher = Searcher(supply(Problem(towers(3, known))))
        searcher.warm_up()
        with reporting_to(compiled):
            searcher.run(searcher.whole(), 5, 1000, False, None)
    assert not compiled.begun


# In a journal, and by the command.


def test_a_journal_goes_on_with_tables(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    words = ("towers.py:Towers", "--disks", "5", "--known", "4", "--journal", "j.sqlite", "--workers", "1")
    first = run_here("solve", *words)
    assert len(first.stdout.splitlines()) == 40
    for file in tables_in(place):
        file.unlink()
    forget()
    again = run_here("solve", *words, "--boards")  # done: states along solutions need the tables
    assert [
        line for line in again.stdout.splitlines() if line in first.stdout.splitlines()
    ] == first.stdout.splitlines()


def test_the_command(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    (name,) = run_here("tables", "build", "towers.py:Towers", "--known", "3").stdout.split()
    assert run_here("tables", "build", "towers.py:Disks", "--disks", "3").stdout == f"{name}\n"  # it is the same
    (other,) = run_here("tables", "build", "towers.py:Disks", "--disks", "5").stdout.split()
    assert [each.stem for each in tables_in(place)] == sorted((name, other))
    truncate(place / f"{other}.table")
    assert "damaged: it is not whole" in run_here("tables").stdout
    assert "damaged" in json.loads(run_here("tables", "--json").stdout)[0]
    first, second, total = run_here("tables", "check", code=2).stdout.splitlines()
    assert (first.split()[0], second.split()[0]) == (other, name)
    assert "damaged: it is not whole; parsolve tables delete deletes it" in first
    assert second.endswith("  whole")
    assert total == "2 tables, 1 damaged"
    assert run_here("tables", "check", name[:12]).stdout.endswith("1 table, 0 damaged\n")
    assert run_here("tables", "delete", name[:12]).stdout.startswith("1 table deleted")
    assert [each.stem for each in tables_in(place)] == [other]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("delete",), "name the tables, or say --all"),
        (("delete", "x", "--all"), "name the tables, or say --all"),
        (("check", "x"), "there is no table 'x'"),
        (("build",), "required: PUZZLE"),
        (("build", "queens"), "Queens does not number its states"),
        (("build", "my_puzzle.py:Walk"), "Walk does not number its states"),
        (("--json", "build"), "build comes first"),
        (("x",), "invalid choice: 'x'"),
    ],
)
def test_the_command_refuses(
    run_here: Run, place: Path, puzzle_file: Callable[..., Path], words: tuple[str, ...], says: str
) -> None:
    puzzle_file(WALK)
    assert says in run_here("tables", *words, code=2).stderr
