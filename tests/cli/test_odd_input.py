"""Odd input of every kind: one line, exit code 2, and nothing else."""

import codecs
import inspect
import io
import json
import keyword
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from pathlib import Path

import pytest
from grammar import options_of
from samples import edited
from shared import Run

import parsolve
from parsolve.batch.csv_files import Rows
from parsolve.batch.jobs import OWN, SETTINGS
from parsolve.cli import main
from parsolve.cli.terminal.log import logging_to
from parsolve.cli.terminal.streams import tolerate_any_text
from parsolve.puzzle.parameters import RESERVED
from parsolve.search.request import Request

pytestmark = pytest.mark.plain


LONG = "9" * 5000
DEEP = "[" * 20_000 + "]" * 20_000
MANY = ", ".join(map(str, range(300)))


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that is refused in one line; the line."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith(("usage:", " "))]
    assert (out, len(lines)) == ("", 1), (out, err)
    assert len(lines[0]) < 1200
    return lines[0]


# Names.


def test_a_puzzle_file_in_a_deleted_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert "there is no file 'x.py'" in refused(capsys, "solve", "x.py:Walk")


def test_the_reserved_names_are_the_options_there_are() -> None:
    commands = ("solve", "count", "explore", "estimate", "check")
    names = {name for command in commands for option in options_of(command) for name in option.names}
    options = {name.removeprefix("--").replace("-", "_") for name in names - {"-h"}}
    arguments = set(inspect.signature(parsolve.solve).parameters) - {"options"}
    assert options | arguments | {*OWN, *SETTINGS, *(each.name for each in fields(Request))} == RESERVED


