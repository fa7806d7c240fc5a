"""Job files and the commands that work on a journal."""

import json
from pathlib import Path

import pytest
from shared import ORACLE, Run

from parsolve.batch.jobs import read
from parsolve.errors import BadInput
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.search.request import Request
from parsolve.text import clock, duration, size

pytestmark = pytest.mark.plain


def test_a_job_file(jobs: Path) -> None:
    found = {job.name: job for job in read(jobs)}
    assert list(found) == [
        *("q-6", "q-7", "q-8", "hoppers", "small-a", "small-b"),
        *("queens-2-bits", "queens-2-backtrack", "queens-4-bits", "queens-4-backtrack"),
    ]
    assert found["q-7"].puzzle == Queens(7)
    assert found["q-7"].request == Request(want="count", workers=1)
    assert found["hoppers"].puzzle == Peg(first="0-6")
    assert found["small-a"].puzzle == Sliding("4 5 0 1 2 3", "2x3")
    assert found["small-b"].notes == {"id": "b", "author": "Bob"}
    assert found["queens-4-backtrack"].puzzle == Queens(4, "backtrack")


def test_a_table_as_spreadsheets_write_it(jobs: Path) -> None:
    (jobs.parent / "rows.csv").write_text("id, start \r\na,4 5 0 1 2 3\r\n\r\n", encoding="utf-8-sig")
    jobs.write_text('[[job]]\nname = "s"\npuzzle = "sliding"\nfile = "rows.csv"\n')
    (job,) = read(jobs)
    assert (job.name, job.puzzle) == ("s-a", Sliding("4 5 0 1 2 3"))


def test_a_table_without_a_header(jobs: Path) -> None:
    (jobs.parent / "rows.csv").write_text("1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n")
    jobs.write_text("[[job]]\npuzzle='sliding'\nfile='rows.csv'\ngoal='blank-last'\n")
    found = read(jobs)
    assert [each.puzzle for each in found] == [
        Sliding(start=start) for start in ("1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8")
    ]
    assert [each.name for each in found] == ["sliding-1", "sliding-2"]


