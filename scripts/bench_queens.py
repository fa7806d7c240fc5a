"""N queens: the counter by quadrants against recursion in C, and two workers against their ceiling.

The C program (`queens.c`, gcc -O3 -march=native) recurses with bit masks and mirrors half of the first column. The
seconds of `parsolve count queens --method quadrants` are those that the command reports of its search. The ceiling of
two workers is half the time of two commands with one worker each, begun together.

    .venv/bin/python scripts/bench_queens.py
"""

import functools
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import benchmark
from benchmark import said

from parsolve.bench.markdown import spread, table
from parsolve.puzzles.queens.queens import KNOWN


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "queens")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/queens.c")
        together(1, 1, 8)  # it loads or compiles the kernels
        measures: dict[str, Callable[[], float]] = {
            **{f"{n}, C": functools.partial(in_c, program, n) for n in (16, 17)},
            **{f"{n}, one worker": functools.partial(together, 1, 1, n) for n in (16, 17, 18, 19)},
            **{f"{n}, two workers": functools.partial(together, 1, 2, n) for n in (18, 19)},
            **{f"{n}, ceiling": functools.partial(together, 2, 1, n) for n in (18, 19)},
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    rows = [[f"n = {name}", spread(each[name] for each in rounds)] for name in measures]
    for n, above, below in ((16, "C", "one worker"), (17, "C", "one worker"), (18, "ceiling", "two workers")):
        ratio = spread(each[f"{n}, {above}"] / each[f"{n}, {below}"] for each in rounds)
        rows.append([f"n = {n}, {above} / {below}", ratio])
    about = f"Seconds; medians of {len(rounds)} rounds (least – greatest).\n\n"
    benchmark.report("queens", __doc__, about + table(["what", "seconds"], rows), rounds, options)


def in_c(program: str, n: int) -> float:
    """The C program's seconds."""
    count, seconds = said(program, str(n)).split()
    return checked(n, int(count), float(seconds))


def together(commands: int, workers: int, n: int) -> float:
    """The seconds of commands that are started together, each one's part."""
    words = [sys.executable, "-m", "parsolve", "count", "queens", "--n", str(n), "--method", "quadrants", "--json"]
    words += ["--quiet", "--workers", str(workers)]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(commands)]
    found = [json.loads(process.communicate()[0]) for process in processes]
    return max(checked(n, each["count"], each["seconds"]) for each in found) / commands


def checked(n: int, count: int, seconds: float) -> float:
    """The seconds, if the count is right; else the benchmark ends here."""
    if count != KNOWN[n]:
        raise SystemExit(f"wrong: {count} solutions of {n} queens, not {KNOWN[n]}")
    return seconds


if __name__ == "__main__":
    main()
