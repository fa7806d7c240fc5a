"""Solutions listed by the engine sharing: those of deepening, told in the same moves, and some of very many."""

import json
from collections import Counter
from pathlib import Path

import pytest
from cases import some
from conftest import Run
from worlds.known_covers import queens

import parsolve
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import answer_digest
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Cover, Langford, Peg, Permutations, Polyominoes, Sliding, Sudoku
from parsolve.puzzles.cover import dlx


def same_solutions(puzzle: Puzzle, workers: int = 1) -> None:
    """Compare the solutions of two engines, as moves."""
    found = parsolve.solve(puzzle, engine="sharing", workers=workers)
    other = parsolve.solve(puzzle, engine="deepening", workers=1)
    assert (found.status, found.cost, found.count) == (other.status, other.cost, other.count)
    assert sorted(found.paths) == sorted(other.paths)
    texts = {path: solution.text for path, solution in zip(other.paths, other.solutions, strict=True)}
    assert all(each.text == texts[each.moves] for each in found.solutions)


@pytest.mark.parametrize(
    "puzzle",
    some(
        [
            Permutations(5),
            Sliding(start="8 6 7 2 5 4 3 0 1"),
            Peg(),
            Peg(unique=True),
            Peg(board="triangle15", vacancy="0", target="0", unique=True),
            Peg(board="triangle15", vacancy="0", target="0", bound="feasible"),
            Permutations(5, "lists"),
            Permutations(0),
            Polyominoes(),
            Polyominoes(board="6x6", pieces="18*I2"),
            Polyominoes(board="4x4", pieces="2*V3 2*I3 2*I2"),
            Polyominoes(board="4x4", pieces="2*V3 2*I3 2*I2", kind="fixed"),
            Polyominoes(board="oo++\n++oo\noooo", pieces="3*I2 2*I3"),
            Polyominoes(board="2x2x4", pieces="2*A4 2*L4"),
            Polyominoes(board="3x20", pieces="pentominoes"),
            Polyominoes(board="3x5", pieces="P U V", unique=True, kind="fixed"),
            Cover(),
            Cover("A B 2:3|C | X Y\nA B X:0 Y:0\nA C X:1 Y:1\nC X:0\nB X:1\nC Y:1\n"),
            Cover("0:2|A 3|B C\nA B\nB\nA\nB C\nB A C\nB\nC\n"),
            Cover(dlx.write(queens(6))),
            Langford(8),
            Sliding(start="8 6 7 2 5 4 3 0 1", bound="none"),
            Sliding(shape="2x4", start="6 7 5 4 3 2 1 0", bound="manhattan"),
            Sliding(shape="3x4", start="2 1 4 3 5 6 7 8 9 10 11 0", bound="manhattan"),
            Sudoku("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5........."),
            Sudoku("53..7....6..195....98....6.8...6...3...8.3..17...2...6.6....28....4...5.........."),
        ],
        6,
    ),
    ids=str,
)
def test_the_same_solutions_as_by_deepening(puzzle: Puzzle) -> None:
    same_solutions(puzzle, workers=2)


@pytest.mark.nightly
def test_each_tiling_is_as_likely() -> None:
    """36 tilings, drawn 7,200 times: Pearson's sum is below the 99.99 % quantile with 35 degrees of freedom."""
    found = parsolve.solve(Polyominoes(board="4x4", pieces="8*I2"), engine="sharing", workers=1, sample=7200)
    drawn = Counter(found.paths)
    assert len(drawn) == 36
    assert sum((number - 200) ** 2 / 200 for number in drawn.values()) < 75.6


def test_the_command_line(run: Run) -> None:
    board = ("polyominoes", "--board", "4x4", "--pieces", "8*I2", "--workers", "1", "--engine", "sharing")
    every = run("solve", *board).stdout.splitlines()
    assert len({*every}) == 36
    assert run("solve", *board, "--skip", "30", "--take", "4").stdout.splitlines() == every[30:34]
    assert run("solve", *board, "--skip", "1" + "0" * 50).stdout == ""
    drawn = run("solve", *board, "--sample", "5", "--seed", "3")
    assert {*drawn.stdout.splitlines()} < {*every}
    assert drawn.stderr.startswith("36 solutions: 56 nodes")
    found = json.loads(run("solve", *board, "--take", "2", "--json").stdout)
    assert (found["count"], [each["text"] for each in found["solutions"]]) == (36, every[:2])
    assert run("solve", *board, "--want", "first", "--skip", "7").stdout.splitlines() == every[7:8]
    ended = run("solve", *board, "--want", "first", "--skip", "36", code=1)
    assert (ended.stdout, ended.stderr) == ("", "no solution: skip leaves out all 36 solutions\n")


@pytest.mark.nightly
def test_the_engine_that_can_choose_is_taken_where_none_is_named(run: Run) -> None:
    taken, named = (
        run("solve", "eight", "--skip", "7", "--take", "2", *engine, "--workers", "1").stdout
        for engine in ((), ("--engine", "sharing"))
    )
    assert taken == named
    assert taken == "".join(run("solve", "eight", "--workers", "1").stdout.splitlines(keepends=True)[7:9])


def test_a_journal_keeps_all_solutions(run: Run, tmp_path: Path) -> None:
    board = ("polyominoes", "--engine", "sharing", "--workers", "1", "--journal", str(tmp_path / "kept.sqlite"))
    ended = run("solve", *board, "--take", "2", code=2)
    assert ended.stderr == "parsolve: a journal keeps all solutions: leave out skip, take and sample, or the journal\n"
    listed = run("solve", *board).stdout.splitlines()
    assert sorted(run("solve", *board).stdout.splitlines()) == sorted(listed)


def test_rows_of_a_file(run: Run, tmp_path: Path) -> None:
    rows = tmp_path / "boards.csv"
    rows.write_text("board,pieces\n2x3,3*I2\n2x4,4*I2\n")
    lines = run("solve", "polyominoes", "--file", str(rows), "--take", "2", "--json").stdout.splitlines()
    assert [(each["count"], len(each["solutions"])) for each in map(json.loads, lines)] == [(3, 2), (5, 2)]


@pytest.mark.parametrize("engine", ["deepening", "both"])
def test_a_count_with_a_table_is_that_of_another_puzzle(run: Run, tmp_path: Path, engine: str) -> None:
    for _ in range(2):
        run(*f"count langford --n 4 --transposition 1M --engine {engine} --journal {tmp_path / 'it.sqlite'}".split())
    with JournalReader(tmp_path / "it.sqlite") as journal:
        assert journal.jobs()[0].answer == answer_digest(Problem(Langford(4), "count"), "sharing")


def test_the_page_says_that_these_are_some(run: Run, tmp_path: Path) -> None:
    board = ("polyominoes", "--board", "4x4", "--pieces", "8*I2", "--workers", "1", "--engine", "sharing")
    page = tmp_path / "page.html"
    run("solve", *board, "--sample", "2", "--html", str(page))
    assert "2 are in this page; the others were left out." in page.read_text()
    run("solve", *board, "--take", "1", "--skip", "3", "--html", str(page))
    assert "One is in this page; the others were left out." in page.read_text()
