"""Puzzles that are known to have no solution before they are searched: the answer is none, with the reason."""

import itertools
import json
from pathlib import Path

import pytest
from conftest import Run

import parsolve
from parsolve.puzzles import Jugs, Sliding

WRONG = "1 2 3 4 5 6 8 7 0"

REASON = "the goal cannot be reached: the start has the wrong parity"


@pytest.mark.parametrize("want", ["count", "all", "first"])
@pytest.mark.parametrize("engine", [None, "deepening", "breadth", "both"])
def test_the_answer_is_none(want: str, engine: str | None) -> None:
    found = parsolve.solve(Sliding(WRONG), want=want, engine=engine)  # type: ignore[arg-type]
    assert (found.status, found.nodes, found.paths, found.message) == ("none", 0, [], REASON)
    assert found.count == (None if want == "first" else 0)


def test_without_the_reason_the_search_finds_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Jugs("4 6", 3).unsolvable()
    monkeypatch.setattr(Jugs, "unsolvable", lambda _: "")
    found = parsolve.solve(Jugs("4 6", 3), engine="breadth")
    assert (found.status, found.message) == ("none", "")
    assert found.nodes > 1


def test_every_other_start_is_unsolvable() -> None:
    known = [not Sliding(" ".join(map(str, tiles)), "2x2").unsolvable() for tiles in itertools.permutations(range(4))]
    assert known.count(True) == 12


def test_the_command(run_here: Run, tmp_path: Path) -> None:
    done = run_here("count", "sliding", "--start", WRONG, "--journal", "it.sqlite", code=1)
    assert (done.stdout, done.stderr) == ("0\n", f"no solution: {REASON}\n")
    again = run_here("count", "sliding", "--start", WRONG, "--journal", "it.sqlite", "--engine", "both", code=1)
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)  # nothing was compared
    assert json.loads(run_here("status", "it.sqlite", "--json").stdout)[0]["status"] == "none"
    found = json.loads(run_here("solve", "sliding", "--start", WRONG, "--json", code=1).stdout)
    assert (found["status"], found["count"], found["message"]) == ("none", 0, REASON)
    assert run_here("unique", "sliding", "--start", WRONG, code=1).stdout == "none\n"


@pytest.mark.parametrize("command", ["explore", "check", "estimate"])
def test_where_states_are_wanted_it_is_refused(run_here: Run, command: str) -> None:
    assert f"has no solution: {REASON}" in run_here(command, "sliding", "--start", WRONG, code=2).stderr
