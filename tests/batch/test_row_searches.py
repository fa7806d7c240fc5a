"""Searches of many rows: `parsolve solve|count PUZZLE --file`, and several values of parameters."""

import csv
import io
import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from samples import edited

from parsolve import solve
from parsolve.batch.csv_files import LONGEST, Row, Rows, short_lines
from parsolve.batch.jobs import read
from parsolve.errors import BadInput
from parsolve.puzzles import Sliding
from parsolve.puzzles.sudoku.sudoku import EXAMPLE

HARD = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
"""A 15-puzzle that takes minutes."""


def table(text: str) -> list[list[str]]:
    """The lines of a result by their columns."""
    return [line.split("\t") for line in text.splitlines()]


@pytest.fixture
def queens(tmp_path: Path) -> Path:
    path = tmp_path / "queens.csv"
    path.write_text("# some boards\nid,n,status\na,6,Ann\n\nb b,2,Bob\n#\nc,8,\n")
    return path


def test_a_record_of_csv_for_each_solution(run_here: Run, queens: Path) -> None:
    done = run_here("solve", "queens", "--file", queens.name, "--csv", code=1)
    rows = [*csv.DictReader(done.stdout.splitlines())]
    assert [row["id"] for row in rows] == ["a"] * 4 + ["b b"] + ["c"] * 92
    solved = [f"{each['status']} {each['solutions']} {each['note_status']}" for each in rows]
    assert list(dict.fromkeys(solved)) == ["solved 4 Ann", "none 0 Bob", "solved 92 "]
    listed = run_here("solve", "queens", "--n", "8").stdout.splitlines()
    assert [row["solution"] for row in rows[5:]] == listed
    assert rows[4]["solution"] == ""


@pytest.mark.mission
def test_results_are_those_of_the_library(run_here: Run, tmp_path: Path) -> None:
    chance = random.Random(5)
    boards = [Sliding(chance.sample(range(6), 6)) for _ in range(12)]
    assert {board.unsolvable() for board in boards} == {"", Sliding("1 2 3 5 4 0").unsolvable()}
    (tmp_path / "rows.csv").write_text("start\n" + "".join(f"{board.start}\n" for board in boards))
    objects = [
        json.loads(line)
        for line in run_here("solve", "five", "--file", "rows.csv", "--json", code=1).stdout.splitlines()
    ]
    for board, each in zip(boards, objects, strict=True):
        alone = solve(board, workers=1)
        assert each["parameters"]["start"] == board.start
        assert (each["cost"], each["count"], each["nodes"]) == (alone.cost, alone.count, alone.nodes)
        assert each["solutions"] == [solution.to_dict() for solution in alone.solutions]
    counted = run_here("count", "five", "--file", "rows.csv", code=1).stdout
    assert [row[1:4] for row in table(counted)[1:]] == [
        ["-" if each[key] is None else str(each[key]) for key in ("cost", "count", "nodes")] for each in objects
    ]


def test_options_hold_for_all_rows_and_a_column_is_over_an_instances_own(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("n\n6\n8\n")
    assert [row[2] for row in table(run_here("count", "queens", "--file", "rows.csv", "--unique").stdout)[1:]] == [
        "1",
        "12",
    ]
    (tmp_path / "rows.csv").write_text("start\n1 2 3 4 5 6 7 0 8\n8 6 7 2 5 4 3 0 1\n")
    done, stopped = table(run_here("count", "eight", "--file", "rows.csv", "--limit", "26", code=3).stdout)[1:]
    assert (done[1:3], stopped[1:3], int(stopped[3]) > 0) == (["1", "1"], ["-", "-"], True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--file queens.csv --n 6", "--n is given, and queens.csv has a column for it"),
        ("--rename n=n", "--rename is for the columns of a --file, which is missing"),
        ("--file queens.csv --rename status=n", "queens.csv has two columns named 'n'"),
        ("--file queens.csv --engine both --method backtrack", "gives no key, which breadth-first search needs"),
        ("--file other.csv", "other.csv: no column is a parameter: the first row has id, size; name the columns there"),
        ("--file empty.csv --rename size=n", "empty.csv has no rows"),
        ("--file latin.csv", "latin.csv cannot be read: it is not text in UTF-8, save it as such"),
        ("--file \0.csv", "cannot be read: embedded null byte"),
    ],
)
def test_refusals(run_here: Run, queens: Path, words: str, says: str) -> None:
    (queens.parent / "other.csv").write_text("id,size\na,6\n")
    (queens.parent / "empty.csv").write_text("")
    (queens.parent / "latin.csv").write_bytes("n,name\n6,é\n".encode("latin-1"))
    done = run_here("count", "queens", *words.split(" "), code=2)
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("usage", " "))]
    assert len(lines) == 1
    assert says in lines[0]


