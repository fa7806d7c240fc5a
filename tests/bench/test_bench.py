"""`parsolve bench`: tables, data and plots of what was timed, what is skipped, and what is refused."""

import itertools
import json
import re
import signal
import sys
from pathlib import Path

import pytest
from conftest import Run, start

from parsolve.bench.markdown import spread
from parsolve.bench.queens_benchmark import KERNEL_ALONE, Case, QueensBenchmark, Round, size_for
from parsolve.bench.queens_tables import tables, write
from parsolve.errors import ParsolveError
from parsolve.puzzles import Queens
from parsolve.puzzles.queens.queens import KNOWN

ONCE = ("bench", "queens", "--n", "5", "--methods", "bits", "--workers", "1", "--rounds", "1")


def bench(methods: str = "bits,mirror", sizes: tuple[int, ...] = (6, 8), **more: float) -> QueensBenchmark:
    cases = itertools.product(methods.split(","), sizes, [1, 2, KERNEL_ALONE])
    return QueensBenchmark([Case(*each) for each in cases], **({"rounds": 2, "limit": 60.0} | more))  # type: ignore[arg-type]


def timed(made: QueensBenchmark) -> QueensBenchmark:
    made.run(lambda _: None, lambda: None, lambda: None)
    return made


def test_every_case_is_measured_each_round() -> None:
    made = timed(bench())
    assert all(len(rounds) == 2 and min(each.seconds for each in rounds) > 0 for rounds in made.measurements.values())
    first = made.as_data()[0]
    assert (first["method"], first["n"], first["workers"], first["skipped"]) == ("bits", 6, 1, False)
    assert len(first["seconds"]) == 2
    assert {"processor", "cores", "python", "numba", "parsolve"} <= set(first["machine"])
    assert "date" in first["conditions"]


def test_speed_ups_are_ratios_of_medians() -> None:
    made = bench()
    for case, rounds in made.measurements.items():
        one = {KERNEL_ALONE: 2.0, 1: 3.0, 2: 2.0}[case.workers]
        rounds[:] = [Round(seconds, case.workers) for seconds in (one, one, 100.0, one / 2, one)]
    assert made.speed_up(Case("bits", 8, 2), 1) == 1.5
    assert made.speed_up(Case("bits", 8, 2), KERNEL_ALONE) == 1.0
    assert "1.50 (75%), 1.00 (50%)" in tables(made)
    assert tables(made).count("**3** (1.5 – 100)") == 4


@pytest.mark.nightly
def test_what_takes_too_long_is_skipped_and_shown_so() -> None:
    cases = itertools.product(("backtrack", "quadrants"), (4, 15, 16), (1, KERNEL_ALONE))
    made = timed(QueensBenchmark([Case(*each) for each in cases], 1, 1.0))
    for n, workers in itertools.product((15, 16), (1, KERNEL_ALONE)):
        assert not made.measurements[Case("backtrack", n, workers)]
        assert made.measurements[Case("quadrants", n, workers)]
    assert tables(made).count("> 1, skipped") == 4
    assert sum(each["skipped"] for each in made.as_data()) == 4


def test_a_benchmark_that_is_stopped_says_what_its_medians_are_of() -> None:
    made = bench(rounds=50)
    assert "rounds: 0." in tables(made)
    for rounds in made.measurements.values():
        rounds += [Round(1.0, 2)] * 21
    assert "rounds: 21." in tables(made)
    made.measurements[Case("bits", 6, 1)].append(Round(3.0, 1))
    assert "rounds: 21 to 22." in tables(made)


def test_one_round_with_fewer_workers_is_too_short_to_tell() -> None:
    made = bench("bits", (8,))
    for case, rounds in made.measurements.items():
        rounds += [Round(0.05, took_part if case.workers == 2 else 1) for took_part in (2, 1, 2)]
    assert ", 1 of 2 workers |" in tables(made)
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


