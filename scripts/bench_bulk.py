"""Many small searches: rows of a file, from the start of the command to its last line.

Each file is searched by a whole command with all cores, after one beforehand that compiles what is needed. The rate is
that of the command's last line: rows by the seconds from reading the first one to printing the last. CPU seconds are
those of the whole command; a file of two rows shows what it takes to start. The sudokus are minimal: from full grids
digits were taken away until none could go; those of 17 clues are images of six of Gordon Royle's. Korf's hundred
15-puzzles need the pattern databases of 7 and 8 tiles, which `parsolve tables build sliding --start ... --goal
blank-first --patterns 7-8` keeps. The rows of four kinds are sliding puzzles of four shapes; each shape is also a file
alone. The easy and hard 15-puzzles are a thousand random walks of 100 moves and those of Korf's of 50 moves at most, in
random order, by Manhattan distance: two workers are compared with twice the rate of one in the same round.

    .venv/bin/python scripts/bench_bulk.py
"""

import csv
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import benchmark

from parsolve import solve_each
from parsolve.bench.markdown import spread, table
from parsolve.puzzles import Sudoku

ROYLE = (
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "000000010400000000020000000000050604008000300001090000300400200050100000000807000",
    "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
    "000000012003600000000007000410020000000500300700000600280000040000300500000000000",
    "000000012008030000000000040120500000000004700060000000507000300000620000000100000",
    "000000012040050000000009000070600400000100000000000050000087500601000300200000000",
)

EIGHTS, SUDOKUS, DUG, MIXED, EASY, HARDEST = 10_000, 10_000, 1_000, 250, 1_000, 50

KORF = benchmark.HERE.parent / "results" / "korf100_optimal_solutions.csv"

ONE, TWO = (f"easy and hard 15-puzzles, {workers}" for workers in ("one worker", "two workers"))

ASKED = {
    "10,000 random 8-puzzles": 20_000,
    "10,000 minimal sudokus, unique?": 25_000,
    "10,000 sudokus of 17 clues, unique?": 30_000,
    "Korf's hundred": 100 / 1.5,
    "10,000 jobs of 8-puzzles with a journal": 2_000,
}
"""Rows a second."""


class Measured(NamedTuple):
    """A command: rows a second as its last line says, its wall seconds, its CPU seconds, its seconds of search."""

    rate: float
    wall: float
    cpu: float
    search: float


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    with tempfile.TemporaryDirectory() as name:
        folder, random_ = Path(name), random.Random(26)
        every = eights(random_, EIGHTS)
        write(folder / "eights.csv", "start", every)
        write(folder / "two.csv", "start", every[:2])
        write(folder / "minimal.txt", "", minimal(random_, DUG, SUDOKUS))
        write(folder / "clues17.txt", "", (image(random_, random_.choice(ROYLE)) for _ in range(SUDOKUS)))
        (folder / "jobs.toml").write_text(
            '[[job]]\nname = "e"\npuzzle = "sliding"\nfile = "eights.csv"\nbound = "manhattan"\nwant = "count"\n'
        )
        commands = {
            "10,000 random 8-puzzles": ("count", "sliding", "--bound", "manhattan", "--file", "eights.csv"),
            "10,000 minimal sudokus, unique?": ("unique", "sudoku", "--file", "minimal.txt"),
            "10,000 sudokus of 17 clues, unique?": ("unique", "sudoku", "--file", "clues17.txt"),
            "Korf's hundred": korf(folder),
            "10,000 jobs of 8-puzzles with a journal": ("run", "jobs.toml", "--journal", "night.sqlite"),
            "two random 8-puzzles": ("count", "sliding", "--bound", "manhattan", "--file", "two.csv"),
            **four_kinds(folder, random_),
            **easy_and_hard(folder, random_),
        }
        for words in commands.values():
            measured(folder, words)
        measures = {what: partial(measured, folder, words) for what, words in commands.items()}
        rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("bulk", __doc__, text(rounds), rounds, options)


def text(rounds: Sequence[dict[str, Measured]]) -> str:
    """The table."""
    rows = []
    for what in rounds[0]:
        every = [each[what] for each in rounds]
        asked = f"{ASKED[what] / 1e3:.3g}" if what in ASKED else ""
        rates = spread(each.rate / 1e3 for each in every)
        columns = ([getattr(each, name) for each in every] for name in Measured._fields[1:])
        rows.append([what, rates, asked, *map(spread, columns)])
    head = ["", "thousand rows/s", "asked", "whole command, s", "CPU s", "s of search, all threads"]
    ratio = spread(each[TWO].rate / (2 * each[ONE].rate) for each in rounds)
    about = f"Medians of {len(rounds)} rounds (least – greatest)."
    scaling = f"Two workers search {ratio} of twice the easy and hard 15-puzzles of one; asked: 0.9."
    return f"{about}\n\n{table(head, rows)}\n{scaling}\n"


def measured(folder: Path, words: Sequence[str]) -> Measured:
    """Run a command in the folder of the files."""
    (folder / "night.sqlite").unlink(missing_ok=True)
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "parsolve", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    last = done.stderr.splitlines()[-1]
    found = re.search(r"^([\d,]+) \w+ \(.*, ([\d.]+) s of search", last)
    rate = re.search(r"([\d.]+)( [kM])? (?:rows|jobs)/s$", last)
    if not found or not rate:
        raise SystemExit(f"{' '.join(words)}: {last}")
    unit = {" k": 1e3, " M": 1e6}.get(rate[2] or "", 1.0)
    return Measured(float(rate[1]) * unit, wall, cpu, float(found[2]))


