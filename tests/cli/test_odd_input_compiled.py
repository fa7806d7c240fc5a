"""Odd input of every kind: one line, exit code 2, and nothing else."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run, on_terminal
from samples import edited


def test_boards_in_ascii(run_process: Run) -> None:
    done = run_process("solve", "flipit-a", "--boards", "--want", "first", env={"PYTHONIOENCODING": "ascii"})
    assert "o" in done.stdout
    assert "●" not in done.stdout


NARROW = {
    "ascii and C": {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "strict": {"PYTHONIOENCODING": "ascii:strict"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "C": {"LC_ALL": "C"},
    "C alone": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}
"""Environments whose streams do not know every character."""


COMMANDS = (
    ("solve", "hoppers", "--boards", "--want", "first"),
    ("run", "jobs.toml", "--journal", "it.sqlite"),
    ("solve", "pég"),
    ("count", "queens", "--n", "13", "--method", "backtrack", "--workers", "1"),
    ("estimate", "five", "--time", "0.1s", "--limit", "11"),
    ("bench", "queens", "--n", "5", "--rounds", "1", "--methods", "bits", "--workers", "1"),
    ("status", "it.sqlite"),
    ("show", "it.sqlite"),
)
"""Every kind of output."""

ONE_AFTER_ANOTHER = f"""
from parsolve.cli import main
from parsolve.cli.terminal.streams import tolerate_any_text
tolerate_any_text()
with open("codes", "w") as codes:
    print([main(words) for words in {COMMANDS!a}], file=codes)
"""
"""What the command does with its streams, once for all commands: a process for each takes a second."""


@pytest.mark.nightly
@pytest.mark.processes
@pytest.mark.parametrize("env", NARROW.values(), ids=NARROW)
def test_a_terminal_that_knows_few_characters(tmp_path: Path, env: dict[str, str]) -> None:
    """Every kind of output, and the bar: no traceback, the usual exit codes, and only what the encoding has."""
    jobs = tmp_path / "jobs.toml"
    jobs.write_text('[[job]]\nname = "Läufer ● –"\npuzzle = "queens"\nn = 6\n', encoding="utf-8")
    _, out, seen = on_terminal(tmp_path, env=env, program=("-c", ONE_AFTER_ANOTHER))
    assert (tmp_path / "codes").read_text() == "[0, 0, 2, 0, 0, 0, 0, 0]\n", (out, seen)
    assert b"nodes/s" in seen
    assert b"Traceback" not in out + seen
    assert b"internal failure" not in seen
    if "PYTHONIOENCODING" in env or len(env) > 1:
        (out + seen).decode("latin-1" if "latin-1" in env.values() else "ascii")
    assert "–" in (tmp_path / "bench-queens/queens.md").read_text(encoding="utf-8")


def test_what_the_supervisor_says_in_ascii(run_process: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(edited("return Tables(self.size)", "__import__('os')._exit(7)").replace("Walk", "Wälk"))
    done = run_process("solve", "my_puzzle.py:Wälk", env={"PYTHONIOENCODING": "ascii:strict"}, code=4)
    assert "the process was ended by a puzzle's code, while 'tables' of W\\xe4lk ran" in done.stderr


@pytest.mark.processes
def test_a_warning_is_seen_with_a_log_and_without(tmp_path: Path) -> None:
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
