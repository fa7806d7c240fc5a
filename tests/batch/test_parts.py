"""A search in parts: whatever parts are searched where, in which order, however often stopped, the journals together
give the answer of one search."""

import contextlib
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, run_through
from shared import Run
from toys import Coins, Lamps, Lopsided, Ring, Tolls

import parsolve
from parsolve.batch.merge import Merged, Merging
from parsolve.deepening.units import Units
from parsolve.errors import BadInput, GuardStop
from parsolve.journal.journal import Journal
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.digests import rules_digest
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle, Want
from parsolve.search.part import Part
from parsolve.search.request import Request

pytestmark = pytest.mark.plain


PUZZLES: dict[str, Puzzle] = {
    "tolls": Tolls(),
    "coins": Coins(11, "none"),
    "coins with a bound": Coins(14, "weak"),
    "ring": Ring(40, 15),
    "lamps": Lamps(6),
    "more lamps": Lamps(7),
    "weighed lamps": Lamps(7, 2),
}


def whole(puzzle: Puzzle, want: Want, slack: int = 0) -> parsolve.Result:
    return parsolve.solve(puzzle, want=want, slack=slack or None, engine="deepening", workers=1)


def wants(puzzle: Puzzle) -> list[Want]:
    return ["count"] if getattr(puzzle, "until", 0) else ["count", "all"]


CASES = [(name, want) for name, puzzle in PUZZLES.items() for want in wants(puzzle)]


@pytest.mark.parametrize("text", ["1/1", "17/1000", "17-24/1000", "1-3/3"])
def test_a_part_is_written_as_it_is_read(text: str) -> None:
    assert str(Part.of_text(text)) == text


@pytest.mark.parametrize("text", ["", "0/3", "4/3", "3-2/4", "1/0", "1/100001", "-1/3", "1/3/4", "١/3", "1 /3", "a/b"])
def test_no_part(text: str) -> None:
    with pytest.raises(BadInput) as raised:
        parsolve.solve(Lamps(3), want="count", part=text)
    assert "\n" not in str(raised.value)


def parts_by_hand(problem: Problem, limit: int, of: int) -> dict[tuple[int, ...], int]:
    """The part of each of a tree's branches that a limit reaches, by plain Python."""

    def part(moves: Sequence[int]) -> int:
        mix = int.from_bytes(hashlib.sha256(f"{rules_digest(problem)} {of}".encode()).digest()[:8])
        for move in moves:
            mix = (mix + 0x9E3779B97F4A7C15 + move) % (1 << 64)
            mix = (mix ^ mix >> 30) * 0xBF58476D1CE4E5B9 % (1 << 64)
            mix = (mix ^ mix >> 27) * 0x94D049BB133111EB % (1 << 64)
            mix ^= mix >> 31
        return 1 + mix % of

    rows: Any = np.zeros(500, problem.state).view(np.recarray)
    rules: Any = problem.puzzle
    root: Any = problem.root.view(np.recarray)[0]
    states: list[tuple[tuple[int, ...], int, Any]] = [((), int(root.cost) + int(root.bound), root)]
    solved: list[tuple[tuple[int, ...], int, Any]] = []
    made = 1
    while states and len(states) + len(solved) < 64 * of and made < 16 * 64 * of:
        least = min(2 * int(state.cost) + int(state.bound) for *_, state in states)
        later = [each for each in states if 2 * int(each[2].cost) + int(each[2].bound) > least]
        for moves, reached, state in states:
            if 2 * int(state.cost) + int(state.bound) > least:
                continue
            if rules.solved(problem.tables, state):
                solved.append((moves, reached, state))
                continue
            for row in rows[: rules.expand(problem.tables, state, NO_LIMIT, rows, 0)]:
                later.append(((*moves, int(row.move)), max(reached, int(row.cost) + int(row.bound)), row.copy()))
                made += 1
        states = later
    return {moves: part(moves) for moves, reached, _ in [*solved, *states] if reached <= limit}


ROOTS = [(Lamps(6), 0), (Coins(14, "weak"), 11), (Ring(40, 15), 6), (Lamps(7), 0)]


@pytest.mark.parametrize(("of", "puzzle", "limit"), some([(of, *root) for root in ROOTS for of in (10, 2, 1)], 2))
def test_units_are_those_of_the_documents(puzzle: Puzzle, limit: int, of: int) -> None:
    problem = Problem(puzzle)
    units = {number: Units(problem, Part(of, number, number)).within(limit)[0] for number in range(1, of + 1)}
    by_order = {branch.order: number for number, branches in units.items() for branch in branches}
    assert by_order == parts_by_hand(problem, limit, of)


