"""Small charts as SVG, for a page with the report's style."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from parsolve.search.samples import Sample
from parsolve.text import clock, short

WIDTH, HEIGHT = 340, 110
"""A chart in pixels, its labels included."""

LEFT, BOTTOM, TOP = 52, 18, 18
"""Pixels reserved for labels."""

APART = 12
"""Maximum number of bars with gaps between them."""


def bars(title: str, tone: str, points: Sequence[tuple[int, float]], height: int = HEIGHT) -> str:
    """Return bars on a logarithmic scale, from the lowest decade upwards; all decades have the same height.

    Args:
        title: the text above it.
        tone: `b` or `c`: its colour.
        points: (label, value), at least one value above 0; a value of 0 has no bar.
        height: height of the chart in pixels.
    """
    values = [value for _, value in points if value > 0]
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    step = (WIDTH - LEFT - 4) / len(points)

    def y(power: float) -> int:
        return round(TOP + (height - TOP - BOTTOM) * (high - power) / (high - low))

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
        f'<text x="{x(number):g}" y="{height - 4}" class="m">{points[number][0]}</text>'
        for number in sorted({0, len(points) - 1})
    ]
    first, last = points[0], points[-1]
    summary = f"{title}, logarithmic: {first[1]:.4g} at {first[0]} to {last[1]:.4g} at {last[0]}"
    return (
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH} {height}" aria-label="{escape(summary)}">'
        f'<text x="{LEFT}" y="11">{escape(title)}</text><path class="g" d="{grid}"/>'
        f'<path class="{tone}" d="{drawn}"/>{"".join(labels)}</svg>'
    )


def _short(power: int) -> str:
    """Return a power of ten as a short label."""
    if power < 0:
        return f"{10.0**power:g}"
    if power > 14:
        return f"1e{power}"
    for least, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if power >= least:
            return f"{10 ** (power - least)}{letter}"
    return str(10**power)


def course(samples: Sequence[Sample], workers: int, most: int) -> str:
    """Return the course of a search over time, node rate, finished share of the limit and busy workers, from `most`
    equally spaced samples; nothing for fewer than two."""
    every = max(1, math.ceil(len(samples) / most))
    drawn = [*samples[::-1][::every][::-1]]  # always with the last one
    if len(drawn) < 2:
        return ""
    befores = [Sample(0.0, 0, 0, 0.0, 0), *drawn]
    rates = [
        (here.nodes - before.nodes) / max(1e-3, here.seconds - before.seconds)
        for before, here in zip(befores, drawn, strict=False)
    ]
    fastest = max(rates) or 1.0
    end = drawn[-1].seconds
    times = [sample.seconds / end for sample in drawn]
    lines = (
        ("l", (rate / fastest for rate in rates)),
        ("l c", (sample.share for sample in drawn)),
        ("l d", (sample.busy / max(1, workers) for sample in drawn)),
    )
    paths = "".join(f'<path class="{tone}" d="{_line(times, values)}"/>' for tone, values in lines)
    most_rate = short(fastest)
    summary = (
        f"over {clock(end)}: up to {most_rate} nodes a second, share of each limit done, and up to"
        f" {max(sample.busy for sample in drawn)} of {workers} workers busy"
    )
    base = HEIGHT - BOTTOM
    return (
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(summary)}">'
        f'<text x="{LEFT}" y="11"><tspan class="b">nodes a second</tspan> <tspan class="c">share of the limit</tspan>'
        f' <tspan class="d">busy workers</tspan></text>'
        f'<path class="g" d="M{LEFT} {TOP}H{WIDTH}M{LEFT} {base}H{WIDTH}"/>{paths}'
        f'<text x="{LEFT - 5}" y="{TOP + 4}" class="e b">{most_rate}</text>'
        f'<text x="{LEFT - 5}" y="{TOP + 17}" class="e c">100%</text>'
        f'<text x="{LEFT - 5}" y="{TOP + 30}" class="e d">{workers}</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 4}">0</text>'
        f'<text x="{WIDTH}" y="{HEIGHT - 4}" class="e">{clock(end)}</text></svg>'
    )


def _line(times: Iterable[float], values: Iterable[float]) -> str:
    """Return a path through points, coordinates 0 to 1, in whole pixels and relative steps, which take few bytes."""
    points = [
        (LEFT + round((WIDTH - LEFT - 2) * time), TOP + round((HEIGHT - TOP - BOTTOM) * (1 - value)))
        for time, value in zip(times, values, strict=True)
    ]
    (x, y), steps = points[0], ""
    for right, down in points[1:]:
        steps += f"l{right - x} {down - y}"
        x, y = right, down
    return f"M{points[0][0]} {points[0][1]}{steps}"