@pytest.mark.parametrize("name", sorted(RESERVED - {*keyword.kwlist}))
def test_a_parameter_may_not_bear_a_name_of_ours(
    puzzle_file: Callable[..., Path], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = puzzle_file(edited("    size: int", f"    {name}: int"))
    for command in ("solve", "count", "explore", "estimate", "check", "describe"):
        assert f"a parameter may not be called '{name}'" in refused(capsys, command, f"{path}:Walk")


def test_a_parameter_may_be_called_like_a_field_of_ours(
    puzzle_file: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = puzzle_file(edited("    size: int = ", "    as_json: int = 3\n    size: int = "))
    assert main(("describe", f"{path}:Walk", "--as-json", "4", "--json")) == 0
    assert capsys.readouterr().out.startswith("{")


# Numbers, nesting and files.


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'[[job]]\npuzzle = "queens"\nn = {LONG}', "is not TOML: Exceeds the limit"),
        (
            f'[[job]]\npuzzle = "queens"\nn = 0x{"f" * 5000}',
            "n is a number of at most 63 bits, not a value of type int",
        ),
        (f'[[job]]\npuzzle = "queens"\nworkers = 0x{"f" * 5000}', "workers is at most 4096, not a value of type int"),
        (f'[[job]]\npuzzle = "queens"\ntimeout = 0x{"f" * 5000}', "timeout is a number of seconds, greater"),
        (f'[[job]]\npuzzle = "queens"\ntransposition = 0x{"f" * 5000}', "transposition is at most 11529"),
        (f'[[job]]\npuzzle = "queens"\nname = {DEEP}', "is nested too deeply"),
        ('[[job]]\npuzzle = "sliding"\nstart = "\\u001b[31m"', "expected whole numbers"),
        ('[[job]]\npuzzle = "que\\u0007ens"', "puzzle is a text, not"),
        ('[[job]]\npuzzle = "sliding"\nfile = "/dev/zero"', "is not a plain file"),
        ('[[job]]\npuzzle = "é"'.encode("latin-1"), "is not TOML: 'utf-8' codec can't decode"),
        (b"\xff\xfe[\0[\0", "is not TOML"),
        (b"\0", "is not TOML"),
        # Small files that ask for much work.
        (
            f'[[job]]\npuzzle = "peg"\nvacancy = [{MANY}]\nfirst = [{MANY}]\nboard = [{MANY}]\n',
            "more than 100,000 jobs",
        ),
        ('[[job]]\npuzzle = "queens"\nfile = "many.csv"\n', "more than 100,000 jobs"),
        ('[[job]]\npuzzle = "queens"\nfile = "empty.csv"\n', "more than 65,536 lines without a row after line 0"),
        (f'[[job]]\npuzzle = "queens"\nn = [{"4," * 1_000_000}]\n', "more than 1,024 kB"),
        (f"{'a.' * 100_000}a = 1\n", "a key in it has more than 200 parts"),
        (f"x = {{ {'a.' * 1000}a = 1 }}\n", "a key in it has more than 200 parts"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_odd_job_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, says: str) -> None:
    (tmp_path / "many.csv").write_text("n\n" + "4\n" * 100_001)
    (tmp_path / "empty.csv").write_text("\n" * 100_000)
    path = tmp_path / "jobs.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert says in refused(capsys, "run", str(path), "--journal", str(tmp_path / "it.sqlite"))
    assert not (tmp_path / "it.sqlite").exists()


@pytest.mark.parametrize("where", ["/dev/zero", "/dev/null", "pipe", ".", "no", "x" * 300])
def test_files_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "pipe.py").symlink_to("pipe")
    refused(capsys, "run", where, "--journal", "it.sqlite")
    refused(capsys, "status", where)
    refused(capsys, "solve", "pipe.py:Walk")
    if where not in ("/dev/null", "no"):
        refused(capsys, "count", "queens", "--n", "6", "--log", where if where != "/dev/zero" else ".")
    if where != "no":
        refused(capsys, "count", "queens", "--n", "6", "--journal", where)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "pipe.py"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("count", "queens", "--n", LONG), "n is a whole number, not"),
        (("count", "queens", "--workers", LONG), "--workers is a whole number of at least 1, not '999"),
        (("count", "queens", "--timeout", LONG), "parsolve: --timeout: a time such as 90s, 30m or 2h, not"),
        (("count", "queens", "--max-memory", LONG), "parsolve: --max-memory: a size"),
        (("run", "x.toml", "--journal", "x.sqlite", "--timeout", "x"), "parsolve: --timeout: a time"),
        (("explore", "five", "--max-memory", "9"), "--max-memory is a whole number of at least 1048576, not 9"),
        (("solve", "eight", "--start", "\x1b[31m"), "expected whole numbers"),
        (("solve", "a\x1b[31m"), "there is no puzzle"),
        (("solve", "a%sb%(prog)s"), "there is no puzzle"),
        (("solve", "a" * 300), "there is no puzzle"),
        (("solve", f"{'a' * 300}:A"), "cannot be imported"),
        (("solve", "a\0.py:A"), "the puzzle file 'a\\x00.py' cannot be read: "),
        (("a\x1b[31m",), "there is no command"),
        (("estimate", "queens", "--limit", LONG), "limit is a whole number of at least 0, not"),
        # Digits of other scripts are no digits.
        (("count", "queens", "--n", "８"), "n is a whole number, not"),
        (("count", "queens", "--workers", "２"), "--workers is a whole number of at least 1, not"),
        (("count", "queens", "--timeout", "９s"), "a time such as 90s, 30m or 2h, not"),
        (("count", "sliding", "--start", "１ 2 3 4 5 6 7 8 0"), "expected whole numbers"),
    ],
)
def test_odd_words(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    said = refused(capsys, *words)
    assert says in said
    assert "\x1b" not in said


# Encodings.


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8", "utf-16"])
def test_any_text_on_a_stream_of_any_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True))
    tolerate_any_text()
    text = "● ○ · – … × █ é \ud800 \U0001f600"
    sys.stdout.write(text)
    written = sys.stdout.buffer.getvalue()  # type: ignore[attr-defined]
    shown = written.decode(encoding)
    assert "\\ud800" in shown
    if encoding == "ascii":
        assert shown == "* o . - ... x # \\xe9 \\ud800 \\U0001f600"
    with pytest.raises(UnicodeDecodeError):
        codecs.lookup_error("parsolve")(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "odd"))


# The log.


