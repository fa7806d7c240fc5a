"""`parsolve bench`: tables, data and plots of what was timed, what is skipped, and what is refused."""

import itertools
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from cases import nightly
from conftest import Run, start

from parsolve.bench.markdown import spread
from parsolve.bench.queens_benchmark import KERNEL_ALONE, Case, QueensBenchmark, methods_of_queens, pinned
from parsolve.bench.queens_tables import Reference, tables, write
from parsolve.bench.sizes import size_for
from parsolve.errors import ParsolveError
from parsolve.puzzles.queens.queens import KNOWN
from parsolve.system.hardware import busy


def bench(**more: object) -> QueensBenchmark:
    settings = {"sizes": [6, 8], "methods": ["bits", "mirror"], "workers": [1, 2], "rounds": 2, "limit": 60.0}
    return QueensBenchmark(**(settings | {"log": lambda _: None, "check": lambda: None} | more))  # type: ignore[arg-type]


@pytest.mark.parametrize("methods", [["mirror"], nightly((methods_of_queens(),))])
def test_every_cell_is_measured_in_turns(methods: list[str]) -> None:
    made = bench(methods=methods)
    made.run()
    assert set(made.measurements) == {Case(*each) for each in itertools.product(methods, [6, 8], [1, 2, KERNEL_ALONE])}
    assert all(len(each.seconds) == 2 and min(each.seconds) > 0 for each in made.measurements.values())
    for each in made.as_data():
        assert (each["min"], each["max"]) == (min(each["seconds"]), max(each["seconds"]))
        assert each["min"] <= each["median"] <= each["max"]
        assert each["solutions"] == KNOWN[each["n"]]
        assert {"processor", "cores", "python", "numba", "parsolve"} <= set(each["machine"])
    commands = {each["command"] for each in made.as_data()}
    assert "parsolve count queens --n 8 --method mirror --workers 2" in commands
    assert "the kernel of `parsolve count queens --n 8 --method mirror` alone" in commands


def test_speed_ups_are_ratios_of_medians() -> None:
    made = bench()
    for cell, measurement in made.measurements.items():
        one = {KERNEL_ALONE: 2.0, 1: 3.0, 2: 2.0}[cell.workers]
        measurement.seconds = [one, one, 100.0, one / 2, one]
    assert made.speed_up(Case("bits", 8, 2), 1) == 1.5
    assert made.speed_up(Case("bits", 8, 2), KERNEL_ALONE) == 1.0
    assert "1.50 (75%), 1.00 (50%)" in tables(made)
    assert tables(made).count("**3** (1.5 – 100)") == 4


@pytest.mark.nightly
def test_what_takes_too_long_is_skipped_and_shown_so() -> None:
    made = bench(sizes=[4, 15, 16], methods=["backtrack", "quadrants"], workers=[1], rounds=1, limit=1.0)
    made.run()
    assert made.measurements[Case("backtrack", 4, 1)].spread
    for n, workers in itertools.product((15, 16), (1, KERNEL_ALONE)):
        assert not made.measurements[Case("backtrack", n, workers)].spread
        assert made.measurements[Case("quadrants", n, workers)].spread
    assert tables(made).count("> 1, skipped") == 4
    skipped = [each for each in made.as_data() if "skipped_after" in each]
    assert len(skipped) == 4
    page = Reference("the page", 15, {"backtrack": "8.96"})
    assert "| the page, n = 15 |" in tables(made, page)
    assert "8.96" in tables(made, page)
    assert "the page" not in tables(made) + tables(bench(), page)


def test_a_benchmark_that_is_stopped_says_what_its_medians_are_of() -> None:
    made = bench(rounds=50)
    assert "Seconds; nothing has been measured." in tables(made)
    assert not any({"median", "skipped_after"} & set(each) for each in made.as_data())
    for measurement in made.measurements.values():
        measurement.seconds = [1.0] * 21
    assert "Seconds; medians of 21 rounds (least – greatest); stopped before the end of 50 rounds." in tables(made)
    assert "21 rounds |" not in tables(made)
    made.measurements[Case("bits", 6, 1)].seconds.append(3.0)
    assert "medians of 21 to 22 rounds (least – greatest); stopped before the end of 50 rounds" in tables(made)
    assert tables(made).count("**1** (1 – 1), 21 rounds") == 11
    assert tables(made).count("**1** (1 – 3), 22 rounds") == 1
    assert sorted({each["rounds"] for each in made.as_data()}) == [21, 22]
    for measurement in made.measurements.values():
        measurement.seconds = [1.0] * 50
    assert "Seconds; medians of 50 rounds (least – greatest).\n" in tables(made)


