"""A result in a notebook: its markup, its bar, its frames."""

import html
import inspect
import re
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from unittest.mock import Mock

import pytest
from pages import Tags, data_of

import parsolve
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.search.request import Request
from parsolve.search.result import frame


@pytest.fixture(scope="module")
def found() -> parsolve.Result:
    return parsolve.solve(Peg(first="0-6"), workers=1)


def markup_of(result: parsolve.Result) -> str:
    """What a notebook shows of a result."""
    text = result._repr_html_()
    assert text is not None
    return text


def test_a_result_shows_what_was_found_and_a_player(found: parsolve.Result) -> None:
    text = markup_of(found)
    assert "18 solutions of cost 7" in text
    assert text.count("<svg") == 3  # the first boards need no script
    frame = re.search(r'srcdoc="([^"]*)"', text)
    assert frame
    page = html.unescape(frame[1])
    assert "<script" not in text.replace(frame[1], "")
    Tags(page)
    (job,) = data_of(page)["jobs"]
    assert [each["text"] for each in job["solutions"]] == [solution.text for solution in found.solutions]
    assert len(text) < 100_000
    assert repr(found).count("\n") == 0
    assert len(repr(found)) < 100


def test_results_without_a_list_show_what_is_known() -> None:
    counted = markup_of(parsolve.solve(Queens(8), want="count", workers=1))
    assert "92 solutions" in counted
    assert "<iframe" not in counted
    assert "cancelled" in markup_of(parsolve.solve(Sliding(), cancel=lambda: True, workers=1))


def test_chosen_solutions_are_no_first_ones(found: parsolve.Result) -> None:
    chosen = replace(found, paths=found.paths[3:5], request=Request(skip=3, take=2))
    assert "2 are in this page; the others were left out." in html.unescape(markup_of(chosen))


def test_names_complete() -> None:
    assert {"solve", "Solution", "JournalReader", "Shape"} <= set(dir(parsolve))
    assert [name for name in dir(parsolve) if name.startswith("so")] == ["solve", "solve_each"]
    assert all(getattr(parsolve, name) is not None for name in parsolve.__all__)
    assert {name for name in dir(parsolve) if not name.startswith("_")} == {*parsolve.__all__}
    assert {name for name in dir(parsolve.puzzles) if not name.startswith("_")} == {*parsolve.puzzles.__all__}
    assert list(inspect.signature(Sliding).parameters) == ["start", "shape", "goal", "bound", "patterns"]
    assert inspect.signature(Sliding).parameters["goal"].default == "blank-last"


@pytest.mark.parametrize("function", [parsolve.solve, parsolve.iter_solutions, parsolve.distances])
def test_names_in_help_are_exported(function: Callable[..., Any]) -> None:
    text = inspect.getdoc(function) or ""
    errors = re.findall(r"^    (\w+): ", text.partition("Raises:\n")[2], re.M)
    assert errors
    assert {*errors, *(["Progress"] if "`Progress`" in text else [])} <= {*parsolve.__all__}


def test_a_list_of_solutions_says_what_they_are(found: parsolve.Result) -> None:
    assert repr(found.solutions[0]) == "<Solution of Peg, 11 moves: [0,6][9,3][2,0,6][11,1][10,0,2,6][8,4][12,2,6]>"
    (long,) = parsolve.solve(Sliding(start="8 6 7 2 5 4 3 0 1"), want="first").solutions
    assert repr(long).endswith("...>")
    assert len(repr(long)) < 110


def test_the_bar_is_the_one_that_suits_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = Mock()
    monkeypatch.setattr("tqdm.auto.tqdm", bar)
    parsolve.solve(Sliding(start="4 5 0 1 2 3"), workers=1, progress=True)
    bar.assert_called_once()
    bar.return_value.close.assert_called_once_with()


@pytest.fixture
def pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for pandas, which keeps what it is given."""

    class DataFrame:
        """Rows and columns."""

        def __init__(self, rows: list[dict[str, Any]], columns: list[str], dtype: type) -> None:
            self.rows, self.columns, self.attrs = rows, columns, dict[str, Any]()

        def infer_objects(self) -> Self:
            return self

    module = types.ModuleType("pandas")
    module.DataFrame = DataFrame  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", module)


@pytest.mark.usefixtures("pandas")
def test_frames(found: parsolve.Result, tmp_path: Path) -> None:
    frame = found.to_frame()
    assert frame.columns == ["solution", "text", "moves", "length"]
    assert [row["text"] for row in frame.rows] == [solution.text for solution in found.solutions]
    assert (frame.attrs["cost"], frame.attrs["count"]) == (7, 18)
    assert parsolve.solve(Queens(8), want="count", workers=1).to_frame().columns == frame.columns
    parsolve.solve(Peg(first="0-6"), workers=1, journal=tmp_path / "it.sqlite")
    with parsolve.JournalReader(str(tmp_path / "it.sqlite")) as journal:
        jobs = journal.to_frame()
    (row,) = jobs.rows
    assert (row["parameter_first"], row["cost"], row["count"], row["status"]) == ("0-6", 7, 18, "solved")
    assert "machine_processor" in jobs.columns
    assert not {"parameters", "seal", "rules"} & set(jobs.columns)


def test_whole_numbers_stay_whole() -> None:
    """Where a number is missing too: floats would round them."""
    pytest.importorskip("pandas")
    large = 722364079570222321
    found = frame([{"count": large, "cost": 1}, {"count": None, "cost": 2}, {"cost": 3, "found": 10**30}])
    assert found["count"].tolist()[:2] == [large, None]
    assert found["found"].tolist()[2] == 10**30
    assert found["cost"].dtype.kind == "i"


def test_without_pandas_it_is_one_line(found: parsolve.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(parsolve.BadInput, match="pip install pandas"):
        found.to_frame()