def test_the_log_has_events_and_warnings(run_here: Run, tmp_path: Path) -> None:
    run_here("count", "hoppers", "--engine", "deepening", "--workers", "1", "--log", "it.log")
    with logging_to(tmp_path / "it.log"):
        logging.getLogger("parsolve.compiler.cache").warning("odd\n%s", "é")
        logging.getLogger("elsewhere").warning("not ours")
    logging.getLogger("parsolve.compiler.cache").warning("too late")
    lines = [json.loads(line) for line in (tmp_path / "it.log").read_text(encoding="ascii").splitlines()]
    assert [line["event"] for line in lines] == ["log", "start", *["limit"] * 4, "end", "warning"]
    assert all(datetime.fromisoformat(line["time"]).tzinfo for line in lines)
    _, begun, limit, *_, end, warning = lines
    assert set(begun) == {"time", "event", "name", "puzzle", "parameters", "want", "workers", "process"}
    assert set(limit) == {"time", "event", "name", "limit", "nodes", "solutions", "seconds"}
    assert set(end) == {"time", "event", "name", "status", "cost", "count", "found_so_far", "nodes", "seconds"}
    assert (end["name"], end["status"], end["count"]) == ("hoppers", "solved", 18)
    assert (warning["logger"], warning["text"]) == ("parsolve.compiler.cache", "odd\né")


def test_what_nobody_foresaw_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from parsolve.cli.commands import list_ as list_command

    def broken(words: object, stops: object) -> int:
        raise AssertionError("odd\nvery odd")

    monkeypatch.setattr(list_command, "list_", broken)
    assert main(["list"]) == 4
    said = capsys.readouterr().err
    assert said == "parsolve: internal failure: AssertionError: odd very odd (PARSOLVE_DEBUG=1 shows where)\n"
    monkeypatch.setenv("PARSOLVE_DEBUG", "1")
    assert main(["list"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_a_table_of_very_many_columns_is_refused_at_once() -> None:
    """A puzzle was constructed for each of them, and each parameter."""
    tried: list[str] = []
    names = [f"column{number}" for number in range(40_000)]
    lines = (f"{','.join(each)}\n" for each in (names, ["1"] * 40_000))
    with pytest.raises(parsolve.BadInput, match="no column is a parameter"):
        Rows(lines, "wide.csv", {}, ["n"], lambda value, is_line: tried.append(value) or ())
    assert len(tried) < 1000


def test_a_job_file_does_not_show_what_is_in_other_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("secret:x:0\nmore:secret\n")
    for puzzle, name in (("cover", "file"), ("polyominoes", "board"), ("peg", "board")):
        (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "{puzzle}"\n{name} = "other.txt"\n')
        said = run("run", "jobs.toml", "--journal", "it.sqlite", code=2).stderr
        assert "secret" not in said
        assert f"{name}: other.txt is invalid" in said


@pytest.mark.parametrize(
    "env",
    [{"PYTHONIOENCODING": "ascii:strict"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}],
)
def test_boards_in_ascii(run_process: Run, env: dict[str, str], compiled: None) -> None:
    done = run_process("solve", "flipit-a", "--boards", "--want", "first", env=env)
    assert "o" in done.stdout
    assert "●" not in done.stdout


def test_what_the_supervisor_says_in_ascii(run_process: Run, puzzle_file: Callable[..., Path], compiled: None) -> None:
    puzzle_file(edited("return Tables(self.size)", "__import__('os')._exit(7)").replace("Walk", "Wälk"))
    done = run_process("solve", "my_puzzle.py:Wälk", env={"PYTHONIOENCODING": "ascii:strict"}, code=4)
    assert "the process was ended by a puzzle's code, while 'tables' of W\\xe4lk ran" in done.stderr


@pytest.mark.processes
def test_a_warning_is_seen_with_a_log_and_without(tmp_path: Path, compiled: None) -> None:
    script = """
import logging, sys
from pathlib import Path
from parsolve.cli.terminal.log import logging_to
with logging_to(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
    logging.getLogger("parsolve.compiler.cache").warning("odd")
"""
    for words in ((), (str(tmp_path / "it.log"),), ("/dev/full",)):
        done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("", "odd\n")
    assert len((tmp_path / "it.log").read_text().splitlines()) == 2
