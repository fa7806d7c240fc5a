"""The results of `QueensBenchmark` as a Markdown table, plots and files."""

import json
from pathlib import Path

from parsolve.bench.markdown import table
from parsolve.bench.queens_benchmark import Case, QueensBenchmark, problem_of
from parsolve.system.hardware import machine
from parsolve.text import plural


def write(benchmark: QueensBenchmark, folder: Path) -> list[str]:
    """Write the table, data and, if matplotlib is installed, plots; return the names of the files."""
    facts = "\n".join(f"- {name}: {value}" for name, value in (machine() | benchmark.conditions).items())
    (folder / "queens.md").write_text(f"# N queens\n\n{facts}\n\n{tables(benchmark)}", encoding="utf-8")
    (folder / "queens.json").write_text(json.dumps(benchmark.as_data(), indent=1) + "\n", encoding="utf-8")
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
    case = Case(method, n, most)
    times = [benchmark.spread(case._replace(workers=each)) or "skipped" for each in benchmark.workers]
    start = benchmark.starts.get((method, most)) if n == benchmark.sizes[0] else None
    begin = [method, n, *times, f"{start:.3g}" if start else ""]
    if not (measured := benchmark.spread(case)):
        return [*begin, "", "", ""]
    up, efficiency = benchmark.faster(case, "one"), benchmark.faster(case, "apart")
    count: int = problem_of(method, n).given.known[n]  # type: ignore[attr-defined]
    return [*begin, f"{up:.2f}", f"{efficiency:.2f}", f"{count / measured.median / 1e6:.3f}"]


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
    for method in benchmark.methods:
        spreads = [benchmark.spread(Case(method, n, workers[-1])) for n in sizes]
        times.plot(sizes, [each and each.median for each in spreads], marker="o", label=method)
        ratios = [benchmark.faster(Case(method, sizes[-1], each), "one") for each in workers]
        faster.plot(workers, ratios, marker="o", label=f"{method}, n = {sizes[-1]}")
    times.set(xlabel="n", ylabel="seconds", yscale="log", xticks=sizes)
    faster.set(xlabel="workers", ylabel="times faster", xticks=workers)
    for each in (times, faster):
        each.grid(alpha=0.3)
        each.legend(fontsize="small")
    figure.savefig(folder / "queens.svg", metadata={"Date": None})
    return ["queens.svg"]
