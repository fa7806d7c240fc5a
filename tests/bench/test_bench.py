"""`parsolve bench`: tables, data and plots of what was timed, what is skipped, and what is refused."""

import json
import os
import sys
from pathlib import Path

import pytest
from conftest import Run, workers_of

from parsolve.bench.queens_benchmark import Case, QueensBenchmark, Round
from parsolve.bench.queens_tables import as_data, tables, write
from parsolve.errors import ParsolveError
from parsolve.puzzles import Queens
from parsolve.puzzles.queens.queens import KNOWN

ONCE = ("bench", "queens", "--n", "5", "--methods", "bits", "--workers", "1", "--rounds", "1")


def bench(methods: str = "bits,mirror", workers: tuple[int, ...] = (1, 2), rounds: int = 2) -> QueensBenchmark:
    return QueensBenchmark(methods.split(","), [6, 8], workers, rounds, 60.0)


def timed(made: QueensBenchmark) -> QueensBenchmark:
    made.run(lambda _: None, lambda: None)
    return made


@pytest.mark.processes
def test_every_case_is_measured_each_round_by_workers_that_stay() -> None:
    made, started = bench(), set[int]()
    made.run(lambda _: None, lambda: started.update(each.pid for each in workers_of(os.getpid())))
    assert len(started) == 2 * 3  # for each method a fork server and two workers
    assert not workers_of(os.getpid())
    assert [*made.starts] == [("bits", 2), ("mirror", 2)]
    assert all(len(rounds) == 2 and min(map(min, rounds)) > 0 for rounds in made.measurements.values())
    first, second, *_ = as_data(made)
    assert (second["method"], second["n"], second["workers"]) == ("bits", 6, 2)
    assert first["start"] is None
    assert len(second["seconds"]) == len(second["one"]) == len(second["apart"]) == 2
    assert {"processor", "cores", "python", "numba", "parsolve"} <= set(first["machine"])
    assert "date" in first["conditions"]


def test_speed_up_and_efficiency_are_medians_of_ratios_within_a_round() -> None:
    made = bench()
    made.starts["mirror", 2] = 0.25
    for case, rounds in made.measurements.items():
        rounds[:] = [Round(slow * (3 - case.workers), slow * 1.5, slow * 0.75) for slow in (1e-6, 2e-6, 1e-4)]
    assert (
        "| mirror | 6 | **4e-06** (2e-06 – 0.0002) | **2e-06** (1e-06 – 0.0001) | 0.25 | 1.50 | 0.75 | 2.000 |"
        in tables(made)
    )
    assert (
        "| mirror | 8 | **4e-06** (2e-06 – 0.0002) | **2e-06** (1e-06 – 0.0001) |  | 1.50 | 0.75 | 46.000 |"
        in tables(made)
    )


def test_what_there_is_no_time_for_is_skipped_and_said_so() -> None:
    made = timed(QueensBenchmark(["permutations", "quadrants"], [4, 13], [1], 1, 3.0))
    assert [len(rounds) for rounds in made.measurements.values()] == [1, 0, 1, 1]
    assert "| permutations | 13 | skipped |  |  |  |  |" in tables(made)


def test_two_benchmarks_are_compared(run_here: Run, tmp_path: Path) -> None:
    made = bench("bits")
    for name, factor in (("first", 1.0), ("second", 2.0)):
        for workers, seconds in ((2, [1.0]), (1, [2.0, 3.0, 4.0])):
            made.measurements[Case("bits", 6, workers)] = [Round(factor * each, 1.0, 1.0) for each in seconds]
        (tmp_path / name).write_text(json.dumps(as_data(made)))
    done = run_here("bench", "compare", "first", "second")
    assert "| bits | 6 | 1 worker | **0.5** (0.25 – 1) |" in done.stdout
    assert "| bits | 6 | 2 workers | **0.5** (0.5 – 0.5) |" in done.stdout
    row, _ = json.loads(run_here("bench", "compare", "first", "second", "--json").stdout)
    assert row == {"method": "bits", "n": 6, "workers": 1, "median": 0.5, "low": 0.25, "high": 1.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("[{}]", "is not a queens.json"),
        ("{", "is not a queens.json"),
        ("[" * 100_000, "is not a queens.json"),
        ('[{"method": "bits", "n": 1e999, "workers": 1, "seconds": [1]}]', "is not a queens.json"),
        ("[]", "no case in common"),
    ],
)
def test_what_cannot_be_compared(run_here: Run, tmp_path: Path, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / "it").write_text(text)
    assert says in run_here("bench", "compare", "it", "it", code=2).stderr


def test_a_wrong_count_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Queens, "known", [number + 1 for number in KNOWN])
    with pytest.raises(ParsolveError, match="wrong: 4 solutions of 6 queens, not 5"):
        timed(bench())


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert write(bench(), tmp_path) == ["queens.md", "queens.json"]


def test_the_command(run_here: Run, tmp_path: Path) -> None:
    done = run_here("bench", "queens", "--n", "5,7-8", "--methods", "bits,mirror", "--workers", "1", "--rounds", "1")
    assert "| bits | 5 | **" in done.stdout
    assert "skipped" not in done.stdout
    folder = tmp_path / "bench-queens"
    assert sorted(file.name for file in folder.iterdir()) == ["queens.json", "queens.md", "queens.svg"]
    assert done.stdout.strip() in (folder / "queens.md").read_text()
    assert "<!-- mirror, n = 8 -->" in (folder / "queens.svg").read_text()
    first = (folder / "queens.json").read_bytes()
    assert "written to bench-queens-2: queens.md" in run_here(*ONCE).stderr
    assert (folder / "queens.json").read_bytes() == first
    done = run_here(*ONCE, "--json", "--output", str(tmp_path / "mine"))
    assert json.loads(done.stdout) == json.loads((tmp_path / "mine/queens.json").read_text())


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
        assert "bits, 1 worker" not in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("queens", "--n", "28"), "--n is at most 27"),
        (("queens", "--workers", "5000"), "--workers 1 to 4096"),
        (("queens", "--n", "14-11"), "a range rises, unlike 14-11"),
        (("queens", "--methods", "bit"), "no method 'bit'; did you mean bits"),
    ],
)
def test_bad_input(run_here: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert says in run_here("bench", *words, code=2).stderr
    assert list(tmp_path.iterdir()) == []
