"""Estimates in time: also where a single node takes seconds."""

import json
import re
from pathlib import Path

import pytest
from shared import Run
from slow_nodes import SlowTree

from parsolve.deepening.estimate import estimate
from parsolve.deepening.searcher import Searcher
from parsolve.problem.problem import Problem

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("words", ["toys:Tolls --depth 3", "toys:Lopsided --depth 3"])
def test_limits_are_those_of_the_search(words: str, run: Run) -> None:
    """Also where these jump, or end because the tree does."""
    words += " --engine deepening --workers 1 --json"
    estimated, counted = (json.loads(run(name, *words.split(), code=None).stdout) for name in ("estimate", "count"))
    assert [each["limit"] for each in estimated] == [each["limit"] for each in counted["iterations"]]


@pytest.mark.nightly
def test_many_probes_tell_the_error(compiled: None) -> None:
    found, _ = estimate(Searcher(Problem(SlowTree())), 0, 60)
    assert found.nodes == 10  # each walk of this tree expects that
    assert found.solutions == 6
    assert found.error == 0
    assert found.bounds == (10, 10)
    assert 100 < found.probes < 1000  # no more of so small a tree, though there is time


@pytest.mark.nightly
def test_the_whole_search(run: Run, compiled: None) -> None:
    words = ("--time", "0.1s", "--workers", "1")
    told = run("estimate", "hoppers", "--workers", "1").stdout
    assert re.search(r"^in all \d\.\d s on 1 worker, if 7 is the first limit with solutions", told, re.MULTILINE)
    hard = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
    told = run("estimate", "sliding", "--start", hard, "--goal", "blank-first", "--bound", "manhattan", *words).stdout
    assert told.endswith(": no walk found a solution up to limit 55\n")
    assert "in all" not in run("estimate", "eight", *words, "--limit", "21").stdout
    assert "in all" not in run("estimate", "queens", "--n", "6", *words).stdout


@pytest.mark.nightly
def test_by_the_engine_that_a_count_takes(run: Run, compiled: None) -> None:
    """Breadth-first search is begun instead of predicted: it has no random walks."""
    said = run("estimate", "jugs", "--time", "20s").stdout
    counted = run("count", "jugs").stdout.strip()
    assert re.fullmatch(rf"by breadth-first search: \d+ states in .* s: {counted} solutions? of cost \d+\n", said)
    *_, last = json.loads(run("estimate", "jugs", "--time", "20s", "--json").stdout)
    assert (last["engine"], last["has_ended"], last["solutions"]) == ("breadth", True, int(counted))


@pytest.mark.nightly
def test_compiling_takes_nothing_of_its_time(run_process: Run, tmp_path: Path, compiled: None) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    words = ("estimate", "jugs", "--time", "0.3s")
    assert " of cost " in run_process(*words, env={"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}).stdout
