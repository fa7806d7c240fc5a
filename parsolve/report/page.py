"""A page: one HTML file with its style, its script and its data, which fetches nothing."""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from parsolve.problem.svg import CSS

_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<\u2028\u2029"}
"""Characters that must be escaped in a page's data: they would end the data, or a line of the script."""


def escape(text: object) -> str:
    """Return any text escaped for a page, and for an attribute in double quotes."""
    return html.escape(str(text).encode("utf-8", "replace").decode())


def as_data(data: Any) -> str:
    """Return plain data as JSON for a script element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPES)


def facts(rows: Sequence[tuple[str, object]]) -> str:
    """Return names and values as a list."""
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(value)}</dd>' for name, value in rows)}</dl>"


def page(title: str, body: str, data: Any = None, definitions: str = "", small: bool = False) -> str:
    """Return a whole page.

    Args:
        title: its title; escaped here.
        body: its markup.
        data: data of its players; None for none.
        definitions: the markup of the shapes that the players use.
        small: whether it is part of another page.
    """
    script = "" if data is None else _file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Nothing is fetched, and no other script runs, whatever texts are in the page.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{_file('page.css')}{CSS}</style></head>",
        f"<body class={'small' if small else 'whole'}>{body}",
    ]
    if data is not None:
        parts.append(f'<svg width="0" height="0" aria-hidden="true" class="ps"><defs>{definitions}</defs></svg>')
        parts.append(f'\n<script type="application/json" id="data">{as_data(data)}</script>\n<script>{script}</script>')
        parts.append("<noscript><p>The player needs a script, which this browser does not run.</p></noscript>")
    return "".join(parts) + "</body></html>\n"


def _file(name: str) -> str:
    return files("parsolve.report").joinpath(name).read_text(encoding="utf-8")
