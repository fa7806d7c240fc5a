"""Any solution of each problem of the French board and of the diamond that its position class allows, or why none.

A problem begins with one gap and ends with one peg; one stands for all its images. `parsolve.solve` searches for any
solution, whatever its number of moves, on two workers for a minute: 60 s of search, kernels and functions ready. What
stays open is read backwards from a solution of its reverse, if there is one. A solution is replayed by its jumps here,
without parsolve's rules. Each problem is searched in a process of its own.

    .venv/bin/python scripts/peg_any.py
"""

import functools
import itertools
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import benchmark

import parsolve
from parsolve.bench.markdown import table
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzles import Peg
from parsolve.puzzles.peg.symmetries import symmetries

BOARDS = ("french37", "diamond41")
WORKERS, SECONDS = 2, 60.0


def settled(board: str, vacancy: str, target: str, seconds: float) -> dict[str, Any]:
    """Search one problem, and return the result as plain data."""
    puzzle = Peg(board, vacancy, target)
    names, jumps = puzzle.layout.names, puzzle.jumps_needed
    result = parsolve.solve(puzzle, want="any", limit=jumps, workers=WORKERS, timeout=seconds)
    for path in result.paths:
        replay(puzzle, path)
    return {
        "board": board,
        "vacancy": names[int(vacancy)],
        "target": names[int(target)],
        "status": result.status,
        "moves": result.cost,
        "seed": result.seed,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 2),
        "jumps": result.paths[0] if result.paths else (),
        "solution": result.solutions[0].text if result.paths else "",
        "reason": puzzle.obstacle,
    }


def replay(puzzle: Peg, jumps: tuple[int, ...]) -> None:
    """Make the jumps of a solution by sets of holes."""
    pegs = {*range(puzzle.layout.holes)} - {int(str(puzzle.vacancy))}
    for number in jumps:
        start, over, to = puzzle.layout.jumps[number]
        assert {start, over, to} & pegs == {start, over}, (puzzle, jumps)
        pegs = pegs - {start, over} | {to}
    assert pegs == {int(str(puzzle.target))}, (puzzle, jumps)


def read_backwards(found: dict[str, Any], others: list[dict[str, Any]]) -> None:
    """Give an open problem a solution of another one, if an image of that one leads from its end to its start: with
    pegs and holes exchanged the same jumps, the last one first, lead back."""
    puzzle = Peg(found["board"], found["vacancy"], found["target"])
    ends = (int(str(puzzle.target)), int(str(puzzle.vacancy)))
    names, jumps = puzzle.layout.names, puzzle.layout.jumps
    for other, each in itertools.product(others, symmetries(puzzle.layout)):
        if other["jumps"] and tuple(each.holes[names.index(other[end])] for end in ("vacancy", "target")) == ends:
            path = tuple(each.jumps[jump] for jump in reversed(other["jumps"]))
            replay(puzzle, path)
            runs = sum(jumps[jump][0] != jumps[before][2] for before, jump in itertools.pairwise(path))
            seed = f"{other['vacancy']} to {other['target']}, backwards"
            found |= {"status": "solved", "moves": 1 + runs, "seed": seed, "jumps": path}
            found["solution"] = Solution(path, Problem(puzzle)).text
            return


def lines(found: list[dict[str, Any]]) -> str:
    """Return the tables of a board's problems as Markdown."""
    rows, others, proofs = [], [], []
    for each in found:
        problem = f"{each['vacancy']} to {each['target']}"
        if each["status"] == "solved":
            nodes, seconds = f"{each['nodes']:,}", f"{each['seconds']:.1f}"
            rows.append([problem, str(each["moves"]), str(each["seed"]), nodes, seconds, each["solution"]])
        elif each["reason"]:
            proofs.append(f"- {problem}: {each['reason']}")
        else:
            why = "unsolvable: all was searched" if each["status"] == "none" else "open"
            others.append(f"- {problem}: {why}, {each['nodes']:,} nodes in {each['seconds']:.0f} s")
    text = table(["problem", "moves", "seed", "nodes", "seconds", "a solution"], rows) if rows else ""
    if others:
        text += "\nNot solved:\n\n" + "\n".join(others) + "\n"
    if proofs:
        text += "\nUnsolvable, as a pagoda function shows (its values by the rows of the board):\n\n"
        text += "\n".join(proofs) + "\n"
    return text


def main() -> None:
    """Search, and write the report."""
    options = benchmark.options(__doc__ or "", 1, seconds={"type": float, "default": SECONDS})
    found: dict[str, list[dict[str, Any]]] = {}
    for board in BOARDS:
        variants = [each for each in Peg(board, "0", "0").variants() if isinstance(each, Peg)]
        for puzzle in variants:
            search = functools.partial(settled, board, str(puzzle.vacancy), str(puzzle.target), options.seconds)
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                found.setdefault(board, []).append(pool.submit(search).result())
            print({name: value for name, value in found[board][-1].items() if name != "reason"}, flush=True)
        for each in found[board]:
            if each["status"] == "stopped":
                read_backwards(each, found[board])
    text = "\n".join(f"## {board}\n\n{lines(each)}" for board, each in found.items())
    benchmark.report("peg-any", __doc__ or "", text, found, options)


if __name__ == "__main__":
    main()
