"""Any solution of each problem of the French board and of the diamond that its position class allows, or why none.

A problem begins with one gap and ends with one peg; one stands for all its images. `parsolve.solve` searches for any
solution, whatever its number of moves, on two workers for a minute: 60 s of search, kernels and functions ready. A
solution is replayed by its jumps here, without parsolve's rules. Each problem is searched in a process of its own. What
stays open may be settled by `peg_large.py`.

    .venv/bin/python scripts/peg_any.py
"""

import functools
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import benchmark

import parsolve
from parsolve.bench.markdown import table
from parsolve.puzzles import Peg

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
    text = "\n".join(f"## {board}\n\n{lines(each)}" for board, each in found.items())
    benchmark.report("peg-any", __doc__ or "", text, found, options)


if __name__ == "__main__":
    main()