@pytest.mark.parametrize(("name", "want", "of"), some([(*case, of) for case in CASES for of in (2, 1, 7)], 6))
def test_all_parts_are_one_search(name: str, want: Want, of: int) -> None:
    puzzle, expected = PUZZLES[name], whole(PUZZLES[name], want)
    found = [
        parsolve.solve(puzzle, want=want, part=f"{number}/{of}", limit=expected.cost, workers=1, budget=10 + number)
        for number in range(1, of + 1)
    ]
    assert sum(each.found_so_far for each in found) == expected.count
    assert sorted(path for each in found for path in each.paths) == expected.paths
    for iteration in expected.iterations:
        # What a part has jumped over would visit the same nodes again.
        at = [max(one for one in each.iterations if one.limit <= iteration.limit) for each in found]
        assert sum(each.nodes for each in at) == iteration.nodes
        assert sum(each.solutions for each in at if each.limit == iteration.limit) == iteration.solutions


def searched(folder: Path, puzzle: Puzzle, want: Want, part: Part, pulls: list[int], slack: int, limit: Any) -> None:
    """Search a part with a journal, pulling the plug."""
    request = Request(
        want=want, workers=1, budget=20, part=part, slack=slack or None, limit=limit, tuning=EVERY_OUTCOME
    )
    with contextlib.suppress(GuardStop):
        run_through(folder / f"{part.numbers}.sqlite", puzzle, request, pulls)


def merged(folder: Path, puzzle: Puzzle, want: Want) -> tuple[Merging, Merged]:
    merging = Merging()
    for path in sorted(folder.glob("*.sqlite")):
        merging.add(path)
    return merging, merging.merged(Problem(puzzle, want))


@pytest.mark.nightly
@settings(max_examples=5, deadline=None)
@given(st.sampled_from(CASES), st.integers(1, 6), st.randoms(use_true_random=False), st.sampled_from([0, 2]))
def test_any_subset_in_any_order_and_stopped(
    tmp_path_factory: Any, case: tuple[str, Want], of: int, random_: random.Random, slack: int
) -> None:
    (name, want), folder = case, tmp_path_factory.mktemp("parts")
    puzzle = PUZZLES[name]
    if not Problem(puzzle, want).has_cost:
        slack = 0
    expected = whole(puzzle, want, slack)
    limit = None if expected.cost is None else expected.cost + slack
    cuts = sorted(random_.sample(range(1, of), random_.randrange(of)))
    parts = [Part(of, first + 1, last) for first, last in zip([0, *cuts], [*cuts, of], strict=True)]
    random_.shuffle(parts)
    for number, part in enumerate(parts):
        pulls = [random_.randrange(1, 6) for _ in range(random_.randrange(3))]
        searched(folder, puzzle, want, part, pulls, slack, random_.choice([limit, limit and limit + 1]))
        merging, found = merged(folder, puzzle, want)
        if number < len(parts) - 1:
            assert found.status == "stopped"
            absent = {each for other in parts[number + 1 :] for each in range(other.first, other.last + 1)}
            assert absent <= {each for one in found.missing for each in range(one.part.first, one.part.last + 1)}
    assert (found.status, found.cost, found.count) == (expected.status, expected.cost, expected.count)
    assert found.by_cost == expected.by_cost
    assert [(each.limit, each.nodes) for each in found.iterations] == [
        (each.limit, each.nodes) for each in expected.iterations
    ]
    if want == "all":
        assert [*merging.solutions(found.limit)] == expected.paths


def test_no_solution_up_to_a_limit(tmp_path: Path) -> None:
    puzzle = Coins(14, "none")
    for number in (1, 2):
        searched(tmp_path, puzzle, "count", Part(2, number, number), [], 0, 8)
    _, found = merged(tmp_path, puzzle, "count")
    assert (found.status, found.count, found.missing, found.limit) == ("stopped", None, (), 8)


@pytest.mark.parametrize(("puzzle", "of"), [(Lopsided(), 1), (Lopsided(), 2), (Lopsided(way=9), 2)])
def test_a_part_of_a_tree_that_is_searched_to_its_end_ends(tmp_path: Path, puzzle: Puzzle, of: int) -> None:
    for number in range(1, of + 1):
        searched(tmp_path, puzzle, "count", Part(of, number, number), [2], 0, None)
    _, found = merged(tmp_path, puzzle, "count")
    expected = whole(puzzle, "count")
    assert (found.status, found.cost, found.count) == (expected.status, expected.cost, expected.count)
    assert not found.missing


def test_parts_that_are_stopped_before_the_first_limit_of_another_bound(tmp_path: Path) -> None:
    """They began without a bound; what merges them knows one."""
    for number in (1, 2):
        searched(tmp_path, Coins(8, "none"), "count", Part(2, number, number), [], 0, 2)
    _, found = merged(tmp_path, Coins(8), "count")
    assert (found.status, found.count, [each.part.first for each in found.missing]) == ("stopped", None, [1, 2])


OTHERS: dict[str, tuple[Puzzle, dict[str, Any]]] = {
    "another number of parts": (Lamps(6), {"part": Part(4, 2, 2)}),
    "other parameters": (Lamps(7), {"part": Part(3, 2, 2)}),
    "another want": (Lamps(6), {"part": Part(3, 2, 2), "want": "all"}),
    "the whole tree": (Lamps(6), {}),
}


