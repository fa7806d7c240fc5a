"""Any executor runs a search: parsolve's own pool, those of the standard library, loky's, and a dask cluster."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from at_once import AT_ONCE
from cases import nightly

import parsolve
from parsolve.executors.local import LocalPool
from parsolve.puzzles import Queens, Sliding

pytestmark = pytest.mark.processes

KINDS = ("own", "processes", "threads", "loky", nightly("dask"))  # test_cluster.py has dask each time

QUEENS = Queens(n=9)
PLAIN_5 = Sliding(start="4 5 0 1 2 3", bound="none")


@contextlib.contextmanager
def made(kind: str) -> Iterator[Any]:
    """An executor with two workers; where its package is missing the test is skipped, and says so."""
    if kind == "own":
        with LocalPool(2) as pool:
            yield pool
    elif kind == "processes":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            yield executor
    elif kind == "threads":
        with ThreadPoolExecutor(2) as executor:
            yield executor
    elif kind == "loky":
        loky = pytest.importorskip("loky", reason="loky is not installed: pip install 'parsolve[test]'")
        executor = loky.get_reusable_executor(2, timeout=10)
        yield executor
        executor.shutdown(wait=True)
    else:
        from clusters import running

        with running(2) as cluster, cluster.client() as client:
            yield client


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_same(kind: str) -> None:
    """Lists in order, the first, counts and nodes, in many small tasks; and the executor is left as it was."""
    with made(kind) as executor:
        for puzzle in (QUEENS, PLAIN_5):
            here = parsolve.solve(puzzle, workers=1)
            there = parsolve.solve(puzzle, executor=executor, workers=2, budget=1000, tuning=AT_ONCE)
            assert (there.paths, there.count, there.nodes) == (here.paths, here.count, here.nodes)
        first = parsolve.solve(QUEENS, want="first", executor=executor, workers=2, budget=500, tuning=AT_ONCE)
        assert first.paths == parsolve.solve(QUEENS, workers=1).paths[:1]
        assert executor.submit(abs, -3).result(60) == 3
