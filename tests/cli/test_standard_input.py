"""Standard input is read where it is asked for, and refused where something waits that nobody would read."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

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
