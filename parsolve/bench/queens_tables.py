"""The results of `QueensBenchmark` as Markdown tables, plots and files."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from parsolve.bench.markdown import table
from parsolve.bench.queens_benchmark import KERNEL_ALONE, Case, QueensBenchmark
from parsolve.system.hardware import machine


def write(benchmark: QueensBenchmark, folder: Path) -> list[str]:
    """Write tables, data and, if matplotlib is installed, plots; return the names of the files."""
    facts = "\n".join(f"- {name}: {value}" for name, value in (machine() | benchmark.conditions).items())
    (folder / "queens.md").write_text(f"# N queens\n\n{facts}\n\n{tables(benchmark)}", encoding="utf-8")
    (folder / "queens.json").write_text(json.dumps(benchmark.as_data(), indent=1) + "\n", encoding="utf-8")
    return ["queens.md", "queens.json", *draw(benchmark, folder)]


def tables(benchmark: QueensBenchmark) -> str:
    """Return the seconds, and how much faster several workers are, as Markdown. Also while the benchmark runs."""
    counts = {len(rounds) for rounds in benchmark.measurements.values() if rounds} or {0}
    rounds = " to ".join(map(str, sorted({min(counts), max(counts)})))
    text = f"Seconds: medians (least – greatest); rounds: {rounds}.\n\n"
    text += _table(benchmark, [KERNEL_ALONE, *benchmark.workers], _seconds)
    if several := [workers for workers in benchmark.workers if workers > 1]:
        text += (
            "\nSpeed-up of several workers, by medians, against one worker and against the bare kernel (efficiency):"
        )
        text += "\n\n" + _table(benchmark, several, _speed_ups)
    return text


def _table(benchmark: QueensBenchmark, workers: Sequence[int], cell: Callable[[QueensBenchmark, Case], str]) -> str:
    rows = [
        [method, Case(method, 0, each).searched_by, *(cell(benchmark, Case(method, n, each)) for n in benchmark.sizes)]
        for method in benchmark.methods
        for each in workers
    ]
    return table(["method", "", *(f"n = {n}" for n in benchmark.sizes)], rows)


def _seconds(benchmark: QueensBenchmark, case: Case) -> str:
    if case in benchmark.measurements and benchmark.skipped(case):
        return f"> {benchmark.limit:g}, skipped"
    if not (measured := benchmark.spread(case)):
        return ""
    took_part = benchmark.took_part(case)
    return f"{measured}{f', {took_part} of {case.workers} workers' if took_part < case.workers else ''}"


def _speed_ups(benchmark: QueensBenchmark, case: Case) -> str:
    ratios = [benchmark.speed_up(case, other) for other in (1, KERNEL_ALONE)]
    return ", ".join(f"{ratio:.2f} ({ratio / case.workers:.0%})" for ratio in ratios if ratio) or "too short to tell"


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
    sizes, workers = benchmark.sizes, benchmark.workers
    for method, n in {case.method: case.n for case in benchmark.measurements}.items():  # the largest: they rise
        spreads = [benchmark.spread(Case(method, each, workers[-1])) for each in sizes]
        times.plot(sizes, [each and each.median for each in spreads], marker="o", label=method)
        ratios = [benchmark.speed_up(Case(method, n, each), workers[0]) for each in workers]
        faster.plot(workers, ratios, marker="o", label=f"{method}, n = {n}")
    times.set(xlabel="n", ylabel="seconds", yscale="log", xticks=sizes)
    faster.set(xlabel="workers", ylabel="times faster", xticks=workers)
    for each in (times, faster):
        each.grid(alpha=0.3)
        each.legend(fontsize="small")
    figure.savefig(folder / "queens.svg", metadata={"Date": None})
    return ["queens.svg"]
