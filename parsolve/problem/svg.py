"""Shapes as SVG: one state as a picture, a solution as an animation. No script, nothing fetched."""

import math
import re
from collections.abc import Sequence
from html import escape

from parsolve.puzzle.shapes import LETTER, TONES, Shape, extent

COLOURS = {
    "board": ("#ecdcc0", "#3f3527"),
    "cell": ("#f6ecd9", "#5a4c38"),
    "shade": ("#d9bf95", "#463a2a"),
    "hole": ("#8a6a40", "#1d1811"),
    "water": ("#8cc7ef", "#2a6fa3"),
    "mark": ("#e8803a", "#d9742f"),
    "piece": ("#2855b5", "#3a6bd0"),
    "other": ("#fffdf7", "#f1e7d3"),
    "third": ("#efb23e", "#d9952f"),
    "fourth": ("#2e7d4f", "#37865a"),
    "fifth": ("#a8386b", "#b8457b"),
    "sixth": ("#a5cbe8", "#7fa8cc"),
    "line": ("#6b5433", "#a08a66"),
    "ink": ("#2b2419", "#f5ecdc"),
}
"""Colours for light and dark backgrounds: of tones, of outlines and of texts."""

LIGHT, DARK = ("".join(f"--ps-{name}:{pair[side]};" for name, pair in COLOURS.items()) for side in (0, 1))

_FONT = """font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif"""

_RULES = f"""\
{"".join(f".ps-{tone}{{fill:var(--ps-{tone})}}" for tone in TONES if tone in COLOURS)}
.ps-mark{{stroke:var(--ps-mark);stroke-width:0}}
.ps-other{{stroke:var(--ps-line);stroke-width:.04}}
.ps-line{{stroke-width:.1;stroke-linecap:round}}
.ps-text{{fill:var(--ps-ink);text-anchor:middle;dominant-baseline:central;font-weight:600}}
.ps-on-piece,.ps-on-fourth,.ps-on-fifth,.ps-on-hole{{fill:#ffffff}}
.ps-on-other,.ps-on-third,.ps-on-sixth{{fill:#2b2419}}
.ps-mono{{fill:var(--ps-ink);dominant-baseline:central;font-family:ui-monospace,Menlo,Consolas,monospace;white-space:pre}}
"""

CSS = f"""\
.ps{{{LIGHT}{_FONT}}}
@media (prefers-color-scheme:dark){{.ps{{{DARK}}}}}
@media print{{.ps{{{LIGHT}print-color-adjust:exact;-webkit-print-color-adjust:exact}}}}
{_RULES}"""
"""The style of pictures: everything in an element of class `ps`."""

_PLAIN = f".ps{{{_FONT}}}\n" + re.sub(r"var\(--ps-([\w-]+)\)", lambda found: COLOURS[found[1]][0], _RULES)
"""The same with the light colours alone, without variables, which not all programs for SVG know."""

LEAST_WIDTH, MOST_WIDTH, CELL = 60, 720, 48
"""Minimum and maximum width of a picture in pixels, and width of a cell."""

ACROSS, APART = 6, 0.5
"""States in a row of a strip, and the cells between two."""

SECONDS, REST = 0.7, 2.0
"""Seconds for which an animation shows each state, and extra seconds for the last."""

