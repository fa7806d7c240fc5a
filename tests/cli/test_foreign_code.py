"""Whatever a puzzle's code does, the command ends in time, in one line, with the right exit code; the next job runs."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from cases import nightly, some
from conftest import start
from samples import edited
from shared import Run

from parsolve.cli import main
from parsolve.problem.registry import load_class
from parsolve.system.activity import Activity

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("foreign_file")]

_MISBEHAVE = """
import os, re, sys, time
from parsolve import Counting

def mode():  # no global value: that would make another puzzle of it
    return os.environ.get("MODE", "")

class Odd(BaseException):
    pass

def misbehave(where):
    if not mode().startswith(where + " "):
        return
    how = mode().removeprefix(where + " ")
    if how == "loops":
        while True:
            pass
    if how == "sleeps":
        time.sleep(1000)
    if how in ("holds the lock", "cannot be ended"):
        open("begun", "w").close()  # a test waits for it
    if how == "holds the lock":  # of the interpreter, for ever: no thread of this process runs
        re.match("(a+)+b", "a" * 100)
    if how == "cannot be ended":  # by a thread of this process, once that has said why
        os._exit = lambda code: time.sleep(1000)
        time.sleep(1000)
    if how == "exits":
        sys.exit(0)
    if how == "ends the process":
        os._exit(0)
    if how == "crashes":
        os.abort()
    if how == "raises":
        raise Odd("odd")
    if how == "fails":
        raise RuntimeError("no")

misbehave("import")

"""

_RETURNS = {
    "root(self)": '{"place": 0}',
    "tables(self)": 'Tables(self.size, mode() == "rule loops")',
    "limits(self)": "range(100)",
    "steps(self, limit)": "limit",
    "counting(self, want)": "Counting(self, self.total, self.warning)",
    "total(self, weights)": "weights",
    "warning(self, workers)": '""',
    "show(self, solution)": r'"\ud800" if mode() == "show gives half a character" else "shown"',
}
"""What each method returns where it does not misbehave."""

HOOKS = tuple(method.partition("(")[0] for method in _RETURNS)


def _method(signature: str, returns: str) -> str:
    name = signature.partition("(")[0]
    nothing = 3 if name == "counting" else None  # where None is an answer
    given = f'{nothing} if mode() == "{name} gives nothing" else {returns}'
    return f'    def {signature}:\n        misbehave("{name}")\n        return {given}\n\n'


def _source() -> str:
    walk = edited("class Tables(NamedTuple):\n    size: int", "class Tables(NamedTuple):\n    size: int\n    trap: int")
    walk = edited("class Tables", _MISBEHAVE + "class Tables", walk)
    walk = edited(
        "        for step in",
        "        while tables.trap and here.place >= 2:\n            top += 0\n        for step in",
        walk,
    )
    methods = walk.index("    def root(self)"), walk.index("    @staticmethod\n    def expand")
    made = '    def __post_init__(self):\n        misbehave("__post_init__")\n\n'
    made += "".join(_method(signature, returns) for signature, returns in _RETURNS.items())
    return walk[: methods[0]] + made + walk[methods[1] :]


SOURCE = _source()

WORDS = ("solve", "foreign.py:Walk", "--quiet")


@pytest.fixture
def foreign_file(puzzle_file: Callable[..., Path]) -> Path:
    """The walk's file, `foreign.py`."""
    return puzzle_file(SOURCE, "foreign.py")


def lines_of(text: str) -> list[str]:
    """What a command says, but for where it was stopped."""
    return [line for line in text.splitlines() if not line.startswith("stopped before the end")]


@pytest.mark.parametrize("how", ["exits", "raises", "fails", "gives nothing"])
@pytest.mark.parametrize("hook", ["import", "__post_init__", *HOOKS])
def test_code_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], hook: str, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODE", "")
    assert main(WORDS) == 0
    capsys.readouterr()
    monkeypatch.setenv("MODE", f"{hook} {how}")
    sys.modules.pop(load_class("foreign.py:Walk").__module__)  # loaded once more
    code = main(WORDS)
    out, err = capsys.readouterr()
    if how == "gives nothing" and hook in ("import", "__post_init__"):
        assert code == 0
        return
    assert (code, out) == (2, "")
    (line,) = [line for line in lines_of(err) if not line.startswith(("limit", "compiling"))]
    named = {"import": "foreign.py cannot be loaded"}.get(hook, "Walk")
    assert named in line


def test_activity() -> None:
    activity = Activity()
    activity.watched = True
    assert (activity.doing, activity.job, activity.exit_code) == ("", "", None)
    assert activity.overdue < 0
    activity.allow(0.0, "time is up")
    assert activity.overdue >= 0
    activity.allow(1000.0, "time is up")
    assert -1001 < activity.overdue < -900
    activity.doing = "ä" * 2000  # cut, also in the middle of a character
    assert activity.doing.startswith("ä" * 500)
    activity.exit_code = 3
    assert activity.exit_code == 3


