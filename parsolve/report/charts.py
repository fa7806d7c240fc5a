"""Small charts as SVG, for a page with the report's style."""

import math
from collections.abc import Sequence
from html import escape

from parsolve.text import short

WIDTH, HEIGHT = 340, 110
"""A chart in pixels, its labels included."""

LEFT, BOTTOM, TOP = 52, 18, 18
"""Pixels reserved for labels."""

APART = 12
"""Maximum number of bars with gaps between them."""


def bars(title: str, tone: str, points: Sequence[tuple[int, float]]) -> str:
    """Return bars on a logarithmic scale, from the lowest decade upwards; all decades have the same height.

    Args:
        title: the text above it.
        tone: `b` or `c`: its colour.
        points: (label, value), at least one value above 0; a value of 0 has no bar.
    """
    values = [value for _, value in points if value > 0]
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    step = (WIDTH - LEFT - 4) / len(points)

    def y(power: float) -> int:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - power) / (high - low))

    def x(number: int) -> float:
        return round(LEFT + step * (number + 0.5), 1)

    every = max(1, math.ceil((high - low) / 4))
    powers = range(low, high + 1, every)
    grid = "".join(f"M{LEFT} {y(power)}H{WIDTH}" for power in powers)
    labels = [f'<text x="{LEFT - 5}" y="{y(power) + 4}" class="e">{_short(power)}</text>' for power in powers]
    tops = [min(y(low) - 1, y(math.log10(value))) if value > 0 else y(low) for _, value in points]
    if len(tops) > APART:  # adjacent bars take half the bytes
        drawn = f"M{LEFT} {y(low)}" + "".join(f"V{top}h{step:.1f}" for top in tops) + f"V{y(low)}"
    else:
        gap = f"V{y(low)}h{0.3 * step:.1f}"
        drawn = f"M{LEFT + 0.15 * step:.1f} {y(low)}" + "".join(f"V{top}h{0.7 * step:.1f}{gap}" for top in tops)
    labels += [
        f'<text x="{x(number):g}" y="{HEIGHT - 4}" class="m">{points[number][0]}</text>'
        for number in sorted({0, len(points) - 1})
    ]
    first, last = points[0], points[-1]
    summary = f"{title}, logarithmic: {first[1]:.4g} at {first[0]} to {last[1]:.4g} at {last[0]}"
    return (
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(summary)}">'
        f'<text x="{LEFT}" y="11">{escape(title)}</text><path class="g" d="{grid}"/>'
        f'<path class="{tone}" d="{drawn}"/>{"".join(labels)}</svg>'
    )


def _short(power: int) -> str:
    """Return a power of ten as a short label."""
    return f"1e{power}" if power > 14 else short(10.0**power).replace(" ", "")