def test_korfs_puzzles(tmp_path: Path) -> None:
    (tmp_path / "korf100.csv").write_text((ORACLE / "korf100.csv").read_text())
    path = tmp_path / "jobs.toml"
    path.write_text(
        '[[job]]\nname = "korf"\npuzzle = "sliding"\nfile = "korf100.csv"\nrename = { tiles = "start" }\n'
        'goal = "blank-first"\ntimeout = "2h"\ntransposition = "none"\n'
    )
    found = read(path)
    assert len(found) == 100
    assert found[16].name == "korf-17"
    assert found[16].request.timeout == 7200
    assert found[16].request.transposition == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[job]]\npuzzle = 'queens'\nm = 3", "job 1: there is no 'm'; there are n, method"),
        ("[[job]]\nname = 'x'\nn = 3", "job x: `puzzle` is missing"),
        ("[[job]]\npuzle = 'queens'\nn = 3", "job 1: there is no 'puzle'; did you mean puzzle?"),
        ("[[job]]\nname = 'x'\nPuzzle = 'queens'", "job x: there is no 'Puzzle'; did you mean puzzle?"),
        ("[[job]]\npuzzle = 'quens'", "there is no puzzle 'quens'; did you mean queens"),
        ("[[job]]\npuzzle = 'queens'\nn = 'six'", "n is a whole number, not 'six'"),
        ("[[job]]\npuzzle = 'queens'\nn = 40", "n is 0 to 28, not 40"),
        ("[[job]]\npuzzle = 'queens'\nwant = 'some'", "want is all or count or first or any, not 'some'"),
        ("[[job]]\npuzzle = 'queens'\nworkers = 0", "workers is a whole number of at least 1, not 0"),
        ("[[job]]\npuzzle = 'queens'\ntimeout = 'soon'", "timeout: a time such as 90s, 30m or 2h, not 'soon'"),
        ("[[job]]\npuzzle = 'queens'\ntransposition = 'big'", "transposition: a size such as 500M or 8G, not 'big'"),
        ("[[job]]\npuzzle = 'queens'\nn = []", "job 1: the list n is empty"),
        ("[[job]]\npuzzle = 'queens'\nfile = 'no.csv'", "there is no file 'no.csv'"),
        ("[[job]]\npuzzle = 'queens'\n[[job]]\npuzzle = 'queens'", "there are two jobs named 'queens'"),
        ("[jobs]\npuzzle = 'queens'", "there is no 'jobs' in a job file; there are [defaults] and [[job]]"),
        ("", "there are no jobs in it"),
        ("[[job", "is not TOML"),
        ("[[job]]\npuzzle = 3", "puzzle is a text, not 3"),
        ("[[job]]\npuzzle = 'queens'\nname = ['a', 'b']", "name is a text, not ['a', 'b']"),
        ("[[job]]\npuzzle = 'queens'\nname = ''", "name is a text, not ''"),
        ("[[job]]\npuzzle = 'queens'\nn = true", "n is a whole number, not True"),
        ("[[job]]\npuzzle = 'queens'\nrename = { a = 'n' }", "`rename` is for the columns of a `file`"),
        (
            "[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tiles='stert'}",
            "no parameter 'stert'; did you mean start",
        ),
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tiles=3}", "there is no parameter 3"),
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'", "no column is a parameter: the first row has id, tiles, author"),
        ("[[job]]\npuzzle='sliding'\nfile='twice.csv'", "two columns named"),
        ("[[job]]\npuzzle = 'queens'\nengine = 'both'\nwant = 'count'", "gives no key"),
        ("[[job]]\npuzzle = 'queens'\ntransposition = '64M'", "gives no key"),
        ("job = 3", "[defaults] is one table, [[job]] a list of them"),
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tile='start'}", "no column 'tile'; did you mean tiles"),
        (
            "[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tiles='start'}\nshape='3x3'",
            "rows.csv, line 2: sliding",
        ),
    ],
)
def test_bad_job_files(jobs: Path, text: str, says: str) -> None:
    (jobs.parent / "twice.csv").write_text("start,start\n1 2 3 0,1 2 3 0\n")
    jobs.write_text(text)
    with pytest.raises(BadInput) as raised:
        read(jobs)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_words(run_here: Run, tmp_path: Path) -> None:
    assert "there is no journal night.sqlite" in run_here("status", "night.sqlite", code=2).stderr
    assert "cannot be read" in run_here("run", "jobs.toml", "--journal", "night.sqlite", code=2).stderr
    assert "required: --journal" in run_here("run", "jobs.toml", code=2).stderr
    assert "a time such as" in run_here("count", "queens", "--timeout", "-3", code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_only_some_jobs(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "queens"\nname = "q"\nn = [4, 5, 6]\nwant = "count"\n')
    run_here("run", "jobs.toml", "--journal", "it.sqlite", "--only", "q-4,q-[67]")
    rows = json.loads(run_here("status", "it.sqlite", "--json").stdout)
    assert [row["name"] for row in rows] == ["q-4", "q-6"]
    run_here("run", "jobs.toml", "--journal", "it.sqlite", "--only", "q-5", "--only", "q-4")
    assert len(json.loads(run_here("status", "it.sqlite", "--json").stdout)) == 3
    told = run_here("run", "jobs.toml", "--journal", "it.sqlite", "--only", "q-7", code=2).stderr
    assert "jobs.toml has no job 'q-7'; did you mean" in told


def test_a_name_that_is_a_pattern_of_others_is_that_job_alone(run_here: Run, tmp_path: Path) -> None:
    names = ("q*", "q-4", "q-5", "q-4,q-5")
    job = '[[job]]\npuzzle = "queens"\nwant = "count"\nn = 4\nname = "{}"\n'
    (tmp_path / "jobs.toml").write_text("".join(job.format(name) for name in names))

    def left() -> list[str]:
        return [row["name"] for row in json.loads(run_here("status", "it.sqlite", "--json").stdout)]

    run_here("run", "jobs.toml", "--journal", "it.sqlite", "--only", "q*", "--only", "q-4,q-5")
    assert left() == ["q*", "q-4,q-5"]
    run_here("run", "jobs.toml", "--journal", "it.sqlite")
    assert [row["name"] for row in json.loads(run_here("status", "it.sqlite", "q*", "--json").stdout)] == ["q*"]
    assert "--pattern 'q-?' matches 2 jobs" in run_here("forget", "it.sqlite", "q-?", "--yes", code=2).stderr
    assert "name a job" in run_here("forget", "it.sqlite", code=2).stderr
    run_here("forget", "it.sqlite", "q*", "--yes")
    assert {*left()} == {*names} - {"q*"}
    run_here("run", "jobs.toml", "--journal", "it.sqlite")
    run_here("forget", "it.sqlite", "q*", "--pattern", "q-?", "--yes")
    assert left() == ["q-4,q-5"]
    run_here("run", "jobs.toml", "--journal", "it.sqlite")
    run_here("forget", "it.sqlite", "--pattern", "q*", "--yes")
    assert left() == []


def test_units() -> None:
    assert [duration(text) for text in ("90", "1.5m", "2h", "1d")] == [90, 90, 7200, 86400]
    assert [size(text) for text in ("100", "2k", "1.5M", "8G")] == [100, 2048, 3 << 19, 8 << 30]
    assert [clock(seconds) for seconds in (1.25, 75, 3725, 100_000)] == ["1.2 s", "1:15", "1:02:05", "1 d 03:46"]
    for text in ("", "h", "1x", "nan", "-1", "1e99"):
        with pytest.raises(BadInput):
            duration(text)
        with pytest.raises(BadInput):
            size(text)
