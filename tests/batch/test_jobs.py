"""Job files and the commands that work on a journal."""

import csv
import io
import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from at_once import AT_ONCE, start_workers
from heard import Heard
from samples import WALK
from searching import search as solve
from shared import Run
from toys import Coins

import parsolve
from parsolve.batch.jobs import read
from parsolve.errors import BadInput, OutOfMemory
from parsolve.journal.journal import Journal
from parsolve.journal.records import Wanted
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.system.activity import current as activity
from parsolve.text import clock, duration, size

pytestmark = pytest.mark.plain

JOBS = """
[defaults]
workers = 1
[[job]]
name = "q"
puzzle = "queens"
n = [6, 7, 8]
want = "count"
[[job]]
puzzle = "hoppers"
[[job]]
name = "small"
puzzle = "sliding"
file = "rows.csv"
rename = { tiles = "start" }
shape = "2x3"
want = "count"
[[job]]
puzzle = "queens"
n = [2, 4]
method = ["bits", "backtrack"]
"""

ROWS = "id,tiles,author\na,4 5 0 1 2 3,Ann\nb,1 2 3 4 0 5,Bob\n"


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """The job file, beside the table that it names."""
    (tmp_path / "rows.csv").write_text(ROWS)
    path = tmp_path / "jobs.toml"
    path.write_text(JOBS)
    return path


def test_a_job_file(jobs: Path) -> None:
    activity.allow(1000.0)
    found = {job.name: job for job in read(jobs)}
    assert -1001 < activity.overdue < -900  # of whoever reads it
    activity.allow(None)
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
    jobs.write_text('[defaults]\nstart = "any"\n[[job]]\nname = "s"\npuzzle = "sliding"\nfile = "rows.csv"\n')
    (job,) = read(jobs)
    assert (job.name, job.puzzle) == ("s-a", Sliding("4 5 0 1 2 3"))


def test_a_table_without_a_header(jobs: Path) -> None:
    (jobs.parent / "rows.csv").write_text("1 2 3 4 5 6 7 0 8\n1 2 3 4 5 6 0 7 8\n")
    jobs.write_text("[[job]]\npuzzle='sliding'\nfile='rows.csv'\ngoal='blank-last'\n")
    assert {each.name: each.puzzle for each in read(jobs)} == {
        "sliding-1": Sliding(start="1 2 3 4 5 6 7 0 8"),
        "sliding-2": Sliding(start="1 2 3 4 5 6 0 7 8"),
    }
    (jobs.parent / "rows.csv").write_text("14-6\nany\n")
    jobs.write_text("[[job]]\npuzzle='peg21'\nfile='rows.csv'\n")
    assert [each.puzzle for each in read(jobs)] == [
        Peg("triangle21_modified", "6", "6", each) for each in ("14-6", "any")
    ]