# The files.


def write(file: Path, header: str, rows: Iterable[str]) -> None:
    """Write rows, below a header if there is one."""
    file.write_text("\n".join([*([header] if header else []), *rows]) + "\n")


def eights(random_: random.Random, number: int) -> list[str]:
    """Random 8-puzzles that can be solved."""
    found: list[str] = []
    while len(found) < number:
        tiles = random_.sample(range(9), 9)
        places = [tile for tile in tiles if tile]
        if sum(a > b for at, a in enumerate(places) for b in places[at + 1 :]) % 2 == 0:
            found.append(" ".join(map(str, tiles)))
    return found


def image(random_: random.Random, grid: str) -> str:
    """A grid with digits, rows and columns exchanged: it has as many solutions."""
    digits = dict(zip("123456789", random_.sample("123456789", 9), strict=True)) | {"0": "0"}
    rows, columns = (
        [3 * band + line for band in random_.sample(range(3), 3) for line in random_.sample(range(3), 3)]
        for _ in range(2)
    )
    return "".join(digits[grid[9 * row + column]] for row in rows for column in columns)


def minimal(random_: random.Random, dug: int, number: int) -> list[str]:
    """Minimal sudokus: `dug` of them, the others images of these."""
    full = "".join(str((3 * (row % 3) + row // 3 + column) % 9 + 1) for row in range(9) for column in range(9))
    grids = [image(random_, full) for _ in range(dug)]
    orders = [random_.sample(range(81), 81) for _ in grids]
    for step in range(81):
        fewer = [
            f"{grid[:cell]}0{grid[cell + 1 :]}"
            for grid, cell in zip(grids, (order[step] for order in orders), strict=True)
        ]
        results = solve_each(map(Sudoku, fewer), at_most=1)
        grids = [less if result.count == 1 else grid for grid, less, result in zip(grids, fewer, results, strict=True)]
    return grids + [image(random_, random_.choice(grids)) for _ in range(number - dug)]


def korf(folder: Path) -> tuple[str, ...]:
    """The command for Korf's hundred, all answers of which are compared beforehand."""
    (folder / "korf.csv").write_bytes(KORF.read_bytes())
    words = ("count", "sliding", "--goal", "blank-first", "--rename", "tiles=start", "--file", "korf.csv")
    done = subprocess.run(
        [sys.executable, "-m", "parsolve", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    answers = [line.split("\t")[1:3] for line in done.stdout.splitlines()[1:]]
    if answers != [[row["moves"], row["solutions"]] for row in korfs_hundred()]:
        raise SystemExit("Korf's hundred: wrong")
    return words


def korfs_hundred() -> list[dict[str, str]]:
    """Korf's hundred with their answers."""
    return [*csv.DictReader(line for line in KORF.read_text().splitlines() if not line.startswith("#"))]


def easy_and_hard(folder: Path, random_: random.Random) -> dict[str, tuple[str, ...]]:
    """15-puzzles whose searches take a millisecond to some seconds, for one worker and for two."""
    rows = [row["tiles"] for row in korfs_hundred() if int(row["moves"]) <= HARDEST]
    rows += [walk(random_, 4, 4, 100, blank_first=True) for _ in range(EASY)]
    random_.shuffle(rows)
    write(folder / "mixed15.csv", "start", rows)
    words = ("count", "sliding", "--bound", "manhattan", "--goal", "blank-first", "--file", "mixed15.csv")
    return {what: (*words, "--workers", str(workers)) for workers, what in enumerate((ONE, TWO), 1)}


def four_kinds(folder: Path, random_: random.Random) -> dict[str, tuple[str, ...]]:
    """Sliding puzzles of four shapes, mixed and each alone."""
    kinds = {
        "3x3": [f"3x3,{start}" for start in eights(random_, MIXED)],
        "2x3": [f"2x3,{walk(random_, 2, 3)}" for _ in range(MIXED)],
        "3x4": [f"3x4,{walk(random_, 3, 4)}" for _ in range(MIXED)],
        "2x4": [f"2x4,{walk(random_, 2, 4)}" for _ in range(MIXED)],
    }
    commands: dict[str, tuple[str, ...]] = {}
    mixed = [row for rows in zip(*kinds.values(), strict=True) for row in rows]
    for name, rows in {
        "1,000 rows of four shapes": mixed,
        **{f"the 250 of {kind}": kinds[kind] for kind in kinds},
    }.items():
        file = f"{name.split()[-1]}.csv"
        write(folder / file, "shape,start", rows)
        commands[name] = ("count", "sliding", "--bound", "manhattan", "--file", file)
    return commands


def walk(random_: random.Random, rows: int, columns: int, moves: int = 40, blank_first: bool = False) -> str:
    """The end of a random walk from the goal."""
    tiles = [*range(1, rows * columns)]
    tiles.insert(0 if blank_first else len(tiles), 0)
    for _ in range(moves):
        blank = tiles.index(0)
        row, column = divmod(blank, columns)
        ways = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        to_row, to_column = random_.choice([way for way in ways if 0 <= way[0] < rows and 0 <= way[1] < columns])
        to = to_row * columns + to_column
        tiles[blank], tiles[to] = tiles[to], 0
    return " ".join(map(str, tiles))


if __name__ == "__main__":
    main()
