"""Plots as SVG. They need matplotlib, which the extra `plots` installs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

# The same figures give the same file, byte for byte.
matplotlib.rcParams["svg.hashsalt"] = "parsolve"


def lines(
    file: Path,
    title: str,
    axes: tuple[str, str],
    series: Mapping[str, Sequence[tuple[int, float]]],
    log: bool = False,
    ideal: bool = False,
) -> None:
    """Draw lines through points into an SVG file.

    Args:
        log: whether the vertical axis is logarithmic.
        ideal: whether to draw the diagonal, where n workers are n times faster.
    """
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    plot = figure.add_subplot()
    for name, points in series.items():
        if points:
            plot.plot(*zip(*points, strict=True), marker="o", label=name)
    across = sorted({x for points in series.values() for x, _ in points})
    if ideal and across:
        plot.plot(across, [x / across[0] for x in across], linestyle=":", color="grey", label="ideal")
    plot.set_xticks(across)
    plot.set(title=title, xlabel=axes[0], ylabel=axes[1])
    if log:
        plot.set_yscale("log")
    plot.grid(alpha=0.3)
    if across:
        plot.legend(fontsize="small")
    figure.savefig(file, format="svg", metadata={"Date": None})
