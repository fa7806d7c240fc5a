"""What the tests ask of a report's page: its elements, and the data of its players."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import parsolve
from parsolve.report.reported import ReportedSearch, reported_result

VOID = {"meta", "input", "br", "rect", "ellipse", "line", "path"}


class Tags(HTMLParser):
    """The elements of a page with their attributes; tells whether each that was opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def data_of(text: str) -> Any:
    """The data of a page's players."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    return json.loads(found[1])


def entry(name: str, puzzle: parsolve.Puzzle) -> ReportedSearch:
    """A search of a puzzle, as a report shows it."""
    result = parsolve.solve(puzzle, workers=1)
    return reported_result(name, result, result.paths, "elsewhere")