@pytest.mark.nightly
def test_the_time_ends_the_whole(run_here: Run, tmp_path: Path) -> None:
    easy = f"1 0 {' '.join(map(str, range(2, 16)))}"
    (tmp_path / "rows.csv").write_text(f"id,start\neasy,{easy}\nhard,{HARD}\nx,{HARD}\n")
    run_here("count", "sliding", "--start", easy, "--goal", "blank-first", "--bound", "none")  # compiles
    for form in ((), ("--json",)):
        words = ("count", "sliding", "--file", "rows.csv", "--goal", "blank-first", "--bound", "none", *form)
        done = run_here(*words, "--timeout", "1s", "--workers", "1", code=3)
        lines = done.stdout.splitlines()
        assert len(lines) == (1 if form else 2)
        assert (json.loads(lines[0])["count"] if form else int(lines[1].split("\t")[2])) == 1
        stopped, why = [line for line in done.stderr.splitlines() if "compiling" not in line]
        assert stopped == "stopped before the end: 1 of 3 rows done (1 solved)"
        assert why == "parsolve: the time is up: --timeout 1 s"


@pytest.mark.processes
def test_a_pipe_is_searched_as_it_comes(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "parsolve", "count", "queens", "--file", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("n\n6\n")
    assert process.stdout.readline() == "row\tcost\tsolutions\tnodes\tseconds\n"
    assert process.stdout.readline().startswith("1\t-\t4\t")  # and the next row is not yet there
    process.stdin.write("8\n")
    assert process.stdout.readline().startswith("2\t-\t92\t")
    process.send_signal(signal.SIGINT)  # while it waits for more
    assert process.wait(20) == 130
    out, err = process.communicate()
    assert out == ""
    assert err.splitlines()[-1] == ("stopped before the end: 2 rows done (2 solved), more may follow")


# Files without a header.


def test_columns_without_names_are_notes(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "grids.txt").write_text(f"{EXAMPLE};11.9;GP\n{EXAMPLE}\n{EXAMPLE};7;A;B\n")
    done = run_here("count", "sudoku", "--file", "grids.txt", "--json")
    notes = [json.loads(line)["notes"] for line in done.stdout.splitlines()]
    assert notes == [{"column 2": a, "column 3": b} for a, b in (("11.9", "GP"), ("", ""), ("7", "A"))]


def test_a_line_without_a_grid_is_told(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "grids.txt").write_text(f"a {EXAMPLE}\nb\nc {EXAMPLE[:-1]}\n{EXAMPLE} d\n")
    done = run_here("count", "sudoku", "--file", "grids.txt", code=2)
    assert "grids.txt, line 2: it has 1 column, the first row 2" in done.stderr
    assert "grids.txt, line 3: sudoku: the grid has 81 cells, not 80" in done.stderr
    assert "grids.txt, line 4: sudoku: the grid has 81 cells, not 1" in done.stderr


def test_a_line_that_may_be_several_parameters_is_none(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n")
    words = ("count", "sliding", "--file", "boards.txt")
    assert "boards.txt may have start in column 1 or goal in column 1: name" in run_here(*words, code=2).stderr
    assert [row[1] for row in table(run_here(*words, "--goal", "blank-last").stdout)[1:]] == ["1", "2"]


def test_a_parameter_that_takes_any_text_needs_a_header(
    run_here: Run, tmp_path: Path, puzzle_file: Callable[..., Path]
) -> None:
    puzzle_file(edited('size: int = parameter(8, "places")', 'size: int = parameter(8, "places")\n    by: str = ""'))
    (tmp_path / "names.txt").write_text("Ann\nBob\n")
    words = ("count", "my_puzzle.py:Walk", "--file")
    assert "no column is a parameter: the first row has Ann" in run_here(*words, "names.txt", code=2).stderr
    (tmp_path / "sizes.txt").write_text("8\n6\n")
    assert [row[1] for row in table(run_here(*words, "sizes.txt").stdout)[1:]] == ["2", "2"]


# Reading rows.


def rows_of(text: str, **rename: str) -> Rows:
    return Rows(short_lines(io.StringIO(text, newline="")), "it.csv", rename, ("n", "method"))


def test_rows() -> None:
    rows = rows_of('size,who\r\n 6,"a\n# b"\r\n\r\n# 7,c\r\n#8,d\r\n', size="n")
    assert rows.header.given == ["n"]
    assert list(rows) == [
        Row(1, "it.csv, line 2", "1", {"n": " 6"}, {"who": "a\n# b"}),
        Row(2, "it.csv, line 6", "2", {"n": "#8"}, {"who": "d"}),
    ]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"n";"who"\n"6";"a;b"\n', [{"n": "6", "who": "a;b"}]),
        ('who;n\na;"6,7"\n', [{"who": "a", "n": "6,7"}]),
        ('"the\nname"\t n\n"a""\tb"\t6\n', [{"the\nname": 'a"\tb', "n": "6"}]),
        ("who;n\na,b;6\n", [{"who": "a,b", "n": "6"}]),
    ],
)
def test_semicolons_and_tabs_with_quotes(text: str, rows: list[dict[str, str]]) -> None:
    assert [row.parameters | row.notes for row in rows_of(text)] == rows


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('n,x\n6,"a\n7,b\n8,c\n', "it.csv cannot be read beyond line 4: unexpected end of data"),
        ('n,x\n6,"a" b\n', "it.csv cannot be read beyond line 2: ',' expected after '\"'"),
        (f"n\n{'6' * (LONGEST + 1)}\n", "a line has more than 1,048,576 characters"),
        (f"n\n{'6' * 200_000}\n", "it.csv cannot be read beyond line 2: field larger than field limit (131072)"),
    ],
    ids=["open quote", "text behind a quote", "long line", "long value"],
)
def test_what_is_no_csv(text: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        list(rows_of(text))
    assert says in str(raised.value)


def test_an_id_that_a_terminal_would_obey() -> None:
    (row,) = rows_of("id,n\na\x1b[2J,6\n")
    assert row.label == "1"
    assert row.error == "its id 'a\\x1b[2J' has control characters"


@pytest.mark.parametrize(
    "text", ["[1, 2, 3, 4, 0, 5, 7, 8, 6]", "[[1,2,3],[4,_,5],[7,8,6]]", "1 2 3\n4 . 5\n7 8 6", "1 2 3 | 4 x 5 | 7 8 6"]
)
def test_boards_as_people_write_them(run_here: Run, tmp_path: Path, text: str) -> None:
    assert Sliding(text).start_tiles == [1, 2, 3, 4, 0, 5, 7, 8, 6]
    (tmp_path / "rows.csv").write_text(f'start\n"{text}"\n1 2 3 4 0 5 7 8 6\n')
    found = run_here("count", "sliding", "--file", "rows.csv").stdout
    assert [row[1:4] for row in table(found)[1:]] == [["2", "1", "3"]] * 2


def test_a_list_of_cells_or_rows_in_a_job_file_is_a_board(tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "one"\npuzzle = "sliding"\nstart = [1, 2, 3, 4, 0, 5, 7, 8, 6]\n'
        '[[job]]\nname = "two"\npuzzle = "sliding"\nstart = [[1, 2, 3, 4, 0, 5, 7, 8, 6], "1 2 3 4 5 6 7 0 8"]\n'
        '[[job]]\nname = "rows"\npuzzle = "sliding"\nstart = [[1, 2, 3], [4, 0, 5], [7, 8, 6]]\n'
        '[[job]]\nname = "lines"\npuzzle = "sliding"\nstart = ["1 2 3", "4 _ 5", "7 8 6"]\n'
    )
    one, two = "1 2 3 4 0 5 7 8 6", "1 2 3 4 5 6 7 0 8"
    jobs: list[Any] = read(tmp_path / "jobs.toml")
    boards = {job.name: " ".join(map(str, job.puzzle.start_tiles)) for job in jobs}
    assert boards == {"one": one, f"two-{one}": one, f"two-{two}": two, "rows": one, "lines": one}
