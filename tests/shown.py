"""Commands as the documents show them."""

import re
from collections.abc import Iterator
from pathlib import Path

from shared import ORACLE, ROOT, write_puzzle

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


def changed(source: str, change: str) -> str:
    """Return a source after a change, a diff without line numbers."""
    old, new = ("".join(f"{line[1:]}\n" for line in change.splitlines() if line[0] in signs) for signs in (" -", " +"))
    assert source.count(old) == 1, f"it is not there: {old}"
    return source.replace(old, new)


def tutorial() -> str:
    """The README's puzzle, Lights Out."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    return next(block for block in blocks if "class LightsOut" in block)


JOBS = """
[[job]]
name = "korf"
puzzle = "sliding"
file = "korf100.csv"
rename = { tiles = "start" }
goal = "blank-first"
"""


def prepare(folder: Path) -> None:
    """Write the files that the commands name into a folder; `run jobs.toml` makes the journal."""
    write_puzzle(folder / "my_puzzle.py", tutorial())
    (folder / "my_board.txt").write_text("  o o\no o o o\no o o o\n  o o\n")
    (folder / "jobs.toml").write_text(JOBS)
    rows = (ORACLE / "korf100.csv").read_text().splitlines()
    (folder / "korf100.csv").write_text("\n".join([rows[0], rows[12], rows[17]]))
    cover, peg = ((ROOT / "docs" / page).read_text() for page in ("cover.md", "peg.md"))
    grid = re.search(r"--grid (\S+)", cover)
    assert grid
    (folder / "grids.txt").write_text(f"{grid[1]}\n")
    for name, drawing in re.findall(r"`(\w+\.txt)`:\n\n```\n(.*?)```", peg + cover, re.S):
        (folder / name).write_text(drawing)