def test_a_column_goes_before_the_defaults(jobs: Path) -> None:
    (jobs.parent / "n.csv").write_text("id,n\nsix,6\nseven,7\n")
    jobs.write_text('[defaults]\nn = [4, 5]\n[[job]]\nname = "q"\npuzzle = "queens"\nfile = "n.csv"\n')
    assert {each.name: each.puzzle for each in read(jobs)} == {"q-six": Queens(6), "q-seven": Queens(7)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[job]]\npuzzle = 'queens'\nm = 3", "job 1: there is no 'm'; there are n, method"),
        ("[[job]]\nname = 'x'\nn = 3", "job x: `puzzle` is missing"),
        ("[[job]]\npuzle = 'queens'\nn = 3", "job 1: there is no 'puzle'; did you mean puzzle?"),
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
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tiles='stert'}", "'stert'; did you mean start"),
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'\nrename={tiles=3}", "there is no parameter 3"),
        ("[[job]]\npuzzle='sliding'\nfile='rows.csv'", "no column is a parameter: the first row has id, tiles, author"),
        ("[[job]]\npuzzle='sliding'\nfile='twice.csv'", "two columns named"),
        ("[[job]]\npuzzle = 'queens'\nengine = 'both'", "gives no key"),
        ("[[job]]\npuzzle='queens'\nfile='n.csv'\nn=4", "n is given, and n.csv has a column for it: leave out one"),
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
    (jobs.parent / "n.csv").write_text("n\n5\n")
    jobs.write_text(text)
    with pytest.raises(BadInput) as raised:
        read(jobs)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_only_some_jobs(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "queens"\nname = "q"\nn = [4, 5, 6]\nwant = "count"\n')
    run_here("run", "jobs.toml", "--journal=-it.sqlite", "--only", "q-4,q-[67]")
    (tmp_path / "-it.sqlite").rename(tmp_path / "it.sqlite")
    rows = json.loads(run_here("status", "it.sqlite", "--json").stdout)
    assert [row["name"] for row in rows] == ["q-4", "q-6"]
    run_here("run", "jobs.toml", "--journal", "it.sqlite", "--only", "q-5", "--only", "q-4")
    assert len(json.loads(run_here("status", "it.sqlite", "--json").stdout)) == 3
    words = ("run", "jobs.toml", "--journal", "none.sqlite", "--max-memory", "1")
    assert "at least 1048576, not 1" in run_here(*words, code=2).stderr
    assert not (tmp_path / "none.sqlite").exists()


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
    assert "has no job 'q-?'" in run_here("forget", "it.sqlite", "q-?", "--yes", code=2).stderr
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


def test_a_batch(run_process: Run, run_here: Run, jobs: Path, compiled: None) -> None:
    run_process("run", "jobs.toml", "--journal", "night.sqlite")
    rows = json.loads(run_here("status", "night.sqlite", "--json").stdout)
    assert {row["name"]: row["found_so_far"] for row in rows} == {
        "q-6": 4,
        "q-7": 40,
        "q-8": 92,
        "hoppers": 18,
        "small-a": 4,
        "small-b": 1,
        "queens-2-bits": 0,
        "queens-2-backtrack": 0,
        "queens-4-bits": 2,
        "queens-4-backtrack": 2,
    }
    assert {row["status"] for row in rows} == {"solved", "none"}
    # Once more: nothing is left to do.
    again = run_here("run", "jobs.toml", "--journal", "night.sqlite")
    assert again.stderr == ""
    assert run_here("show", "night.sqlite", "hoppers", "--solutions").stdout == run_here("solve", "hoppers").stdout
    rows = list(csv.DictReader(io.StringIO(run_here("export", "night.sqlite").stdout)))
    assert (rows[4]["note_id"], rows[4]["note_author"], rows[3]["note_id"]) == ("a", "Ann", "")
    assert (rows[0]["parameter_n"], rows[3]["parameter_first"], rows[3]["parameter_n"]) == ("6", "0-6", "")
    # Jobs that have become others are told, and stay as they are; the rest goes on.
    jobs.write_text(JOBS.replace("[6, 7, 8]", "[6, 7, 8, 9]\nunique = true"))
    done = run_here("run", "jobs.toml", "--journal", "night.sqlite", code=4)
    assert [line for line in done.stderr.splitlines() if "name another journal" in line] == [
        f"q-{n}: night.sqlite: the job q-{n} has unique False, not True: name another journal, or `parsolve forget` it"
        for n in (6, 7, 8)
    ]
    rows = {row["name"]: row for row in json.loads(run_here("status", "night.sqlite", "--json").stdout)}
    assert (rows["q-8"]["status"], rows["q-8"]["found_so_far"]) == ("solved", 92)
    assert (rows["q-9"]["status"], rows["q-9"]["found_so_far"]) == ("solved", 46)
    # Forgotten, they are searched as the file has them now; what a journal has is not lost by the way.
    refused = run_here("forget", "night.sqlite", "hoppers", "--pattern", "q-*", code=2).stderr
    assert "nothing is forgotten: 5 jobs (q-6, q-7, q-8, …) would lose" in refused
    assert "no job 'r-*'" in run_here("forget", "night.sqlite", "q-6", "--pattern", "r-*", "--yes", code=2).stderr
    assert len(run_here("forget", "night.sqlite", "--pattern", "q-[678]", "--yes").stdout.splitlines()) == 3
    assert run_here("status", "night.sqlite", "q-9").stdout.splitlines()[-1] == "1 of 1 job done"
    assert "3 jobs (3 solved)" in run_here("run", "jobs.toml", "--journal", "night.sqlite").stderr
    # Another file altogether.
    jobs.write_text('[[job]]\nname = "hoppers"\npuzzle = "queens"\n')
    assert "name another journal" in run_here("run", "jobs.toml", "--journal", "night.sqlite", code=2).stderr


def test_a_bad_row_is_told_with_its_line_and_the_others_go_on(run_here: Run, tmp_path: Path, compiled: None) -> None:
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "b"\npuzzle = "sliding"\nfile = "rows.csv"\nshape = "2x3"\nwant = "count"\n'
    )
    rows = ["id,start", "a,1 2 3 4 0 5", "b,1 2 3 4 5", "c", "d,1 2 3 5 4 0", "e,1 2 3 4 5 0"]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n")
    done = run_here("run", "jobs.toml", "--journal", "it.sqlite", code=4)
    assert [line for line in done.stderr.splitlines() if ", line " in line] == [
        "b-b: rows.csv, line 3: sliding: start has tiles out of range: 5, missing: 0",
        "b-c: rows.csv, line 4: it has 1 column, the first row 2",
    ]
    found = json.loads(run_here("status", "it.sqlite", "--json").stdout)
    states = dict.fromkeys(("b-a", "b-e"), "solved") | dict.fromkeys(("b-b", "b-c"), "failed") | {"b-d": "none"}
    assert {row["name"]: row["status"] for row in found} == states
    assert run_here("status", "it.sqlite").stdout.splitlines()[-1].startswith("3 of 5 jobs done, 2 failed")
    # Mended, they are searched, and no other one again.
    (tmp_path / "rows.csv").write_text("\n".join([*rows[:2], "b,1 2 3 4 5 0", "c,4 1 2 0 5 3", *rows[4:]]) + "\n")
    run_here("run", "jobs.toml", "--journal", "it.sqlite")
    found = json.loads(run_here("status", "it.sqlite", "--json").stdout)
    assert [row["status"] for row in found if row["name"] in ("b-b", "b-c")] == ["solved", "solved"]


