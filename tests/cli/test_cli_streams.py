"""The command line's streams: terminals, readers that leave, and output that fails to be written."""

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from shared import Run

pytestmark = pytest.mark.processes


def on_terminal(folder: Path, *words: str) -> tuple[bytes, bytes]:
    """Run the command in a folder with stderr on a terminal: its output and what the terminal sees."""
    near_end, far_end = pty.openpty()
    termios.tcsetwinsize(far_end, (24, 100))
    command = [sys.executable, "-m", "parsolve", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=far_end)
    os.close(far_end)
    shown = b""
    try:
        while piece := os.read(near_end, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    out, _ = process.communicate(timeout=60)
    os.close(near_end)
    return out, shown


@pytest.mark.parametrize("words", ["solve eight", "count queens --n 4,5,6"])
def test_a_reader_that_has_had_enough(tmp_path: Path, words: str) -> None:
    command = f"{sys.executable} -m parsolve {words} --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    command = f"{sys.executable} -m parsolve solve hoppers --quiet >&-"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "compiling" not in line]) == 1


@pytest.mark.parametrize(
    "words", ["solve hoppers", "solve hoppers --json", "list", "help sliding", "--help", "--version"]
)
def test_a_full_disk_is_named(tmp_path: Path, words: str) -> None:
    command = f"{sys.executable} -m parsolve {words} >/dev/full"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1] == "parsolve: standard output cannot be written: No space left on device"


def test_a_terminal_sees_a_bar_over_the_batch(tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\npuzzle = "queens"\nn = [5, 6]\n[[job]]\npuzzle = "permutations"\nn = 13\nname = "{p}"\n'
        'want = "count"\nengine = "deepening"\nworkers = 1\ntimeout = "0.8s"\n'
    )
    on_terminal(tmp_path, "count", "permutations", "--engine", "deepening", "--workers", "1")  # its kernel is kept
    out, shown = on_terminal(tmp_path, "run", "jobs.toml", "--journal", "it.sqlite")
    assert b"{p}       stopped" in out
    assert b"2 of 3 jobs" in shown
    assert b"{p} " in shown
    assert b"nodes/s" in shown


def test_a_page_on_standard_output_which_is_a_file(run: Run, tmp_path: Path) -> None:
    run("solve", "five", "--journal", "it.sqlite", "--workers", "1")
    with (tmp_path / "it.html").open("w") as page:
        words = [sys.executable, "-m", "parsolve", "report", "it.sqlite", "-o", "/dev/stdout"]
        subprocess.run(words, cwd=tmp_path, stdout=page, check=True)
    assert (tmp_path / "it.html").read_text().startswith("<!DOCTYPE html>")
    assert Path("/dev/stdout").is_symlink()


# Standard input is read where it is asked for, and refused where something waits that nobody would read.


COVER = "a b c\na\nb c\na b\nc\n"


def shell(command: str, folder: Path, stdin: int | None = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
    (folder / "two.dlx").write_text(COVER)
    (folder / "board.txt").write_text("oo\noo\n")
    parsolve = f"{sys.executable} -m parsolve"
    words = ["bash", "-c", command.replace("parsolve", parsolve)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, stdin=stdin, check=False)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("parsolve count cover --file - < two.dlx", "2"),
        ("cat two.dlx | parsolve count cover --file -", "2"),
        ("parsolve count cover --file /dev/stdin < two.dlx", "2"),
        ("parsolve count cover --file <(cat two.dlx)", "2"),
        ("gzip < two.dlx | parsolve count cover --file -", "2"),
        ("parsolve count polyominoes --pieces '2*I2' --board - < board.txt", "2"),
        ("parsolve count polyominoes --pieces '2*I2' --board <(cat board.txt)", "2"),
        ("while read name; do parsolve count cover --file $name; done <<< two.dlx", "2"),
        ("while read n; do parsolve count queens; done <<< $'6\\n7'", "92"),
        ("parsolve count cover < /dev/null", "1"),
        ("parsolve count cover <&-", "1"),
        ("parsolve count sudoku --quiet < /dev/null", "1"),
    ],
)
def test_it_is_read_where_it_is_asked_for(tmp_path: Path, command: str, answer: str) -> None:
    done = shell(command, tmp_path)
    assert (done.returncode, done.stdout.split()[-1]) == (0, answer), done.stderr


def test_an_idle_pipe_is_not_waited_for(tmp_path: Path) -> None:
    process = subprocess.Popen(["sleep", "60"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert shell("parsolve count cover", tmp_path, process.stdout.fileno()).stdout == "1\n"
    process.kill()
    process.communicate()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("parsolve count cover < two.dlx", "cover: standard input has something that is not read: --file - reads it"),
        ("parsolve count sudoku < board.txt", "sudoku: standard input has something that is not read: --file - reads"),
        (
            "parsolve count two.dlx",
            "two.dlx is a file, not a puzzle: name the puzzle first, such as cover --file two.dlx",
        ),
        ("head -c 100 /dev/urandom | parsolve count cover --file -", "file: - is not a text"),
    ],
)
def test_what_nobody_would_read_is_refused(tmp_path: Path, command: str, says: str) -> None:
    done = shell(command, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
