"""The same answer, whatever the executor, the workers, how they are started, the budget, the buffer and the table: of
parsolve's own pool, those of the standard library, and loky's; a dask cluster is in test_cluster.py."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from at_once import solve_at_once, start_workers
from pairs import pairs

import parsolve
from parsolve.executors.warm import warm_pools
from parsolve.puzzles import Peg, Queens, Sliding

pytestmark = pytest.mark.processes

PUZZLES = {"hoppers": Peg(first="0-6"), "eight": Sliding(), "any-first": Peg(bound="none"), "queens": Queens(9)}


@pytest.fixture(scope="module")
def answers() -> dict[str, parsolve.Result]:
    """One worker, one slice an iteration."""
    return {
        name: parsolve.solve(puzzle, workers=1, budget=1 << 40, transposition=0) for name, puzzle in PUZZLES.items()
    }


SLICES: list[tuple[int | None, int | None]] = [(50, 1), (1000, 3), (None, None)]
"""Budget and buffer of a slice."""

STARTED = ("forkserver 2", "forkserver 3", "spawn 2", "spawn 3")
EXECUTORS = ("processes 2", "threads 2", "loky 2")

SEARCHES = pairs([*STARTED, *EXECUTORS], [*PUZZLES], SLICES, ["all", "count", "first"], [0, 1 << 16])


@contextlib.contextmanager
def made(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An executor with two workers, None for own ones, which are ready; where its package is missing the test is
    skipped, and says so."""
    name, workers = kind.split()
    if name in ("forkserver", "spawn"):
        warm_pools.close()
        monkeypatch.setenv("PARSOLVE_START_METHOD", name)
        start_workers(int(workers))
        yield None
    elif name == "loky":
        loky = pytest.importorskip("loky", reason="loky is not installed: pip install 'parsolve[test]'")
        executor = loky.get_reusable_executor(2, timeout=10)
        yield executor
        executor.shutdown(wait=True)
    else:
        spawning = {"mp_context": get_context("spawn")} if name == "processes" else {}
        with (ProcessPoolExecutor if spawning else ThreadPoolExecutor)(2, **spawning) as executor:  # type: ignore[arg-type]
            yield executor


BY_KIND = [(kind, has_table) for kind in (*STARTED, *EXECUTORS) for has_table in (False, True)]


def marked(kind: str, has_table: bool) -> Any:
    """Return a case: tables take kernels of their own."""
    return pytest.param(kind, has_table, marks=[pytest.mark.mission] * (kind in STARTED[1:3] and not has_table))


@pytest.mark.parametrize(("kind", "has_table"), [marked(*case) for case in BY_KIND])
def test_each_two_together(
    answers: dict[str, parsolve.Result], kind: str, has_table: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of executors, puzzles, slices, what is wanted and tables; and the executor is left as it was."""
    searches = [each for each in SEARCHES if (each[0], each[-1] > 0) == (kind, has_table)]
    assert searches
    with made(kind, monkeypatch) as executor:
        for _, name, (budget, buffer), want, table in searches:
            how: Any = {"budget": budget, "buffer": buffer, "want": want, "executor": executor}
            table = table if isinstance(PUZZLES[name], Peg) else None if name == "queens" else 0  # which have no key
            found = solve_at_once(PUZZLES[name], workers=int(kind[-1]), transposition=table, **how)
            answer = answers[name]
            paths = {"all": answer.paths, "count": [], "first": answer.paths[:1]}[want]
            assert (found.status, found.cost, found.paths) == (answer.status, answer.cost, paths)
            assert found.count == (None if want == "first" else answer.count)
            if want == "all" and not table:  # of queens a count searches half of the boards
                assert [each.nodes for each in found.iterations] == [each.nodes for each in answer.iterations]
        assert executor is None or executor.submit(abs, -3).result(60) == 3
