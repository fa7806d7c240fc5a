"""docs/your-own-puzzle.md is true: its files, changes and commands are run, and what they print is compared."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from shown import changed, runs, tutorial

import parsolve
from parsolve.cli import main
from parsolve.puzzles import Peg

DOC = ROOT / "docs" / "your-own-puzzle.md"

BLOCK = re.compile(r"^```(python|diff)\n(.*?)^```|((?:^    [^\n]*\n)+)", re.M | re.S)
"""A block of code or a change, or one of commands and their output."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each block, `python`, `diff` or `commands`, and its text."""
    for kind, code, commands in BLOCK.findall(text):
        yield kind or "commands", code or commands


@pytest.mark.nightly
def test_a_puzzle_of_your_own(
    tmp_path: Path,
    puzzle_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    files: dict[str, str] = {}
    name = pending = ""
    ran = 0
    for kind, text in blocks(DOC.read_text()):
        if kind == "python" and text.startswith("# "):
            name, _, source = text.removeprefix("# ").partition("\n")
            files[name] = source
        elif kind == "python":
            files[name] += f"\n{text}"
        elif kind == "diff":
            pending = text
        else:
            for file, source in files.items():
                puzzle_file(changed(source, pending) if pending and file == "my_puzzle.py" else source, file)
            for command, output in runs(text):
                main(shlex.split(command)[1:])
                out, err = capsys.readouterr()
                assert out + err == output, command
                ran += 1
            pending = ""
    assert ran > 20


@pytest.mark.nightly
def test_the_small_board_of_pegs() -> None:
    """Its count is that of the built-in puzzle without any bound or table."""
    rows = ["  oo  ", " oooo ", "oooooo", " oooo ", "  oo  "]
    for options in ({"engine": "deepening"}, {"engine": "breadth"}):
        puzzle = Peg("\n".join(rows), "8", "8", bound="none")
        assert parsolve.solve(puzzle, want="count", workers=1, **options).count == 1968
    assert '--rows "2 4 6 4 2" --hole 8 --quiet\n    1968\n' in DOC.read_text()


def test_it_starts_from_the_readme() -> None:
    first = next(text for kind, text in blocks(DOC.read_text()) if kind == "python")
    assert first == f"# my_puzzle.py\n{tutorial()}"