@pytest.mark.parametrize("name", OTHERS)
def test_journals_of_another_search_are_refused(tmp_path: Path, name: str) -> None:
    puzzle, options = OTHERS[name]
    run_through(tmp_path / "a.sqlite", Lamps(6), Request(want="count", workers=1, part=Part(3, 1, 1)), [])
    run_through(tmp_path / "b.sqlite", puzzle, Request(**{"want": "count", "workers": 1, **options}), [])
    with pytest.raises(BadInput, match=r"b\.sqlite") as raised:
        merged(tmp_path, puzzle, "count")
    assert "\n" not in str(raised.value)
    Journal(tmp_path / "c.sqlite").close()
    with pytest.raises(BadInput, match="has no jobs yet"):
        Merging().add(tmp_path / "c.sqlite")


def test_a_part_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    for name, part in (("a", Part(3, 1, 2)), ("b", Part(3, 2, 3))):
        run_through(tmp_path / f"{name}.sqlite", Lamps(6), Request(want="all", workers=1, part=part), [])
    with pytest.raises(BadInput, match=r"part 2/3 is in .*a\.sqlite and in .*b\.sqlite"):
        merged(tmp_path, Lamps(6), "all")


SEARCHES = {
    "count queens --n 11": (2680, 3),
    "count hoppers --limit 7": (18, 2),
    "count hoppers --target 3 --bound none --slack 1": (0, 2),
    "count eight --bound manhattan --limit 33 --slack 2": (None, 3),
}


@pytest.mark.parametrize("words", SEARCHES)
def test_merged(words: str, tmp_path: Path, run_here: Run, compiled: None) -> None:
    count, of = SEARCHES[words]
    journals = [str(tmp_path / f"{number}.sqlite") for number in range(1, of + 1)]
    for number, journal in enumerate(journals, 1):
        run_here(*words.split(), "--part", f"{number}/{of}", "--journal", journal, code=None)
    count_all, merge = (*words.split(), "--engine", "deepening"), ("merge", *journals)
    whole, found = (json.loads(run_here(*each, "--json", code=None).stdout) for each in (count_all, merge))
    assert count in (None, whole["count"])
    assert all(found.get(name) == whole.get(name) for name in ("cost", "count", "status", "by_cost"))
    assert run_here(*merge, code=None).stdout == run_here(*count_all, code=None).stdout


def test_a_list_is_merged_in_order(tmp_path: Path, run_here: Run, compiled: None) -> None:
    journals = [str(tmp_path / f"{number}.sqlite") for number in (2, 1)]
    for number, journal in zip((2, 1), journals, strict=True):
        run_here("solve", "queens", "--n", "8", "--part", f"{number}/2", "--journal", journal)
    assert run_here("merge", *journals).stdout == run_here("solve", "queens", "--n", "8").stdout
    solutions = json.loads(run_here("merge", *journals, "--json").stdout)["solutions"]
    assert solutions == json.loads(run_here("solve", "queens", "--n", "8", "--json").stdout)["solutions"]


def test_parts_are_jobs_of_one_journal(tmp_path: Path, run_here: Run, compiled: None) -> None:
    count, journal = ("count", "queens", "--n", "10"), ("--journal", str(tmp_path / "one.sqlite"))
    run_here(*count, "--part", "1/2", *journal)
    run_here(*count, "--part", "2/2", *journal, "--name", "second")
    assert run_here("merge", journal[1]).stdout == "724\n"


def test_a_job_file_takes_a_part(tmp_path: Path, run_here: Run, compiled: None) -> None:
    for number in (1, 2):
        (tmp_path / "jobs.toml").write_text(
            f'[[job]]\npuzzle = "queens"\nn = 10\nwant = "count"\npart = "{number}/2"\n[[job]]\npuzzle = "hoppers"\n'
        )
        run_here("run", str(tmp_path / "jobs.toml"), "--journal", str(tmp_path / f"{number}.sqlite"))
    journals = [str(tmp_path / f"{number}.sqlite") for number in (1, 2)]
    assert run_here("merge", *journals, "--job", "queens").stdout == "724\n"
    assert run_here("merge", *journals).stdout == "724\n"  # of jobs those that are of parts
    run_here("count", "queens", "--n", "3", "--part", "1/2", code=1)  # like any search without a solution
    rest = run_here("merge", journals[0], code=3).stdout
    assert rest == "parsolve count queens --n 10 --part 2/2 --journal part-2.sqlite  # missing\n"
    assert "not of a part" in run_here("merge", *journals, "--job", "hoppers", code=2).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count queens --part 4/3", "there is no part 4 of 3"),
        ("count queens --n 8-10 --part 1/2", "--part is for one puzzle, not for several values: make a job file"),
        ("count queens --n 8 --part 1/2 --dask local", "leave out --dask"),
        ("merge nowhere.sqlite", "there is no journal"),
    ],
)
def test_refused_in_one_line(words: str, message: str, run_here: Run, compiled: None) -> None:
    done = run_here(*words.split(), code=2)
    assert message in done.stderr.splitlines()[-1]
    assert done.stdout == ""