def test_a_count_in_which_not_all_workers_took_part_is_marked() -> None:
    made = bench(methods=["bits"], sizes=[6])
    made.run()
    assert made.measurements[Case("bits", 6, 2)].took_part == 1
    assert ", 1 of 2 workers" in tables(made)
    assert "| bits | 2 workers | too short to tell |" in tables(made)
    assert "too short to tell what more workers do: --seconds 5" in tables(made)
    assert {each["took_part"] for each in made.as_data()} == {1}


def test_one_round_with_fewer_workers_is_too_short_to_tell() -> None:
    class Starting(QueensBenchmark):
        took_part = iter([2, 1, 2])

        def _timed(self, case: Case) -> tuple[int, float, int]:
            return KNOWN[case.n], 0.05, next(self.took_part) if case.workers == 2 else 1

    made = Starting([8], ["bits"], [1, 2], 3, 60.0, lambda _: None, lambda: None)
    made.run()
    assert made.measurements[Case("bits", 8, 2)].took_part == 1
    assert "| bits | 2 workers | too short to tell |" in tables(made)


@pytest.mark.parametrize(
    ("seconds", "factor", "size"), [(1e-9, 7.0, 8), (0.05, 7.0, 13), (5.0, 7.0, 16), (5.0, 10.0, 14), (1e9, 7.0, 25)]
)
def test_the_size_that_takes_about_so_long(seconds: float, factor: float, size: int) -> None:
    """A count takes 2 microseconds for 8 queens, and a factor more for each further one."""
    asked: list[int] = []

    def timed(n: int) -> float:
        asked.append(n)
        return float(2e-6 * factor ** (n - 8))

    assert size_for(seconds, timed) == size
    assert all(2e-6 * factor ** (n - 8) <= 0.1 * factor for n in asked)


def test_sizes_by_seconds() -> None:
    made = bench(methods=["bits", "mirror"], seconds=0.01, rounds=1)
    made.run()
    assert {case.method for case in made.measurements} == {"bits", "mirror"}
    assert all(len(made.measurements[case].seconds) == 1 for case in made.measurements)
    assert len({(case.method, case.n) for case in made.measurements}) == 2
    assert set(made.conditions[0]) >= {"date"}
    assert len(made.conditions) == 2


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_pinned_to_cores() -> None:
    before = os.sched_getaffinity(0)
    with pinned(1):
        assert os.sched_getaffinity(0) == {min(before)}
    with pinned(4096):
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(0) == before


def test_two_benchmarks_are_compared(run_here: Run, tmp_path: Path) -> None:
    made = bench(methods=["bits"], sizes=[6])
    for workers, seconds in ((KERNEL_ALONE, [1.0]), (1, [2.0, 3.0, 4.0]), (2, [])):
        made.measurements[Case("bits", 6, workers)].seconds = seconds
    for name, factor in (("first", 1.0), ("second", 2.0)):
        for measurement in made.measurements.values():
            measurement.seconds = [each * factor for each in measurement.seconds]
        (tmp_path / name).write_text(json.dumps(made.as_data()))
    done = run_here("bench", "compare", "first", "second")
    assert "| bits | n = 6 | 1 worker | 3 s | 6 s | **0.5** (0.25 – 1) |" in done.stdout
    assert "| bits | n = 6 | bare kernel | 1 s | 2 s | **0.5** (0.5 – 0.5) |" in done.stdout
    assert run_here("bench", "compare", "second", "first", "--fail-below", "0.9").stderr == ""
    done = run_here("bench", "compare", "first", "second", "--fail-below", "0.9", "--html", "page.html", code=1)
    assert done.stderr.splitlines() == [
        "bits, n = 6, 1 worker: 0.5 (0.25 – 1) of the first",
        "bits, n = 6, the bare kernel: 0.5 (0.5 – 0.5) of the first",
    ]
    assert "<table>" in (tmp_path / "page.html").read_text()
    (row, _) = json.loads(run_here("bench", "compare", "first", "second", "--json").stdout)
    assert row["speed"] == {"median": 0.5, "low": 0.25, "high": 1.0}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [(0.0, 2.4, ""), (0.7, 2.4, "load 0.7"), (0.1, 4.0, "load 4"), (0.1, None, "")],
    ids=["its own workers", "before", "meanwhile", "not ended"],
)
def test_a_busy_machine(before: float, after: float | None, says: str) -> None:
    loads = [{"load": each} for each in (before, after) if each is not None]
    assert busy(loads, cores=2, own=2) == says


