"""N queens from 20 up: the counter by quadrants on a sample of row sets, and a whole count through a kill.

Row sets are drawn at random, ten times as many where they are not divided, and of each that is divided some of its
parts; a row set's seconds and solutions are those of its drawn parts times parts / drawn. Estimates and lists are
included; one core, CPU seconds. The years of a core are the mean seconds of a row set times the row sets. A rate is the
known number of all solutions (for 28 queens an estimated one) by these; beside it that of the sample itself, the
solutions of the drawn row sets by their seconds, which are few and vary much. Behind ± is a standard error, from the
row sets of all rounds. Each size is measured in a process of its own, that tells its greatest memory; the drawn row
sets of a round are others than those of the round before. With --whole N, N queens are counted in full on two workers
with a journal; the first process is killed on its way.

    .venv/bin/python scripts/bench_queens_large.py
"""

import functools
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import benchmark
import numpy as np
from benchmark import HERE

from parsolve.bench.markdown import table
from parsolve.puzzles.queens.counts import EXPECTED, KNOWN

SIZES = (20, 21, 22, 23, 24, 25, 26, 27, 28)
YEAR = 365.25 * 86400

COUNT = (sys.executable, "-m", "parsolve", "count", "queens", "--quiet", "--workers", "2")


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__,
        rounds=3,
        sets={
            "type": int,
            "default": 8,
            "metavar": "N",
            "help": "row sets a size and round, ten times as many of small boards",
        },
        parts={"type": int, "default": 12, "metavar": "N", "help": "parts a row set, at most"},
        whole={"type": int, "default": 0, "metavar": "N", "help": "a size to count in full; 0 for none"},
        kill={"type": float, "default": 60.0, "metavar": "SECONDS", "help": "after which it is killed"},
    )
    seeds = iter(range(1, 1 << 30))
    measures = {n: functools.partial(sample_apart, n, options.sets, options.parts, seeds) for n in SIZES}
    rounds = benchmark.in_turns(options.rounds, measures)
    whole = count_through_a_kill(options.whole, options.kill) if options.whole else None
    data = {"rounds": rounds, "whole": whole}
    benchmark.report("queens-large", __doc__, text(rounds, whole), data, options)


def sample_apart(n: int, sets: int, parts: int, seeds: Any) -> dict[str, Any]:
    """`sample` in a process of its own."""
    call = f"import bench_queens_large as b, json; print(json.dumps(b.sample({n}, {sets}, {parts}, {next(seeds)})))"
    done = subprocess.run([sys.executable, "-c", call], cwd=HERE, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def sample(n: int, sets: int, parts: int, seed: int) -> dict[str, Any]:
    """Count some parts of some row sets.

    Returns:
        drawn: a row set's solutions and CPU seconds, each; sets: how many row sets there are; worst: the longest part,
        CPU seconds; parts: of a row set, their mean number; mb: the greatest memory.
    """
    from parsolve.compiler.functions import cached
    from parsolve.puzzles.queens.quadrants import Quadrants
    from parsolve.puzzles.queens.quadrants.halves import count
    from parsolve.puzzles.queens.quadrants.parts import estimate_work
    from parsolve.puzzles.queens.quadrants.row_sets import weight_of

    tables, random_ = Quadrants(n).tables(), random.Random(seed)
    count_part, estimate, weight = cached(count), cached(estimate_work), cached(weight_of)
    lists = (tables.bits, tables.ranks, tables.where, tables.starts, tables.words)
    counted, numbers, worst = [], [], 0.0
    for number in range((sets if tables.most_work else 10 * sets) + 1):  # the first loads what is compiled
        rows = random_.choice(tables.sets)
        begin = time.process_time()
        below = [(0, 0)]
        if tables.most_work:
            below = parts_of(int(estimate(tables.n, tables.bits, tables.ranks, rows)), int(tables.most_work))
        estimating = time.process_time() - begin
        drawn = random_.sample(below, min(parts, len(below)))
        found, spent = 0, []
        for part, level in drawn:
            begin = time.process_time()
            found += int(count_part(tables.n, rows, *lists, np.uint32(part), np.int64(level))[0])
            spent.append(time.process_time() - begin)
        if number:
            share = len(drawn) / len(below)
            counted.append((found * int(weight(tables.n, rows)) / share, estimating + sum(spent) / share))
            worst = max(worst, *spent)
            numbers.append(len(below))
    return {
        "drawn": counted,
        "sets": int(tables.sets.size),
        "worst": worst,
        "parts": statistics.fmean(numbers),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def parts_of(work: int, most: int, part: int = 0, level: int = 0) -> list[tuple[int, int]]:
    """The parts of a row set that the rules of `Quadrants` count, with their levels."""
    from parsolve.puzzles.queens.quadrants.parts import BITS_OF_LEVEL, CHILDREN, LEVELS, work_of_child

    if level == LEVELS or (level > 0 and work <= most):
        return [(part, level)]
    return [
        each
        for held in range(CHILDREN)
        for each in parts_of(int(work_of_child(work, held)), most, part << BITS_OF_LEVEL | held, level + 1)
    ]


def count_through_a_kill(n: int, kill: float) -> dict[str, Any]:
    """Count with a journal, kill the process after so many seconds, and resume: seconds of both, and the count."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*COUNT, "--n", str(n), "--journal", str(Path(folder) / "it.sqlite")]
        first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            first.wait(kill)
        except subprocess.TimeoutExpired:
            first.kill()
        killed = first.wait() < 0
        begin = time.perf_counter()
        found = int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    if not killed or found != KNOWN[n]:
        raise SystemExit(f"wrong: {found} solutions of {n} queens, not {KNOWN[n]}, or there was nothing to kill")
    return {"n": n, "count": found, "before": kill, "after": time.perf_counter() - begin}


def text(rounds: list[dict[Any, Any]], whole: dict[str, Any] | None) -> str:
    """The tables."""

    def row(n: int) -> list[Any]:
        measured = [each[n] for each in rounds]
        solutions, seconds = np.array([drawn for each in measured for drawn in each["drawn"]]).T
        sets, mean, own = measured[0]["sets"], seconds.mean(), solutions.sum() / seconds.sum()
        error = seconds.std(ddof=1) / seconds.size**0.5 / mean
        own_error = (solutions - own * seconds).std(ddof=1) / seconds.size**0.5 / mean
        rate = (*KNOWN, EXPECTED)[n] / (mean * sets)
        return [
            n,
            seconds.size,
            f"**{rate / 1e6:.0f}** ± {rate * error / 1e6:.0f}",
            rate,
            f"{own / 1e6:.0f} ± {own_error / 1e6:.0f}",
            f"{max(each['worst'] for each in measured):.2f}",
            f"{max(each['mb'] for each in measured):.0f}",
            f"{statistics.fmean(each['parts'] for each in measured):,.0f}",
            f"**{mean * sets / YEAR:.3g}** ± {mean * sets / YEAR * error:.2g}",
        ]

    head = ["n", "row sets", "M solutions/s, one core", "by that at 20", "of the sample itself", "longest part, s"]
    head += ["MB", "parts a row set", "years of a core"]
    rows = [row(n) for n in SIZES]
    first = rows[0][3]
    for each in rows:
        each[3] = f"{each[3] / first:.2f}"
    lines = [table(head, rows)]
    if whole:
        lines.append(
            f"\nn = {whole['n']} in full: {whole['count']:,} solutions, as known; killed after {whole['before']:.0f} s,"
            f" resumed from the journal, done {whole['after']:.0f} s later."
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