@pytest.mark.processes
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("mode", "workers", "culprit"),
    [
        # Workers are started while the tree is searched: what runs before has none.
        ("import loops", "1", "the import of foreign.py"),
        ("import holds the lock", "2", "the import of foreign.py"),
        ("tables sleeps", "1", "'tables' of Walk"),
        ("tables holds the lock", "2", "'tables' of Walk"),
        ("limits loops", "1", "'limits' of Walk"),
        ("show loops", "1", "'show' of Walk"),
        ("show loops", "2", "'show' of Walk"),
        ("rule loops", "1", "a rule of Walk ('expand' or 'solved'"),
        ("rule loops", "2", "a rule of Walk ('expand' or 'solved'"),
    ],
)
def test_code_that_never_returns(
    run: Run, run_process: Run, mode: str, culprit: str, workers: str, compiled: None
) -> None:
    run(*WORDS)  # its kernels are compiled then
    done = run_process(*WORDS, "--workers", workers, "--timeout", "1s", env={"MODE": mode}, code=3)
    (line,) = lines_of(done.stderr)
    assert line.startswith("parsolve: the time is up: --timeout 1 s, while ")
    assert culprit in line


@pytest.mark.processes
@pytest.mark.parametrize(
    ("mode", "code", "says"),
    [
        ("import ends the process", 4, "the process was ended by a puzzle's code, while the import of foreign.py ran"),
        nightly(("tables ends the process", 4, "the process was ended by a puzzle's code, while 'tables' of Walk ran")),
        ("tables crashes", 4, "the process was ended by SIGABRT, while 'tables' of Walk ran"),
    ],
)
def test_code_that_ends_the_process(run_process: Run, mode: str, code: int, says: str, compiled: None) -> None:
    (line,) = lines_of(run_process(*WORDS, env={"MODE": mode}, code=code).stderr)
    assert says in line


@pytest.mark.processes
@pytest.mark.parametrize(
    "mode",
    some(
        [
            *("import loops", "tables holds the lock", "rule loops", "import exits", "import ends the process"),
            *("__post_init__ exits", "root exits", "tables exits", "tables crashes", "tables raises", "total fails"),
            *("show gives half a character", "show gives nothing", "limits exits", "limits gives nothing"),
        ],
        3,
    ),
)
def test_the_next_job_of_a_batch_runs(run: Run, run_process: Run, tmp_path: Path, mode: str, compiled: None) -> None:
    want = "all" if mode.startswith("show") else "count"
    stopped = "loops" in mode or "lock" in mode
    ends_the_process = stopped or mode.endswith(("ends the process", "crashes"))
    (tmp_path / "jobs.toml").write_text(
        f'[defaults]\nwant = "{want}"\nworkers = 1\n'
        '[[job]]\nname = "before"\npuzzle = "queens"\nn = 5\n'
        '[[job]]\nname = "odd"\npuzzle = "foreign.py:Walk"\n'
        f'timeout = "{0.5 if stopped else 60}s"\n'
        '[[job]]\nname = "after"\npuzzle = "queens"\nn = 6\n'
    )
    words = ("run", "jobs.toml", "--journal", "it.sqlite", "--quiet")
    sys.modules.pop(load_class(f"{tmp_path / 'foreign.py'}:Walk").__module__)  # it misbehaves when it is imported, too
    done = (run_process if ends_the_process else run)(*words, env={"MODE": mode}, code=None)
    rows = {row["name"]: row for row in json.loads(run("status", "it.sqlite", "--json").stdout)}
    assert [rows[name]["found_so_far"] for name in ("before", "after")] == [10, 4]
    if mode.startswith("show"):  # a batch shows no solutions
        assert (done.returncode, rows["odd"]["status"]) == (0, "solved")
        return
    assert done.returncode == (3 if stopped else 4)
    assert rows["odd"]["status"] == ("stopped" if stopped else "failed")
    (line,) = lines_of(done.stderr)
    assert line.startswith("odd: ")
    assert rows["odd"]["message"] in line
    if mode == "import loops":
        assert "the time is up: --timeout 0.5 s, while the import of foreign.py ran" in line
    jobs = (tmp_path / "jobs.toml").read_text()
    (tmp_path / "jobs.toml").write_text(jobs.replace('"0.5s"', '"60s"'))  # its rules may have to be compiled
    assert run(*words).stderr == ""
    rows = {row["name"]: row for row in json.loads(run("status", "it.sqlite", "--json").stdout)}
    assert rows["odd"]["status"] == "solved"


def misbehaving(folder: Path, mode: str) -> "subprocess.Popen[str]":
    """Start the command, and wait until the puzzle's code misbehaves."""
    process = start(*WORDS, cwd=folder, env={"MODE": mode})
    until = time.monotonic() + 60
    while not (folder / "begun").exists():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    return process


@pytest.mark.processes
def test_the_process_that_works_ends_with_its_supervisor(tmp_path: Path, compiled: None) -> None:
    """Also while a puzzle's code holds the interpreter's lock."""
    process = misbehaving(tmp_path, "tables holds the lock")
    works = psutil.Process(process.pid).children()
    assert works
    process.kill()
    process.wait()
    _, left = psutil.wait_procs(works, timeout=20)
    assert not left
    process.communicate()


@pytest.mark.processes
@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("holds the lock", signal.SIGINT),
        nightly(("holds the lock", signal.SIGTERM)),
        nightly(("cannot be ended", signal.SIGINT)),
        ("cannot be ended", signal.SIGTERM),
    ],
)
def test_a_signal_ends_code_and_is_told_once(tmp_path: Path, how: str, number: int, compiled: None) -> None:
    process = misbehaving(tmp_path, f"import {how}")
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert len(err.splitlines()) == 1
