"""`parsolve table`: what it says of a board's problems, on a terminal and without one."""

import re
from pathlib import Path

import pytest
from conftest import Run, on_terminal

from parsolve import Result
from parsolve.engines import run
from parsolve.errors import OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.watch import Watch

pytestmark = pytest.mark.processes

SQUARE = "ooo\nooo\nooo\n"
"""No problem on it has a solution."""


def last_line(text: str) -> str:
    """Return the last line, with each number of seconds as S, and the rate as R."""
    return re.sub(r"[\d.,]+ problems/s", "R", re.sub(r"\d+\.\d+ s", "S", text.splitlines()[-1]))


def test_a_board_without_a_solution(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "it.txt").write_text(SQUARE)
    done = run_here("table", "peg", "--board", "it.txt", code=1)
    assert done.stdout == "board,vacancy,target,cost,solutions\n"
    assert last_line(done.stderr) == (
        "3 problems (3 without a solution): 58 nodes, S of search, S in all, R; none has a solution,"
        " whatever vacancy and target"
    )
    assert "vacancy 4, target 4: peg: this cannot be solved" in done.stderr
    quiet = run_here("table", "peg", "--board", "it.txt", "--quiet", code=1)
    assert [line for line in quiet.stderr.splitlines() if "cannot be solved" not in line] == []


def test_some_have_solutions(run_here: Run) -> None:
    done = run_here("table", "peg", "--board", "triangle10")
    assert done.stdout == "board,vacancy,target,cost,solutions\ntriangle10,1,2,5,2\n"
    assert last_line(done.stderr) == (
        "3 problems (1 solved, 2 without a solution): 1,063 nodes, S of search, S in all, R"
    )
    assert last_line(run_here("table", "langford", "--n", "5", code=1).stderr).endswith("S in all, R")


def test_where_memory_ends_it_says_how_far_it_came(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def scarce(problem: Problem, request: Request, watch: Watch, store: CheckpointStore) -> Result:
        if problem.given.target == "3":
            raise OutOfMemory("there is not enough memory")
        return run(problem, request, watch, store=store)

    monkeypatch.setattr("parsolve.cli.searches.variants.run", scarce)
    done = run_here("table", "peg", "--board", "triangle10", code=3)
    assert done.stderr.splitlines()[-2:] == [
        "stopped before the end: 1 of 3 problems done (1 solved)",
        "parsolve: there is not enough memory",
    ]


def test_a_terminal_sees_how_many_are_done(tmp_path: Path) -> None:
    code, _, shown = on_terminal(tmp_path, "table", "peg", "--board", "triangle10")
    assert code == 0
    assert b"0 of 3 problems" in shown


def test_a_limit_of_memory(run_here: Run) -> None:
    """It is that of all processes, as its help says; a small search only gives up its transposition table."""
    done = run_here("table", "peg", "--board", "triangle10", "--max-memory", "1M")
    assert "more than --max-memory: continuing without the transposition table" in done.stderr
