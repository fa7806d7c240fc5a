"""Whatever a puzzle's code does, the command ends in time, in one line, with the right exit code; the next job runs."""

import sys
from pathlib import Path

import pytest
from foreign import HOOKS, WORDS, lines_of

from parsolve.cli import main
from parsolve.problem.registry import load_class
from parsolve.system.activity import Activity

pytest_plugins = ["foreign"]

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("foreign_file")]


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
