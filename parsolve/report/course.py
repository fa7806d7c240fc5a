"""The course of a search as one small chart: node rate, finished share of the limit and busy workers over time."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from parsolve.report.charts import BOTTOM, HEIGHT, LEFT, TOP, WIDTH
from parsolve.search.samples import Sample
from parsolve.text import clock, short


def course(samples: Sequence[Sample], workers: int, most: int) -> str:
    """Return the course of a search as SVG, from `most` equally spaced samples; nothing for fewer than two."""
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
