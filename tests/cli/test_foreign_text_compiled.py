"""Names and texts out of files, journals and puzzles: none of their control characters gets to a terminal."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from control_characters import ESC, LOUD, PLAIN, assert_clean

from parsolve.cli.terminal.streams import KEPT, Clean

pytest_plugins = ["variants"]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("solve", "my_puzzle.py:Walk"), 0),
        (("solve", "my_puzzle.py:Walk", "--boards"), 0),
        (("solve", "my_puzzle.py:Walk", "--file", "it.csv", "--boards"), 2),
        (("solve", f"my_puzzle.py:Walk:{PLAIN}"), 0),
        (("count", "my_puzzle.py:Walk", "--journal", f"{PLAIN}/it.sqlite"), 2),
        (("count", "my_puzzle.py:Walk", "--size", PLAIN), 2),
        (("count", f"{PLAIN}.py:Walk"), 2),
        (("explore", "my_puzzle.py:Walk", "--boards"), 0),
        (("estimate", "my_puzzle.py:Walk", "--time", "0.1s"), 0),
        (("describe", "my_puzzle.py:Walk"), 0),
        (("check", "my_puzzle.py:Walk"), 0),
        (("solve", "my_puzzle.py:Walk", "--help"), 0),
        (("run", "jobs.toml", "--journal", "it.sqlite"), 2),
        (("status", f"{PLAIN}.sqlite"), 2),
        ((PLAIN,), 2),
        (("count", "queens", f"--{PLAIN}"), 2),
    ],
)
def test_texts_of_a_puzzle(
    run: Run, tmp_path: Path, puzzle_file: Callable[..., Path], words: tuple[str, ...], code: int
) -> None:
    puzzle_file(LOUD)
    (tmp_path / "it.csv").write_text(f"id,size,{PLAIN}\n1,4,{ESC}\n{PLAIN},4,x\n3,{PLAIN},x\n")
    (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "my_puzzle.py:Walk"\nname = {json.dumps(PLAIN)}\n')
    done = run(*words, code=None)
    assert_clean(done.stdout, done.stderr)
    assert done.returncode == code, done.stderr


def test_every_character() -> None:
    """Escaped is what Python does not call printable, but for spaces, ends of lines and tabs."""

    def written(text: str) -> str:
        stream: Any = io.StringIO()
        Clean(stream).write(text)
        return str(stream.getvalue())

    every = [chr(code) for code in range(sys.maxunicode + 1)]
    kept = "".join(c for c in every if c.isprintable() or c in KEPT)
    assert written(kept) == kept
    assert written("".join(c for c in every if not c.isprintable() and c not in KEPT)).isprintable()
    assert all(c in "\n\t" or c.isspace() for c in KEPT)