def test_what_two_benchmarks_do_not_share_is_said(run_here: Run, tmp_path: Path) -> None:
    made = bench(methods=["bits"], sizes=[6], workers=[1, 2])
    for measurement in made.measurements.values():
        measurement.seconds, measurement.took_part = [1.0], 1
    first, slow = made.as_data(), [each | {"seconds": [4.0]} for each in made.as_data()]
    slow[0] |= {"machine": {"processor": "Abacus", "cores": 1, "parsolve": "0.0"}}
    slow[0] |= {"conditions": [{"date": "today", "load": 1.5}]}
    slow[2] |= {"n": 7}
    for name, cases in (("first", first), ("second", slow)):
        (tmp_path / name).write_text(json.dumps(cases))
    done = run_here("bench", "compare", "first", "second", "--fail-below", "0.9", code=1)
    assert "Second: Abacus, 1 core, parsolve 0.0, today, busy (load 1.5)." in done.stdout
    assert "Left out: 1 case of the first and 1 of the second; give both the same --n" in done.stdout
    assert "| **0.25** (0.25 – 0.25), too short to tell |" in done.stdout
    assert done.stderr == "bits, n = 6, 1 worker: 0.25 (0.25 – 0.25) of the first\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"method": "bits", "n": 6, "seconds": [1], "machine": 1}]', "is not a queens.json"),
        ('[{"method": "bits", "n": 6, "seconds": [1], "conditions": [1]}]', "is not a queens.json"),
        ('[{"method": "bits", "n": 6, "seconds": [1], "machine": {"cores": "two"}}]', "is not a queens.json"),
        (None, "cannot be read"),
        ("[{}]", "is not a queens.json of `parsolve bench`"),
        ("{", "is not a queens.json of `parsolve bench`"),
        ("[]", "have no case in common"),
    ],
)
def test_what_cannot_be_compared(run_here: Run, tmp_path: Path, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / "it").write_text(text)
    assert says in run_here("bench", "compare", "it", "it", code=2).stderr


@pytest.mark.nightly
@pytest.mark.processes
def test_the_command_when_it_is_stopped(tmp_path: Path) -> None:
    words = ("bench", "queens", "--n", "4", "--methods", "bits", "--workers", "1", "--rounds", "1000")
    with start(*words, cwd=tmp_path) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        while not process.stderr.readline().startswith("round 3 "):
            pass
        process.send_signal(signal.SIGINT)
        err, out = process.stderr.read(), process.stdout.read()  # `communicate` would lose what is buffered
    assert process.returncode == 130
    begun = max(map(int, re.findall("^round ([0-9]+) of 1000$", "round 3 of 1000\n" + err, re.M)))
    said = re.search("medians of (?:([0-9]+) to )?([0-9]+) rounds.*; stopped before the end of 1,000 rounds", out)
    assert said, out
    assert begun - 1 <= int(said[2]) <= begun
    assert len(json.loads((tmp_path / "bench-queens/queens.json").read_text())[0]["seconds"]) == int(said[2])


def test_a_wrong_count_ends_it() -> None:
    with pytest.raises(ParsolveError, match="wrong: 4 solutions of 6 queens, not 5"):
        bench(known=[number + 1 for number in KNOWN]).run()