_ODD = re.compile("[^\\t\\n\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that XML forbids."""

Box = tuple[float, float, float, float]


def element(shape: Shape, x: float = 0.0, y: float = 0.0) -> str:
    """Return a shape as markup, with its middle or beginning at a given place."""
    width, height = shape.width, shape.height
    text = escape(_ODD.sub("\N{REPLACEMENT CHARACTER}", shape.text))
    if shape.kind == "text":
        if not text:
            return ""
        place = _attributes({"x": x, "y": y, "font-size": height, "textLength": LETTER * height * len(shape.text)})
        return f'<text class="ps-mono" {place} xml:space="preserve">{text}</text>'
    if shape.kind == "line":
        ends = {"x1": x, "y1": y, "x2": x + width, "y2": y + height}
        return f'<line class="ps-{shape.tone} ps-line" {_attributes(ends)}/>'
    if shape.kind == "disc":
        tag, sides = "ellipse", {"cx": x, "cy": y, "rx": width / 2, "ry": height / 2}
    else:
        corner = min(0.12, abs(width) / 6, abs(height) / 6) if shape.tone not in ("cell", "shade") else 0
        tag, sides = "rect", {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": corner}
    markup = "" if shape.tone == "label" else f'<{tag} class="ps-{shape.tone}" {_attributes(sides)}/>'
    if not shape.text:
        return markup
    in_hole = shape.tone == "label" and shape.kind == "disc"
    size = min((0.42 if in_hole else 0.5) * height, 1.3 * width / len(shape.text))
    ink = "hole" if in_hole else shape.tone
    middle = _attributes({"x": x, "y": y, "font-size": size})
    return f'{markup}<text class="ps-text ps-on-{ink}" {middle}>{text}</text>'


def in_order(shapes: Sequence[Shape]) -> list[Shape]:
    """Return shapes in drawing order: by tone."""
    return sorted(shapes, key=lambda shape: TONES.index(shape.tone))


def view_of(pictures: Sequence[Sequence[Shape]]) -> Box:
    """Return the box around all of some pictures, with a margin."""
    x, y, width, height = extent([shape for shapes in pictures for shape in shapes])
    room = 0.1
    return x - room, y - room, width + 2 * room, height + 2 * room


def picture(shapes: Sequence[Shape], title: str, style: bool = True) -> str:
    """Return the shapes of one state as an SVG document, with its style unless the surrounding page has `CSS`."""
    body = "".join(element(shape, shape.x, shape.y) for shape in in_order(shapes))
    return f"{_head(view_of([shapes]), title)}{f'<style>{CSS}</style>' if style else ''}{body}</svg>"


def strip(pictures: Sequence[Sequence[Shape]], title: str) -> str:
    """Return an SVG document with the shapes of all states side by side, in rows."""
    left, top, width, height = view_of(pictures)
    wide, high = width + APART, height + APART
    body = "".join(
        f'<g transform="translate({_number(number % ACROSS * wide)} {_number(number // ACROSS * high)})">'
        + "".join(element(shape, shape.x, shape.y) for shape in in_order(shapes))
        + "</g>"
        for number, shapes in enumerate(pictures)
    )
    across, down = min(ACROSS, len(pictures)), math.ceil(len(pictures) / ACROSS)
    view = left, top, across * wide - APART, down * high - APART
    return f"{_head(view, title)}<style>{_PLAIN}</style>{body}</svg>"


def animation(pictures: Sequence[Sequence[Shape]], title: str) -> str:
    """Return an SVG document that shows the shapes of one state after another, in a loop."""
    total = SECONDS * len(pictures) + REST
    times: dict[Shape, list[int]] = {}
    for number, shapes in enumerate(pictures):
        for shape in shapes:
            times.setdefault(shape, []).append(number)
    body = []
    for shape in in_order(list(times)):
        markup, shown = element(shape, shape.x, shape.y), times[shape]
        if len(shown) == len(pictures):
            body.append(markup)
            continue
        keys, values = ["0"], ["visible" if 0 in shown else "hidden"]
        for number in range(1, len(pictures)):
            value = "visible" if number in shown else "hidden"
            if value != values[-1]:
                keys.append(_number(SECONDS * number / total, 5))
                values.append(value)
        animate = (
            f'<animate attributeName="visibility" dur="{_number(total)}s" repeatCount="indefinite" calcMode="discrete"'
            f' keyTimes="{";".join(keys)}" values="{";".join(values)}"/>'
        )
        body.append(f'<g visibility="{values[0]}">{markup}{animate}</g>')
    return f"{_head(view_of(pictures), title)}<style>{CSS}</style>{''.join(body)}</svg>"


def _head(view: Box, title: str) -> str:
    _, _, width, height = view
    box = " ".join(map(_number, view))
    pixels = max(LEAST_WIDTH, min(MOST_WIDTH, round(CELL * width)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ps" role="img" viewBox="{box}" width="{pixels}"'
        f' height="{round(pixels * height / width)}"><title>{escape(_ODD.sub(" ", title))}</title>'
    )


def _attributes(values: dict[str, float]) -> str:
    return " ".join(f'{name}="{_number(value)}"' for name, value in values.items())


def _number(value: float, digits: int = 3) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
