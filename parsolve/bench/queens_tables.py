"""The results of `QueensBenchmark` as a Markdown table, plots and files."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parsolve.bench.markdown import spread, table
from parsolve.bench.queens_benchmark import Case, QueensBenchmark, known
from parsolve.system.hardware import machine
from parsolve.text import plural


def write(benchmark: QueensBenchmark, folder: Path) -> list[str]:
    """Write the table, data and, if matplotlib is installed, plots; return the names of the files."""
    facts = "\n".join(f"- {name}: {value}" for name, value in (machine() | benchmark.conditions).items())
    (folder / "queens.md").write_text(f"# N queens\n\n{facts}\n\n{tables(benchmark)}", encoding="utf-8")
    (folder / "queens.json").write_text(json.dumps(as_data(benchmark), indent=1) + "\n", encoding="utf-8")
    return ["queens.md", "queens.json", *draw(benchmark, folder)]


def tables(benchmark: QueensBenchmark) -> str:
    """Return a row for each method and size as Markdown. Also while the benchmark runs."""
    counts = {len(rounds) for rounds in benchmark.measurements.values() if rounds} or {0}
    rounds, most = " to ".join(map(str, sorted({min(counts), max(counts)}))), benchmark.workers[-1]
    about = (
        f"Seconds of a search: medians (least – greatest); rounds: {rounds}. By {plural(most, 'worker')}: the seconds"
        " until they were ready, once; the speed-up over one; the efficiency, which is 1 where as many independent"
        " searches at once are no faster."
    )
    head = ["method", "n", *(plural(each, "worker") for each in benchmark.workers)]
    rows = [_row(benchmark, method, n, most) for method in benchmark.methods for n in benchmark.sizes]
    return f"{about}\n\n{table([*head, 'start', 'speed-up', 'efficiency', 'million solutions a second'], rows)}"


def _row(benchmark: QueensBenchmark, method: str, n: int, most: int) -> list[object]:
    by_workers = [benchmark.measurements[Case(method, n, each)] for each in benchmark.workers]
    times = [spread(each.seconds for each in rounds) if rounds else "skipped" for rounds in by_workers]
    start = benchmark.starts.get((method, most)) if n == benchmark.sizes[0] else None
    begin = [method, n, *times, f"{start:.3g}" if start else ""]
    if not (rounds := by_workers[-1]):
        return [*begin, "", "", ""]
    speed_up = statistics.median(each.by_one / each.seconds for each in rounds)
    efficiency = statistics.median(each.independent / each.seconds for each in rounds)
    rate = known(n) / statistics.median(each.seconds for each in rounds)
    return [*begin, f"{speed_up:.2f}", f"{efficiency:.2f}", f"{rate / 1e6:.3f}"]


def as_data(benchmark: QueensBenchmark) -> list[dict[str, Any]]:
    """Return an object for each case: all its times and their conditions."""
    return [
        {
            **case._asdict(),
            "seconds": [each.seconds for each in rounds],
            "one": [each.by_one for each in rounds],
            "apart": [each.independent for each in rounds],
            "start": benchmark.starts.get((case.method, case.workers)),
            "machine": machine(),
            "conditions": benchmark.conditions,
        }
        for case, rounds in benchmark.measurements.items()
    ]


def draw(benchmark: QueensBenchmark, folder: Path) -> list[str]:
    """Draw seconds against n and speed-up against workers; return the name of the file, none without matplotlib."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        return []
    matplotlib.rcParams["svg.hashsalt"] = "parsolve"  # the same figures give the same file, byte for byte
    figure = Figure(figsize=(12, 4.5), layout="constrained")
    times, faster = figure.subplots(1, 2)
    sizes, workers, every = benchmark.sizes, benchmark.workers, benchmark.measurements.items()
    seconds = {case: [each.seconds for each in rounds] for case, rounds in every}
    speed_ups = {case: [each.by_one / each.seconds for each in rounds] for case, rounds in every}
    for method in benchmark.methods:
        medians = [_median(seconds[Case(method, n, workers[-1])]) for n in sizes]
        times.plot(sizes, medians, marker="o", label=method)
        medians = [_median(speed_ups[Case(method, sizes[-1], number)]) for number in workers]
        faster.plot(workers, medians, marker="o", label=f"{method}, n = {sizes[-1]}")
    times.set(xlabel="n", ylabel="seconds", yscale="log", xticks=sizes)
    faster.set(xlabel="workers", ylabel="times faster", xticks=workers)
    for each in (times, faster):
        each.grid(alpha=0.3)
        each.legend(fontsize="small")
    figure.savefig(folder / "queens.svg", metadata={"Date": None})
    return ["queens.svg"]


def _median(figures: Sequence[float]) -> float | None:
    return statistics.median(figures) if figures else None