@pytest.mark.nightly
def test_the_files(tmp_path: Path) -> None:
    made = bench()
    made.run()
    files = write(made, tmp_path / "new", "# Head", lambda _: None)
    assert files == ["queens.md", "queens.json", "queens-time.svg", "queens-speed-up.svg"]
    assert (tmp_path / "new/queens.md").read_text() == "# Head\n\n" + tables(made)
    assert json.loads((tmp_path / "new/queens.json").read_text()) == made.as_data()
    for plot in files[2:]:
        text = (tmp_path / "new" / plot).read_text()
        assert text.startswith("<?xml")
        assert "</svg>" in text
    for workers in (*made.workers, KERNEL_ALONE):  # the other has a greater size
        del made.measurements[Case("bits", 8, workers)]
    write(made, tmp_path / "new", "# Head", lambda _: None)
    text = (tmp_path / "new" / files[-1]).read_text()
    assert "<!-- bits, n = 6 -->" in text
    assert "<!-- mirror, n = 8 -->" in text


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "parsolve.bench.plots", None)
    told: list[str] = []
    made = bench(sizes=[6])
    made.run()
    assert write(made, tmp_path, "", told.append) == ["queens.md", "queens.json"]
    assert "pip install 'parsolve[plots]'" in told[-1]


def test_the_command(run_here: Run, tmp_path: Path) -> None:
    done = run_here("bench", "queens", "--n", "5,7-8", "--methods", "bits,mirror", "--workers", "1", "--rounds", "1")
    assert "| bits | 1 worker |" in done.stdout
    assert "n = 5 | n = 7 | n = 8" in done.stdout
    assert sorted(file.name for file in (tmp_path / "bench-queens").iterdir()) == [
        "queens-speed-up.svg",
        "queens-time.svg",
        "queens.json",
        "queens.md",
    ]
    first = (tmp_path / "bench-queens/queens.json").read_bytes()
    done = run_here("bench", "queens", "--n", "5", "--methods", "bits", "--workers", "1", "--rounds", "1")
    assert "written to bench-queens-2: queens.md" in done.stderr
    assert (tmp_path / "bench-queens/queens.json").read_bytes() == first
    done = run_here(
        *("bench", "queens", "--n", "6", "--methods", "bits", "--workers", "1", "--rounds", "2", "--json"),
        *("--output", str(tmp_path / "mine")),
    )
    assert [each["workers"] for each in json.loads(done.stdout)] == [1, None]
    assert (tmp_path / "mine/queens.md").exists()


def test_where_nothing_can_be_written(run_here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused before anything is timed; what was timed is printed before it is written."""
    words = ("bench", "queens", "--n", "5", "--methods", "bits", "--workers", "1", "--rounds", "1", "--output")
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below"):
        done = run_here(*words, name, code=2)
        assert f"{name} cannot be written" in done.stderr
        assert "round" not in done.stderr
    (tmp_path / "there" / "queens.md").mkdir(parents=True)
    done = run_here(*words, "there", code=2)
    assert "| bits | 1 worker |" in done.stdout
    assert "there cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("queens", "--n", "28"), "n is 0 to 27, not 28"),
        (("queens", "--n", "8", "--seconds", "2"), "--seconds chooses the sizes: leave out --n"),
        (("queens", "--seconds", "soon"), "a time such as"),
        (("queens", "--n", "14-11"), "a range rises, unlike 14-11"),
        (("queens", "--n", "x"), "such as 1,2 or 11-14, not 'x'"),
        (("queens", "--workers", "0"), "workers is 1 to 4096"),
        (("queens", "--methods", "bit"), "no method 'bit'; did you mean bits"),
        (("queens", "--rounds", "0"), "rounds is 1 to 1000"),
        (("queens", "--time-limit", "-1"), "more than 0"),
        (("kings",), "invalid choice: 'kings'"),
        ((), "required: queens"),
    ],
)
def test_bad_input(run_here: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert says in run_here("bench", *words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_spreads() -> None:
    assert spread([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)
    assert str(spread([0.12345])) == "**0.123** (0.123 – 0.123)"