def test_too_much_memory_stops_a_search(run_process: Run, run_here: Run, compiled: None) -> None:
    words = ("count", "queens", "--n", "17", "--method", "bits", "--workers", "1", "--journal", "it.sqlite")
    done = run_process(*words, "--max-memory", "20M", code=3)
    assert "more than --max-memory" in done.stderr
    assert json.loads(run_here("status", "it.sqlite", "--json").stdout)[0]["status"] == "stopped"


@pytest.mark.processes
@pytest.mark.parametrize("workers", [1, 2])
def test_the_transposition_table_is_shed_first(workers: int, compiled: None) -> None:

    class Short(Heard):
        """Too little memory as long as the table has not been given up."""

        nodes = 0

        def progress_made(self, progress: Progress) -> None:
            self.nodes = progress.nodes

        def check(self) -> None:
            if self.nodes > 20_000 and not self.warnings:
                raise OutOfMemory("too much")

    if workers > 1:
        start_workers(workers)
    puzzle = Peg("triangle15", 0, 0, bound="none")
    short, options = Short(), {"want": "count", "workers": workers, "budget": 4000, "tuning": AT_ONCE}
    result = solve(puzzle, transposition=1 << 22, listener=short, check=short.check, **options)  # type: ignore[arg-type]
    assert (result.cost, result.count) == (10, 1362)
    assert result.iterations[-1].nodes > 900_000  # with the table it is 31,507
    assert short.warnings == ["too much: continuing without the transposition table"]

    def full() -> None:
        raise OutOfMemory("too much")

    with pytest.raises(OutOfMemory):
        solve(puzzle, transposition=0, check=full, **options)  # type: ignore[arg-type]