def test_two_benchmarks_are_compared(run_here: Run, tmp_path: Path) -> None:
    made = bench("bits", (6,))
    for name, factor in (("first", 1.0), ("second", 2.0)):
        for workers, seconds in ((KERNEL_ALONE, [1.0]), (1, [2.0, 3.0, 4.0])):
            made.measurements[Case("bits", 6, workers)] = [Round(factor * each, 1) for each in seconds]
        (tmp_path / name).write_text(json.dumps(made.as_data()))
    done = run_here("bench", "compare", "first", "second")
    assert "| bits | 6 | 1 worker | **0.5** (0.25 – 1) |" in done.stdout
    assert "| bits | 6 | bare kernel | **0.5** (0.5 – 0.5) |" in done.stdout
    row, _ = json.loads(run_here("bench", "compare", "first", "second", "--json").stdout)
    assert row == {"method": "bits", "n": 6, "workers": 1, "median": 0.5, "low": 0.25, "high": 1.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("[{}]", "is not a queens.json"),
        ("{", "is not a queens.json"),
        ("[]", "no case in common"),
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
    said = re.search(r"rounds: (?:[0-9]+ to )?([0-9]+)\.", out)
    assert said, out
    assert begun - 1 <= int(said[1]) <= begun
    assert len(json.loads((tmp_path / "bench-queens/queens.json").read_text())[0]["seconds"]) == int(said[1])


def test_a_wrong_count_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Queens, "known", [number + 1 for number in KNOWN])
    with pytest.raises(ParsolveError, match="wrong: 4 solutions of 6 queens, not 5"):
        timed(bench())


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert write(bench(), tmp_path) == ["queens.md", "queens.json"]


def test_the_command(run_here: Run, tmp_path: Path) -> None:
    done = run_here("bench", "queens", "--n", "5,7-8", "--methods", "bits,mirror", "--workers", "1", "--rounds", "1")
    assert "| bits | 1 worker |" in done.stdout
    assert "n = 5 | n = 7 | n = 8" in done.stdout
    folder = tmp_path / "bench-queens"
    assert sorted(file.name for file in folder.iterdir()) == ["queens.json", "queens.md", "queens.svg"]
    assert done.stdout.strip() in (folder / "queens.md").read_text()
    assert "<!-- mirror, n = 8 -->" in (folder / "queens.svg").read_text()
    first = (folder / "queens.json").read_bytes()
    assert "written to bench-queens-2: queens.md" in run_here(*ONCE).stderr
    assert (folder / "queens.json").read_bytes() == first
    done = run_here(*ONCE, "--json", "--output", str(tmp_path / "mine"))
    assert json.loads(done.stdout) == json.loads((tmp_path / "mine/queens.json").read_text())


def test_sizes_by_seconds(run_here: Run) -> None:
    words = ("bench", "queens", "--seconds", "0.01", "--methods", "bits", "--workers", "1", "--rounds", "1")
    done = run_here(*words, "--json")
    (n,) = {each["n"] for each in json.loads(done.stdout)}
    assert f"method bits: n = {n} takes nearest to 0.01 s" in done.stderr


def test_where_nothing_can_be_written(run_here: Run, tmp_path: Path) -> None:
    """It is refused before anything is timed."""
    (tmp_path / "file").write_text("")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "queens.md").write_text("")
    (tmp_path / "yours").mkdir()
    (tmp_path / "yours" / "queens.json").write_text("[1]\n")
    says = {"file": "cannot be written", "file/below": "cannot be written"}
    for name, why in (says | {"mine": "queens.md is there already", "yours": "queens.json is there already"}).items():
        done = run_here(*ONCE, "--output", name, code=2)
        assert why in done.stderr
        assert "round" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("queens", "--n", "28"), "--n is at most 27"),
        (("queens", "--n", "8", "--seconds", "2"), "--seconds chooses the sizes: leave out --n"),
        (("queens", "--n", "14-11"), "a range rises, unlike 14-11"),
        (("queens", "--methods", "bit"), "no method 'bit'; did you mean bits"),
        (("kings",), "invalid choice: 'kings'"),
    ],
)
def test_bad_input(run_here: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert says in run_here("bench", *words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_spreads() -> None:
    assert str(spread([3.0, 0.12345, 4.0])) == "**3** (0.123 – 4)"
