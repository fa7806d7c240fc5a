"""The results of `QueensBenchmark` as Markdown tables, plots and files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from parsolve.bench.markdown import Spread, Table
from parsolve.bench.queens_benchmark import KERNEL_ALONE, Case, QueensBenchmark
from parsolve.text import plural


class Reference(NamedTuple):
    """Times from elsewhere, for a column of their own.

    Attributes:
        name: its source.
        n: the size of the board.
        seconds: by method.
    """

    name: str
    n: int
    seconds: dict[str, str]


def tables_of(benchmark: QueensBenchmark, reference: Reference | None = None) -> list[Table]:
    """Return the seconds, and how much faster several workers are. Also while the benchmark runs."""
    several = any(workers > 1 for workers in benchmark.workers)
    return [_seconds(benchmark, reference), *([_speed_ups(benchmark)] if several else [])]


def tables(benchmark: QueensBenchmark, reference: Reference | None = None) -> str:
    """Return the same as Markdown."""
    return "\n".join(map(str, tables_of(benchmark, reference)))


def write(benchmark: QueensBenchmark, folder: Path, head: str, log: Callable[[str], None]) -> list[str]:
    """Write tables after a head, data and, if matplotlib is installed, plots; return the names of the files. `log` is
    called with a line if no plots can be drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "queens.md").write_text(f"{head.strip()}\n\n{tables(benchmark)}", encoding="utf-8")
    (folder / "queens.json").write_text(json.dumps(benchmark.as_data(), indent=1) + "\n", encoding="utf-8")
    return ["queens.md", "queens.json", *draw(benchmark, folder, log)]


def draw(benchmark: QueensBenchmark, folder: Path, log: Callable[[str], None]) -> list[str]:
    """Draw time against n and speed-up against workers; return the names of the files, none without matplotlib."""
    try:
        from parsolve.bench.plots import lines
    except ImportError:
        log("no plots are drawn: matplotlib is not installed (pip install 'parsolve[plots]')")
        return []
    most = benchmark.workers[-1]
    times = {method: benchmark.medians(method, most) for method in benchmark.methods}
    largest = {case.method: case.n for case in benchmark.measurements}  # they rise
    speed_ups = {
        f"{method}, n = {n}": [
            (case.workers, faster)
            for case in (Case(method, n, workers) for workers in benchmark.workers)
            if benchmark.all_took_part(case) and (faster := benchmark.speed_up(case, benchmark.workers[0])) is not None
        ]
        for method, n in largest.items()
    }
    files = ["queens-time.svg", "queens-speed-up.svg"]
    title = f"Counting N queens, {plural(most, 'worker')}"
    lines(folder / files[0], title, ("n", "seconds"), times, log=True)
    lines(folder / files[1], "Counting N queens", ("workers", "times faster"), speed_ups, ideal=True)
    return files


def _seconds(benchmark: QueensBenchmark, reference: Reference | None) -> Table:
    # The different numbers of rounds behind the medians, ascending.
    counts = sorted({len(each.seconds) for each in benchmark.measurements.values() if each.spread})
    column = [f"{reference.name}, n = {reference.n}"] if reference and reference.n in benchmark.sizes else []
    rows = []
    for method in benchmark.methods:
        for workers in (KERNEL_ALONE, *benchmark.workers):
            name = "bare kernel" if workers == KERNEL_ALONE else plural(workers, "worker")
            cells = [_cell(benchmark, Case(method, n, workers), len(counts) > 1) for n in benchmark.sizes]
            theirs = [reference.seconds.get(method, "") if workers == 1 else ""] if column and reference else []
            rows.append([method, name, *cells, *theirs])
    about = f"Seconds; {_about(counts, benchmark.rounds)}."
    if not all(map(benchmark.all_took_part, benchmark.measurements)):
        about += " Counts in which not all workers took part are too short to tell what more workers do: --seconds 5."
    if benchmark.busy:
        about += f" {benchmark.busy.capitalize()}."
    return Table(about, ["method", "", *(f"n = {n}" for n in benchmark.sizes), *column], rows)


def _about(counts: list[int], asked: int) -> str:
    """Return a description of the medians."""
    if not counts:
        return "nothing has been measured"
    between = f"{counts[0]} to {plural(counts[-1], 'round')}" if len(counts) > 1 else plural(counts[0], "round")
    stopped = f"; stopped before the end of {plural(asked, 'round')}" if counts[0] < asked else ""
    return f"medians of {between} (least – greatest){stopped}"


def _cell(benchmark: QueensBenchmark, case: Case, with_rounds: bool) -> Spread | str:
    if case in benchmark.measurements and benchmark.skipped(case):
        return f"> {benchmark.limit:g}, skipped"
    measured = benchmark.measurements.get(case)
    if measured is None or measured.spread is None:
        return ""
    rounds = f", {plural(len(measured.seconds), 'round')}" if with_rounds else ""
    workers = "" if benchmark.all_took_part(case) else f", {measured.took_part} of {case.workers} workers"
    return f"{measured.spread}{rounds}{workers}" if rounds or workers else measured.spread


def _speed_ups(benchmark: QueensBenchmark) -> Table:
    about = "Speed-up of several workers, by medians, against one worker and against the bare kernel (efficiency):"
    several = [workers for workers in benchmark.workers if workers > 1]
    rows = [
        [method, plural(workers, "worker"), *(_faster(benchmark, Case(method, n, workers)) for n in benchmark.sizes)]
        for method in benchmark.methods
        for workers in several
    ]
    return Table(about, ["method", "", *(f"n = {n}" for n in benchmark.sizes)], rows)


def _faster(benchmark: QueensBenchmark, case: Case) -> str:
    if case in benchmark.measurements and not benchmark.all_took_part(case):
        return "too short to tell"
    ratios = [benchmark.speed_up(case, other) for other in (1, KERNEL_ALONE)]
    return ", ".join(f"{ratio:.2f} ({ratio / case.workers:.0%})" for ratio in ratios if ratio is not None)
