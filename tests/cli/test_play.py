"""`parsolve play`: the keys, the lines, and a terminal that sees them."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from conftest import Run, checked

import parsolve
from parsolve.cli.terminal.stage import KEYS, Stage
from parsolve.cli.terminal.streams import encodable
from parsolve.puzzles import Peg, Sliding

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def stage_of_pegs() -> list[parsolve.Solution]:
    return parsolve.solve(Peg(first="0-6"), workers=1).solutions


def test_keys_step_through_solutions(stage_of_pegs: list[parsolve.Solution]) -> None:
    stage = Stage("hoppers", stage_of_pegs, False)
    seen = []
    for key in ("left", "right", "right", "end", "right", "down", "left", "up", "up", "home", "x", "space", "right"):
        assert stage.press(key)
        seen.append((stage.number, stage.step))
    assert seen == [
        *((0, 0), (0, 1), (0, 2), (0, 11), (0, 11), (1, 0), (1, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 1)),
    ]
    assert not stage.playing
    stage.press("end")
    stage.press("space")
    assert (stage.step, stage.playing) == (0, True)
    for _ in range(20):
        stage.tick()
    assert (stage.step, stage.playing) == (11, False)
    assert not stage.press("q")


def test_the_lines_are_the_engines_states(stage_of_pegs: list[parsolve.Solution]) -> None:
    stage = Stage("hoppers", stage_of_pegs, True)
    stage.press("end")
    lines = stage.lines(80, 24)
    assert len(lines) == 24
    assert lines[0] == "hoppers: solution 1 of 18+, step 11 of 11, cost 7"
    assert "\n".join(lines[2:7]) == stage_of_pegs[0].boards[-1]
    assert lines[8] == stage_of_pegs[0].text
    assert lines[-1] == KEYS
    for width, height in ((1, 1), (10, 3), (40, 6), (200, 5)):
        small = stage.lines(width, height)
        assert len(small) == height
        assert all(len(line) <= width for line in small)


def test_letters_that_a_terminal_lacks() -> None:
    assert encodable("●·←", "ascii") == "*.<"
    assert encodable("●", "utf-8") == "●"


def on_a_terminal(folder: Path, keys: list[bytes], *words: str, end: int = 0) -> tuple[int, str]:
    """Play on a terminal: press keys one by one; the exit code, and all that the terminal sees."""
    near_end, far_end = pty.openpty()
    termios.tcsetwinsize(far_end, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-m", "parsolve", "play", *words],
        cwd=folder,
        env=os.environ | {"TERM": "xterm", "LANG": "C.UTF-8"},
        stdin=far_end,
        stdout=far_end,
        stderr=far_end,
        start_new_session=True,
    )
    os.close(far_end)
    seen = b""

    def read_until(what: bytes) -> None:
        nonlocal seen
        until = time.monotonic() + 60
        while what not in seen:
            assert time.monotonic() < until, seen
            seen += os.read(near_end, 4096)

    read_until(b"q quit")
    for key in keys:
        os.write(near_end, key)
        time.sleep(0.05)
    if end:
        process.send_signal(end)
    try:
        while piece := os.read(near_end, 4096):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(near_end)
    return process.wait(60), seen.decode()


def test_a_terminal_sees_the_boards(tmp_path: Path) -> None:
    code, seen = on_a_terminal(tmp_path, [b"\x1bOC", b"\x1bOF", b"q"], "sliding", "--start", "1 2 3 4 0 5 7 8 6")
    assert code == 0
    assert "sliding: solution 1 of 1, step 0 of 2" in seen
    for board_line in ("1 2 3", "4 · 5", "7 8 6"):
        assert board_line in seen
    assert "Traceback" not in seen
    drawn = seen.split("q quit")[1]
    assert "·" in drawn  # the blank was drawn in other places
    assert seen.count("\x1b[?1049h") == seen.count("\x1b[?1049l") == 1  # the terminal is as it was


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    code, seen = on_a_terminal(tmp_path, [], "five", end=number)
    assert code == 128 + number
    assert seen.count("\x1b[?1049h") == seen.count("\x1b[?1049l") == 1
    assert "Traceback" not in seen


def test_solutions_of_a_journal(tmp_path: Path, run: Run) -> None:
    parsolve.solve(Sliding(start="4 5 0 1 2 3"), journal=tmp_path / "it.sqlite", workers=1)
    code, seen = on_a_terminal(tmp_path, [b"q"], "it.sqlite")
    assert (code, "step 0 of 21" in seen) == (0, True)


def test_without_a_terminal_it_is_one_line(run: Run) -> None:
    said = checked(run("play", "five", code=2), 2).stderr
    assert said.count("\n") == 1
    assert "play needs a terminal" in said
    assert "--boards" in said
