"""Names and texts out of files, journals and puzzles: none of their control characters gets to a terminal."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from control_characters import ESC, LOUD, PLAIN, assert_clean
from forgery import forging
from shared import Run

from parsolve.cli.terminal.bar import Bar
from parsolve.cli.terminal.streams import Clean

pytestmark = pytest.mark.plain


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
    bar = Bar()
    bar.show(0.5, [PLAIN], ["12 s left"])
    Bar.write("a line", file=sys.stderr)
    bar.close()
    shown = terminal.getvalue()
    assert shown.count("\r\\x1b[2J\\x07") == 2
    assert f"\r{' ' * 79}\ra line\n\r\\x1b" in shown  # erased, and drawn again
    assert set("\x1b\x07\x9b\u202e").isdisjoint(shown)
