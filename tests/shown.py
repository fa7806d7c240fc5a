"""Commands as the documents show them."""

import re
from collections.abc import Iterator

from shared import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

ELSEWHERE = ("your-own-puzzle.md", "packages.md")
"""Pages whose tests run each command and compare what it prints."""


def runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands in a block, each with its output."""
    for part in re.split(r"^    \$ ", text, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, re.sub(r"^    ", "", output, flags=re.M)


def shown() -> Iterator[tuple[str, str]]:
    """Yield each command that is shown, without `parsolve`, and the comment behind it."""
    seen = set()
    for page in PAGES:
        for line in re.findall(r"^    (?:\$ )?(?:source <\()?parsolve (.*)$", page.read_text(), re.M):
            command, _, comment = line.partition(" #")
            command = re.split(r" [>&] | --quiet &|\)", command)[0].strip()
            if page.name not in ELSEWHERE and command not in seen:
                seen.add(command)
                yield command, comment.strip()
