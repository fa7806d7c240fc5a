"""Breadth-first search: known depths, the same answers as deepening, and its own limits."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import some
from conftest import Run
from samples import DOUBLING, INDEX, KEY, WALK, edited
from shared import oracle
from small_kernel import COMPILING

import parsolve
from parsolve.errors import BadInput, Disagreement, OutOfMemory
from parsolve.levels.explore import explore
from parsolve.problem.registry import load_class
from parsolve.puzzles import Peg, Sliding
from parsolve.search.watch import Watch


def depths() -> dict[tuple[str, str], list[tuple[int, int]]]:
    known = defaultdict(list)
    for row in oracle("sliding_depths.csv"):
        known[row["puzzle"], row["goal_blank"]].append((int(row["depth"]), int(row["states"])))
    return known


@pytest.mark.parametrize(("shape", "blank"), depths())
def test_sliding_depths(shape: str, blank: str) -> None:
    rows, columns = map(int, shape.split("x"))
    cell = {"corner": 0, "edge": 1, "center": columns + 1}[blank]
    tiles = list(range(1, rows * columns))
    tiles.insert(cell, 0)
    goal = " ".join(map(str, tiles))
    found = explore(Sliding(shape=shape, start=goal, goal=goal))
    assert found.start == "goal"
    assert found.depths == depths()[shape, blank]


@pytest.mark.nightly
def test_moves_that_cost_nothing_and_go_in_circles(run: Run, puzzle_file: Callable[..., Path]) -> None:
    free = edited("row.cost = here.cost + 1", "row.cost = here.cost + (step == 1)").replace(
        "here.cost + 1 <= limit", "here.cost + (step == 1) <= limit"
    )
    puzzle_file(free.replace("return here.place * 2 == tables.size", "return here.place > 99") + KEY)
    assert "go in circles" in run("solve", "my_puzzle.py:Walk", "--engine", "breadth", code=2).stderr


@pytest.mark.nightly
def test_a_bound_that_is_too_high_is_a_disagreement(run: Run, puzzle_file: Callable[..., Path]) -> None:
    # At place 2 the bound claims 9: deepening misses the cheapest way, 2 2.
    source = edited("row.bound = 0", "row.bound = 9 * (row.place == 2)").replace(
        "here.cost + 1 <= limit", "here.cost + 1 + row.bound <= limit"
    )
    path = puzzle_file(source + KEY)
    done = run("solve", "my_puzzle.py:Walk", "--engine", "both", code=4)
    assert "the engines disagree on solution 1: none by deepening, 2 2 by breadth-first search" in done.stderr
    with pytest.raises(Disagreement, match="status none by deepening, solved by breadth"):
        parsolve.solve(load_class(f"{path}:Walk")(), engine="both", want="count", workers=1)


@pytest.mark.parametrize("engine", ["breadth", "both"])
def test_a_time_limit_ends_the_listing_too(run: Run, puzzle_file: Callable[..., Path], engine: str) -> None:
    puzzle_file(DOUBLING + KEY)
    words = ("solve", "my_puzzle.py:Walk", "--size", "40", "--engine", engine, "--timeout", "0.4s", "--quiet")
    assert "the time is up" in run(*words, code=3).stderr


@pytest.mark.nightly
def test_memory_is_bounded(run: Run, run_process: Run) -> None:
    with pytest.raises(OutOfMemory, match="181,440 states take 0 MB, and there are 0 MB left"):
        explore(Sliding(), Watch(max_memory=1 << 20))
    with pytest.raises(OutOfMemory, match="the next states"):
        explore(Peg(), Watch(max_memory=1 << 20))
    done = run("count", "sliding", "--start", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15", "--engine", "breadth", "--json")
    assert json.loads(done.stdout)["count"] == 1
    hard = ("--start", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "--goal", "blank-first")
    done = run_process("count", "sliding", *hard, "--engine", "breadth", "--max-memory", "300M", "--json", code=3)
    assert "the next states" in done.stderr
    assert json.loads(done.stdout)["status"] == "stopped"


def test_of_many_farthest_states_some_are_shown(run: Run, puzzle_file: Callable[..., Path]) -> None:
    tree = edited("(here.place + step) % tables.size", "2 * here.place + step")
    puzzle_file(edited("here.cost + 1 <= limit", "here.cost + 1 <= limit and row.place < tables.size", tree) + KEY)
    words = ("explore", "my_puzzle.py:Walk", "--size", "127")
    lines = run(*words).stdout.splitlines()
    assert lines[8] == "127 states; 64 farthest states at depth 6:"
    assert lines[9:] == [*(f"  place={place}" for place in range(63, 83)), "  … 44 more: --json"]
    drawn = run(*words, "--boards").stdout.splitlines()
    assert drawn[9:] == [*(f"place={place}" for place in range(63, 83)), "  … 44 more: --json"]
    assert len(json.loads(run(*words, "--json").stdout)["farthest"]) == 64
    last = run(*words[:-1], str(2**18 - 1)).stdout.splitlines()[-1]
    assert last == "262,143 states; 131,072 farthest states at depth 17"  # too many to be listed


@pytest.mark.processes
def test_explore_may_be_quiet(run_process: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + KEY)
    words = ("explore", "my_puzzle.py:Walk")
    assert run_process(*words, "--quiet", env=cache).stderr == ""
    (kernel,) = Path(cache["PARSOLVE_CACHE_DIR"]).glob("inspect_rows-*.kernel")
    kernel.unlink()  # so that it alone is compiled again
    assert COMPILING in run_process(*words, env=cache).stderr


@pytest.mark.parametrize("words", some(["--engine breadth", "--engine both", "--transposition 1M"], 3))
def test_an_index_is_a_key(run: Run, puzzle_file: Callable[..., Path], words: str) -> None:
    puzzle_file(WALK + INDEX)
    command = ("count", "my_puzzle.py:Walk", "--size", "14")
    assert run(*command, *words.split()).stdout == run(*command).stdout == "4\n"


def test_an_index_that_merges_states_is_named(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + edited("np.uint64(here.place)", "np.uint64(here.place // 2)", INDEX))
    words = ("count", "my_puzzle.py:Walk", "--size", "14", "--engine")
    assert "Walk: 'unindex' of 1 gives place=1, whose 'index' is 0" in run(*words, "breadth", code=2).stderr


# States by distance: what it is measured from.


@pytest.mark.nightly
def test_where_distances_can_be_measured_from() -> None:
    with pytest.raises(BadInput, match="take --from start"):  # its goals are for a search from both ends
        explore(Peg("triangle10", "1"), origin="goals")


def test_a_line_and_a_large_board_have_no_numbers() -> None:
    for shape in ("1x6", "6x1", "1x2", "4x4", "2x7"):
        assert Sliding(shape=shape).size is None
    assert explore(Sliding(shape="1x6")).depths == [(depth, 1) for depth in range(6)]