@pytest.mark.nightly
def test_workers_and_timeout_go_before_those_of_the_file(
    run_process: Run, run_here: Run, tmp_path: Path, compiled: None
) -> None:
    path = tmp_path / "jobs.toml"
    path.write_text(
        '[defaults]\nworkers = 3\n[[job]]\npuzzle = "queens"\nname = "long"\nn = 18\nmethod = "bits"\nwant = "count"\n'
        '[[job]]\npuzzle = "hoppers"\nworkers = 1\ntimeout = "1h"\n'
    )
    requests = {job.name: job.request for job in read(path, None, {"workers": 2, "timeout": 60.0})}
    assert (requests["long"].workers, requests["long"].timeout) == (2, 60)
    assert (requests["hoppers"].workers, requests["hoppers"].timeout) == (2, 60)
    assert [job.request.workers for job in read(path)] == [3, 1]
    run_here("count", "hoppers")  # compiles
    words = ("run", "jobs.toml", "--journal", "night.sqlite", "--quiet", "--timeout", "0.5s", "--workers", "2")
    assert "long: the time is up: --timeout 0.5 s" in run_process(*words, code=3).stderr
    rows = {row["name"]: row for row in json.loads(run_here("status", "night.sqlite", "--json").stdout)}
    assert [rows[name]["status"] for name in ("long", "hoppers")] == ["stopped", "solved"]
    records = json.loads(run_here("export", "night.sqlite", "--format", "json").stdout)
    assert [record["workers"] for record in records] == [2, 2]


def test_a_job_that_has_left_the_file_waits_no_longer(run_here: Run, tmp_path: Path, compiled: None) -> None:
    path, journal = tmp_path / "jobs.toml", tmp_path / "it.sqlite"
    path.write_text('[[job]]\npuzzle = "queens"\nn = 6\nname = "kept"\n[[job]]\npuzzle = "queens"\nname = "other"\n')
    with Journal(journal) as opened:
        opened.get_or_create([Wanted(name, "queens", {}, "count", {}) for name in ("gone", "other")])
    run_here("run", str(path), "--journal", str(journal), "--only", "kept")
    rows = json.loads(run_here("status", str(journal), "--json").stdout)
    assert {row["name"]: row["status"] for row in rows} == {"other": "waiting", "kept": "solved"}
    # Which jobs an entry stands for is not known if its puzzle's code fails.
    (tmp_path / "my.py").write_text("1 / 0")
    path.write_text(f'[[job]]\npuzzle = "{tmp_path}/my.py:Mine"\nn = [5, 6]\n')
    run_here("run", str(path), "--journal", str(journal), code=4)
    rows = json.loads(run_here("status", str(journal), "--json").stdout)
    assert {row["name"]: row["status"] for row in rows} == {"other": "waiting", "kept": "solved", "Mine": "failed"}
    (tmp_path / "my.py").write_text("from parsolve.puzzles import Queens as Mine")
    run_here("run", str(path), "--journal", str(journal))
    rows = json.loads(run_here("status", str(journal), "--json").stdout)
    assert {row["name"]: row["status"] for row in rows} == dict.fromkeys(("kept", "Mine-5", "Mine-6"), "solved")


