"""The examples of README, docs/library.md and docs/your-own-puzzle.md are true: files, changes and commands."""

import doctest
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT, Run
from shown import changed, runs, tutorial

import parsolve
from parsolve.cli import main
from parsolve.puzzles import Peg

DOC = ROOT / "docs" / "your-own-puzzle.md"
README = (ROOT / "README.md").read_text()

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


def test_the_python_examples() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried) == (0, 4)


@pytest.mark.nightly
def test_the_library_page() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "library.md"), module_relative=False)
    assert failed == 0
    assert tried > 10


def test_the_tutorial(run: Run, puzzle_file: Callable[..., Path]) -> None:
    source = tutorial()
    assert len(source.splitlines()) <= 40
    puzzle_file(source)
    examples = re.findall(r"\$ parsolve (\w+) (my_puzzle\.py:LightsOut) --size (\d)\n    (.*)\n", README)
    assert len(examples) == 2
    for command, name, size, answer in examples:
        assert run(command, name, "--size", size).stdout == answer + "\n"
    # The four solutions on 5 × 5 are known: M. Anderson and T. Feil, Turning lights out with linear algebra, 1998.
    assert run("count", "my_puzzle.py:LightsOut", "--size", "5").stdout == "4\n"
    assert run("check", "my_puzzle.py:LightsOut").stdout.startswith("0 faults")


def test_the_quick_start_is_two_commands() -> None:
    start = README.split("## Quick start")[1].split("\n\n")[1]
    assert [line.strip() for line in start.splitlines()] == ["./scripts/try", "./scripts/test"]
