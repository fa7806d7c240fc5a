"""`parsolve bench`: tables, data and plots of what was measured, what is skipped, and what is refused."""

import itertools
import json
import sys
from pathlib import Path

import pytest
from conftest import Run

from parsolve.errors import ParsolveError
from parsolve.puzzles.queens_counts import KNOWN
from parsolve.report import queens
from parsolve.report.queens import BARE, METHODS, Bench, Cell
from parsolve.report.tables import spread


def bench(**more: object) -> Bench:
    settings = {"sizes": [6, 8], "methods": ["bits", "mirror"], "workers": [1, 2], "rounds": 2, "limit": 60.0}
    return Bench(**(settings | {"tell": lambda _: None, "check": lambda: None} | more))  # type: ignore[arg-type]


def test_every_cell_is_measured_in_turns() -> None:
    made = bench(methods=METHODS)
    made.run()
    assert set(made.measurements) == {Cell(*each) for each in itertools.product(METHODS, [6, 8], [1, 2, BARE])}
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
        one = {BARE: 2.0, 1: 3.0, 2: 2.0}[cell.workers]
        measurement.seconds = [one, one, 100.0, one / 2, one]
    assert made.speed_up(Cell("bits", 8, 2), 1) == 1.5
    assert made.speed_up(Cell("bits", 8, 2), BARE) == 1.0
    assert "1.50 (75%), 1.00 (50%)" in made.tables()
    assert made.tables().count("**3** (1.5 – 100)") == 4


def test_what_takes_too_long_is_skipped_and_shown_so() -> None:
    made = bench(sizes=[4, 13, 14], methods=["backtrack", "quadrants"], workers=[1], rounds=1, limit=0.05)
    made.run()
    assert made.measurements[Cell("backtrack", 4, 1)].spread
    for n, workers in itertools.product((13, 14), (1, BARE)):
        assert not made.measurements[Cell("backtrack", n, workers)].spread
        assert made.measurements[Cell("quadrants", n, workers)].spread
    assert made.tables().count("> 0.05, skipped") == 4
    skipped = [each for each in made.as_data() if "skipped_after" in each]
    assert len(skipped) == 4
    assert "| the page, n = 14 |" in made.tables()
    assert "8.96" in made.tables()


def test_a_wrong_count_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queens, "KNOWN", tuple(number + 1 for number in KNOWN))
    with pytest.raises(ParsolveError, match="wrong: 4 solutions of 6 queens, not 5"):
        bench().run()


def test_the_files(tmp_path: Path) -> None:
    made = bench()
    made.run()
    files = made.write(tmp_path / "new", "mine", "# Head")
    assert files == ["mine.md", "mine.json", "mine-time.svg", "mine-speed-up.svg"]
    assert (tmp_path / "new/mine.md").read_text() == "# Head\n\n" + made.tables()
    assert json.loads((tmp_path / "new/mine.json").read_text()) == made.as_data()
    for plot in files[2:]:
        text = (tmp_path / "new" / plot).read_text()
        assert text.startswith("<?xml")
        assert "</svg>" in text


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "parsolve.report.plots", None)
    told: list[str] = []
    made = bench(sizes=[6], tell=told.append)
    made.run()
    assert made.write(tmp_path, "mine", "") == ["mine.md", "mine.json"]
    assert "pip install 'parsolve[plots]'" in told[-1]


def test_the_command(run: Run, tmp_path: Path) -> None:
    done = run("bench", "queens", "--n", "5,7-8", "--methods", "bits,quadrants", "--workers", "1", "--rounds", "1")
    assert "| bits | 1 worker |" in done.stdout
    assert "n = 5 | n = 7 | n = 8" in done.stdout
    assert sorted(file.name for file in (tmp_path / "bench-queens").iterdir()) == [
        "queens-speed-up.svg",
        "queens-time.svg",
        "queens.json",
        "queens.md",
    ]
    done = run(
        *("bench", "queens", "--n", "6", "--methods", "bits", "--workers", "1", "--rounds", "2", "--json"),
        *("--output", str(tmp_path / "mine")),
    )
    assert [each["workers"] for each in json.loads(done.stdout)] == [1, None]
    assert (tmp_path / "mine/queens.md").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("queens", "--n", "28"), "n is 0 to 27, rising, not '28'"),
        (("queens", "--n", "14-11"), "rising, not '14-11'"),
        (("queens", "--n", "x"), "such as 1,2 or 11-14, not 'x'"),
        (("queens", "--workers", "0"), "workers is 1 to 4096"),
        (("queens", "--methods", "bit"), "no method 'bit'; did you mean bits"),
        (("queens", "--rounds", "0"), "rounds is 1 to 1000"),
        (("queens", "--time-limit", "-1"), "more than 0"),
        (("kings",), "invalid choice: 'kings'"),
        ((), "required: queens"),
    ],
)
def test_bad_input(run: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert says in run("bench", *words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_spreads() -> None:
    assert spread([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)
    assert str(spread([0.12345])) == "**0.123** (0.123 – 0.123)"