def test_as_many_threads_search_as_the_jobs_have_workers(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(
        "import pathlib, threading\nfrom toys import Coins\n"
        "class Mine(Coins):\n    @staticmethod\n    def solved(tables, here):\n"
        "        with pathlib.Path('threads').open('a') as file:\n"
        "            file.write(threading.current_thread().name + '\\n')\n"
        "        return here.left == 0\n"
    )
    (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "my.py:Mine"\nwant = "count"\namount = {[*range(14)]}\n')
    run_here("run", "jobs.toml", "--journal", "it.sqlite", "--workers", "1")
    assert {*(tmp_path / "threads").read_text().split()} == {"MainThread", "bulk_0"}


def test_a_finished_job_is_read_until_it_is_cancelled(tmp_path: Path) -> None:
    given, cancel = list[tuple[int, ...]](), Event()
    asked: Any = {"journal": tmp_path / "it.sqlite", "slack": 0, "workers": 1}

    def take(moves: tuple[int, ...]) -> None:
        given.append(moves)
        cancel.set()

    first = parsolve.solve(Coins(5), **asked)
    stopped = parsolve.solve(Coins(5), **asked, cancel=cancel, on_solution=take)
    assert (stopped.status, stopped.message, stopped.count, given) == ("stopped", "cancelled", None, first.paths[:1])


def test_several_searches_in_one_journal(run_here: Run, tmp_path: Path, compiled: None) -> None:
    words = ("count", "queens", "--journal", "it.sqlite", "--n")
    assert run_here(*words, "6", "--name", "six").stdout == "4\n"
    assert run_here(*words, "8", "--name", "eight").stdout == "92\n"
    assert "name another journal, or the job (--name)" in run_here(*words, "7", code=2).stderr
    assert "the job six has n 6, not 8" in run_here(*words, "8", "--name", "six", code=2).stderr
    assert parsolve.solve(Queens(8), want="count", journal="it.sqlite", name="eight").nodes > 0
    assert parsolve.solve(Queens(5), want="count", journal="it.sqlite", name="five").count == 10
    found = json.loads(run_here("status", "it.sqlite", "--json").stdout)
    assert [(row["name"], row["found_so_far"]) for row in found] == [("six", 4), ("eight", 92), ("five", 10)]
    for name in ("", "a\nb"):
        assert "a text without control characters" in run_here(*words, "9", "--name", name, code=2).stderr
    assert "--name is for a --journal" in run_here("count", "queens", "--name", "it", code=2).stderr


def test_a_file_that_asks_a_finished_job_for_more(run_here: Run, tmp_path: Path) -> None:
    def searched(code: int, **settings: str) -> str:
        jobs = (f'[[job]]\nname = "{name}"\npuzzle = "toys:Coins"\n{more}\n' for name, more in settings.items())
        (tmp_path / "jobs.toml").write_text("".join(jobs))
        return run_here("run", "jobs.toml", "--journal", "it.sqlite", "--workers", "1", code=code).stderr

    searched(0, kept="", far="", other="")
    again = searched(4, kept="limit = 6", far="limit = 5", other="engine = 'both'")
    assert "far: no solution costs 5 or less: the limit that was asked for" in again
    assert "other: the job other was searched by deepening alone, not both: name another" in again
    assert "2 jobs (1 stopped, 1 failed)" in again
    assert "1 job (1 stopped)" in searched(3, far="limit = 5")
    assert "searched by deepening alone" in searched(2, other="engine = 'both'")
    assert run_here("status", "it.sqlite").stdout.count("solved") == 3


CRASHING = (
    WALK.replace('parameter(8, "places")', 'parameter(100, "places")\n    start: int = parameter(0, "where")')
    .replace("    size: int\n\n", "    size: int\n    places: np.ndarray\n\n")
    .replace('{"place": 0}', '{"place": self.start}')
    .replace("Tables(self.size)", "Tables(self.size, np.zeros(8, np.uint8))")
    .replace("range(1, 3)", "range(1, 2)")
    .replace("here.place + step", "here.place + step + tables.places[(here.place == 7) * (1 << 50)]")
    + "\n    def batch_key(self):\n        return 1 // (self.start != 8)\n"
)
"""A walk that looks at a place far beyond its table if it starts at 7."""


@pytest.mark.nightly
def test_the_job_whose_code_crashes_among_many_is_named(
    tmp_path: Path, run: Run, run_process: Run, compiled: None
) -> None:
    """Its calls are for several jobs: after the first crash each runs by itself."""
    (tmp_path / "crashing.py").write_text(CRASHING)
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "w"\npuzzle = "crashing.py:Walk"\nwant = "count"\nworkers = 1\n'
        f"start = {[*range(10, 30), 7, *range(30, 50)]}\n"
    )
    done = run_process("run", "jobs.toml", "--journal", "it.sqlite", "--quiet", code=4)
    together, alone = done.stderr.splitlines()
    assert together.startswith("jobs that are searched together: the process was ended by SIGSEGV")
    assert alone.startswith("w-7: the process was ended by SIGSEGV, while a rule of Walk")
    rows = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert {row["name"]: row["status"] for row in rows if row["status"] != "solved"} == {"w-7": "failed"}
    # One that fails before its search.
    many = f'[[job]]\nname = "w"\npuzzle = "crashing.py:Walk"\nwant = "count"\nstart = {[*range(10, 50), 8]}\n'
    (tmp_path / "jobs.toml").write_text(many)
    done = run_process("run", "jobs.toml", "--journal", "other.sqlite", "--quiet", code=4)
    *others, last = json.loads(run("status", "other.sqlite", "--json").stdout)
    assert {row["status"] for row in others} == {"solved"}
    assert (last["status"], f"w-8: {last['message']}\n") == ("failed", done.stderr)
