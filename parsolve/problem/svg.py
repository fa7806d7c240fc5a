"""Shapes as SVG: one state as a picture, a solution as an animation. No script, nothing fetched."""

import re
from collections.abc import Sequence
from html import escape

from parsolve.shapes import LETTER, TONES, Shape, extent

LIGHT = {
    "board": "#ecdcc0",
    "cell": "#f6ecd9",
    "shade": "#d9bf95",
    "hole": "#8a6a40",
    "water": "#8cc7ef",
    "mark": "#e8803a",
    "piece": "#2855b5",
    "other": "#fffdf7",
    "line": "#6b5433",
    "ink": "#2b2419",
    "on-piece": "#ffffff",
    "on-hole": "#ffffff",
}
"""The colours on a light ground: of the tones, of outlines, and of texts on cells, on pieces and on holes."""

DARK = {
    "board": "#3f3527",
    "cell": "#5a4c38",
    "shade": "#463a2a",
    "hole": "#1d1811",
    "water": "#2a6fa3",
    "mark": "#d9742f",
    "piece": "#3a6bd0",
    "other": "#f1e7d3",
    "line": "#a08a66",
    "ink": "#f5ecdc",
    "on-piece": "#ffffff",
    "on-hole": "#ffffff",
}


def _colours(colours: dict[str, str]) -> str:
    return "".join(f"--ps-{name}:{colour};" for name, colour in colours.items())


CSS = f"""\
.ps{{{_colours(LIGHT)}font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}}
@media (prefers-color-scheme:dark){{.ps{{{_colours(DARK)}}}}}
@media print{{.ps{{{_colours(LIGHT)}print-color-adjust:exact;-webkit-print-color-adjust:exact}}}}
.ps-board{{fill:var(--ps-board)}}
.ps-cell{{fill:var(--ps-cell)}}
.ps-shade{{fill:var(--ps-shade)}}
.ps-hole{{fill:var(--ps-hole)}}
.ps-water{{fill:var(--ps-water)}}
.ps-mark{{fill:var(--ps-mark);stroke:var(--ps-mark);stroke-width:0}}
.ps-piece{{fill:var(--ps-piece)}}
.ps-other{{fill:var(--ps-other);stroke:var(--ps-line);stroke-width:.04}}
.ps-line{{stroke-width:.1;stroke-linecap:round}}
.ps-text{{fill:var(--ps-ink);text-anchor:middle;dominant-baseline:central;font-weight:600}}
.ps-on-piece{{fill:var(--ps-on-piece)}}
.ps-on-other{{fill:#2b2419}}
.ps-on-hole{{fill:var(--ps-on-hole)}}
.ps-mono{{fill:var(--ps-ink);dominant-baseline:central;font-family:ui-monospace,Menlo,Consolas,monospace;white-space:pre}}
"""
"""The style of pictures, wherever they are: everything in an element of class `ps`."""

LEAST_WIDTH, MOST_WIDTH, CELL = 60, 720, 48
"""The width of a picture in pixels, at least, at most, and of a cell."""

SECONDS, REST = 0.7, 2.0
"""How long an animation shows each state, and how much longer the last."""

_ODD = re.compile("[^\\t\\n\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""What no XML document may hold."""

Box = tuple[float, float, float, float]


def element(shape: Shape, x: float = 0.0, y: float = 0.0) -> str:
    """Return a shape as markup, with its middle or beginning at a place instead of its own."""
    width, height = shape.width, shape.height
    text = escape(_ODD.sub("\N{REPLACEMENT CHARACTER}", shape.text))
    if shape.kind == "text":
        if not text:
            return ""
        place = _attributes({"x": x, "y": y, "font-size": height, "textLength": LETTER * height * len(shape.text)})
        return f'<text class="ps-mono" {place} xml:space="preserve">{text}</text>'
    place = f'class="ps-{shape.tone}"'
    if shape.kind == "line":
        ends = {"x1": x, "y1": y, "x2": x + width, "y2": y + height}
        return f'<line class="ps-{shape.tone} ps-line" {_attributes(ends)}/>'
    markup = ""
    if shape.tone == "label":
        pass
    elif shape.kind == "disc":
        markup = f"<ellipse {place} {_attributes({'cx': x, 'cy': y, 'rx': width / 2, 'ry': height / 2})}/>"
    else:
        corner = min(0.12, abs(width) / 6, abs(height) / 6) if shape.tone not in ("cell", "shade") else 0
        sides = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": corner}
        markup = f"<rect {place} {_attributes(sides)}/>"
    if not shape.text:
        return markup
    size = min(0.5 * height, 1.3 * width / max(1, len(shape.text)))
    if shape.tone == "label" and shape.kind == "disc":  # small, in a hole
        size = min(0.42 * height, size)
    ink = "hole" if shape.tone == "label" and shape.kind == "disc" else shape.tone
    middle = _attributes({"x": x, "y": y, "font-size": size})
    return f'{markup}<text class="ps-text ps-on-{ink}" {middle}>{text}</text>'


def in_order(shapes: Sequence[Shape]) -> list[Shape]:
    """Return shapes in the order in which they are drawn: by tone."""
    return sorted(shapes, key=lambda shape: TONES.index(shape.tone))


def view_of(pictures: Sequence[Sequence[Shape]]) -> Box:
    """Return the box that all of some pictures fit into, with a little room."""
    x, y, width, height = extent([shape for shapes in pictures for shape in shapes])
    room = 0.1
    return x - room, y - room, width + 2 * room, height + 2 * room


def picture(shapes: Sequence[Shape], title: str, style: bool = True) -> str:
    """Return shapes as an SVG document.

    Args:
        shapes: of one state.
        title: what it shows, in words.
        style: whether it has its style with it; without, what is around it has `CSS`.
    """
    body = "".join(element(shape, shape.x, shape.y) for shape in in_order(shapes))
    return f"{_head(view_of([shapes]), title)}{f'<style>{CSS}</style>' if style else ''}{body}</svg>"


def animation(pictures: Sequence[Sequence[Shape]], title: str) -> str:
    """Return states as an SVG document that shows one after another, without end.

    Args:
        pictures: the shapes of each state, in turn.
        title: what it shows, in words.
    """
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
    pixels = max(LEAST_WIDTH, min(MOST_WIDTH, round(CELL * width)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ps" role="img" viewBox="{_box(view)}" width="{pixels}"'
        f' height="{round(pixels * height / width)}"><title>{escape(_ODD.sub(" ", title))}</title>'
    )


def _box(view: Box) -> str:
    return " ".join(map(_number, view))


def _attributes(values: dict[str, float]) -> str:
    return " ".join(f'{name}="{_number(value)}"' for name, value in values.items())


def _number(value: float, digits: int = 3) -> str:
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
