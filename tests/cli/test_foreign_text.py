"""Names and texts out of files, journals and puzzles: none of their control characters gets to a terminal."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forgery import forging
from samples import KEY, edited
from shared import Run

from parsolve.cli.terminal.streams import WRITTEN, Clean, StatusLine

pytest_plugins = ["variants"]

pytestmark = pytest.mark.plain

ESC = "\x1b[2J\x07\x9b1m\x85\u202e\u2066\u2028?"
"""It clears a terminal, rings, colours, and reverses the direction of writing."""

PLAIN = "\x1b[2J\x07\x9b1m\u202e\u2066?"
"""The same without what separates words."""

WORDS = f"""
    def show(self, solution):
        return {ESC!r}

    def show_state(self, state):
        return {ESC!r}

    def render(self, state, moves):
        return "two\\n" + {ESC!r}

    @classmethod
    def instances(cls):
        return {{{PLAIN!r}: {{"size": 4}}}}

    def exploring(self):
        from parsolve.puzzle.core import Exploring
        return Exploring(self, {PLAIN!r}, findings=lambda farthest: {{{PLAIN!r}: [{ESC!r}]}})

    def overview(self):
        return {ESC!r}
"""

LOUD = (
    edited("class Walk(Puzzle):", f"class Walk(Puzzle):\n    {'About ' + ESC + '.'!r}\n")
    .replace('"places"', repr(f"places {ESC}"))
    .replace(
        "def root(self):", f"def limits(self):\n        print({ESC!r})\n        return range(9)\n\n    def root(self):"
    )
    + WORDS
    + KEY
)
"""A puzzle each of whose texts has control characters."""


def assert_clean(*texts: str) -> None:
    """See that there are no control characters in what was printed, and that there were some."""
    for text in texts:
        assert {c for c in text if not c.isprintable()} <= {"\n", "\t"}
    assert "\\x1b" in "".join(texts)


def test_json_is_exact(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(LOUD)
    done = run("describe", "my_puzzle.py:Walk", "--json")
    # What the puzzle itself prints stands before it.
    assert json.loads(done.stdout[done.stdout.index("{") :])["overview"] == ESC


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def show(self, solution):", f"def show(self, solution):\n        raise ValueError({ESC!r})"),
        ("def root(self):", f"def root(self):\n        raise ValueError({ESC!r})"),
        ("def tables(self):", f"def __post_init__(self):\n        raise ValueError({ESC!r})\n\n    def tables(self):"),
        ("import numpy as np", f"import numpy as np\nraise ValueError({ESC!r})"),
        ("def root(self):", f"def root(self):\n        raise SystemExit({ESC!r})"),
        ("def root(self):", f"def root(self):\n        import warnings\n        warnings.warn({ESC!r})"),
    ],
)
def test_messages_of_exceptions(run: Run, puzzle_file: Callable[..., Path], old: str, new: str) -> None:
    puzzle_file(LOUD.replace(old, new))
    done = run("solve", "my_puzzle.py:Walk", code=None)
    assert_clean(done.stdout, done.stderr)


@pytest.mark.parametrize("column", ["source", "message", "notes", "parameters", "machine"])
def test_a_journal_of_somebody_else(run: Run, tmp_path: Path, puzzle_file: Callable[..., Path], column: str) -> None:
    puzzle_file(LOUD)
    run("solve", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    value = json.dumps({ESC: ESC}) if column in ("notes", "parameters", "machine") else ESC
    with forging(tmp_path / "it.sqlite") as connection:
        connection.execute(f"UPDATE job SET {column} = ?", (value,))
    for words in (
        ("status", "it.sqlite"),
        ("show", "it.sqlite"),
        ("show", "it.sqlite", "--solutions", "--boards", "--puzzle", "my_puzzle.py:Walk"),
        ("show", "it.sqlite", "--solutions"),
        ("export", "it.sqlite"),
        ("export", "it.sqlite", "--solutions"),
        ("report", "it.sqlite", "-o", "it.html"),
    ):
        done = run(*words, code=None)
        assert_clean(done.stdout, done.stderr, "\\x1b")


def test_a_table_of_somebody_else(run: Run, tmp_path: Path) -> None:
    """CSV goes out as CSV, with what is in its cells escaped; a cell of two lines keeps them."""
    (tmp_path / "it.csv").write_text(f'id,n,{PLAIN}\n"one",4,{ESC}\n', newline="")
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "queens"\nfile = "it.csv"\n')
    run("run", "jobs.toml", "--journal", "it.sqlite")
    out = run("export", "it.sqlite").stdout
    assert_clean(out)
    assert len([*csv.reader(io.StringIO(out))]) == 2


def test_a_bar_moves_the_cursor_and_what_it_says_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", Clean(terminal))
    StatusLine().show(0.5, PLAIN, "12 s left")
    shown = terminal.getvalue()
    assert shown.startswith("\r\\x1b[2J\\x07")
    assert set("\x1b\x07\x9b\u202e").isdisjoint(shown)


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
    run: Run, tmp_path: Path, puzzle_file: Callable[..., Path], words: tuple[str, ...], code: int, compiled: None
) -> None:
    puzzle_file(LOUD)
    (tmp_path / "it.csv").write_text(f"id,size,{PLAIN}\n1,4,{ESC}\n{PLAIN},4,x\n3,{PLAIN},x\n")
    (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "my_puzzle.py:Walk"\nname = {json.dumps(PLAIN)}\n')
    done = run(*words, code=None)
    assert_clean(done.stdout, done.stderr)
    assert done.returncode == code, done.stderr


def test_every_character(compiled: None) -> None:
    """Escaped is what Python does not call printable, but for spaces, ends of lines and tabs."""

    def written(text: str) -> str:
        stream: Any = io.StringIO()
        Clean(stream).write(text)
        return str(stream.getvalue())

    every = [chr(code) for code in range(sys.maxunicode + 1)]
    kept = "".join(c for c in every if c.isprintable() or c in WRITTEN)
    assert written(kept) == kept
    assert written("".join(c for c in every if not c.isprintable() and c not in WRITTEN)).isprintable()
    assert all(c in "\n\t" or c.isspace() for c in WRITTEN)
