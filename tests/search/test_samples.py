"""Samples of a search: taken as it runs, kept in its journal, drawn in its report."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import Run

import parsolve
from parsolve.journal.journal import Journal
from parsolve.journal.records import samples_of, text_of_samples
from parsolve.puzzles import Sliding
from parsolve.report.charts import course
from parsolve.search.samples import MOST, Sample, Samples

pytestmark = pytest.mark.plain


@given(st.lists(st.floats(0.01, 2.0), max_size=3000))
def test_they_are_few_and_about_equally_far_apart(steps: list[float]) -> None:
    samples, now = Samples(), 0.0
    for step in steps:
        now += step
        if samples.due(now):
            samples.add(Sample(now, int(1e6 * now), 20, 0.5, 2))
    assert len(samples.taken) <= MOST
    gaps = [after.seconds - before.seconds for before, after in itertools.pairwise(samples.taken)]
    assert all(gap > 0 for gap in gaps)
    assert now < 1 or samples.taken
    if gaps:  # twice the interval, and the step at either end
        assert max(gaps) <= 2 * min(gaps) + 4.0


def test_another_run_goes_on_with_them() -> None:
    earlier = [Sample(0.5 * number, number, 20, 0.1, 1) for number in range(1, MOST)]
    samples = Samples(earlier)
    assert not samples.due(earlier[-1].seconds + 0.3)
    assert samples.due(earlier[-1].seconds + 0.6)
    samples.add(Sample(200.0, 10**9, 22, 0.9, 2))
    assert samples.taken == [*earlier, Sample(200.0, 10**9, 22, 0.9, 2)]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "[[1, 2, 3]]", '[[1, 2, 3, 4, "5"]]', "[[1, 2, 3, -4, 5]]", "[[1, 2.5, 3, 4, 5]]"]
)
def test_what_are_no_samples(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        samples_of(text)


def test_they_are_plain_text() -> None:
    samples = [Sample(0.25, 10**15, 41, 0.125, 64)]
    assert text_of_samples(samples) == "[[0.25,1000000000000000,41,0.125,64]]"
    assert samples_of(text_of_samples(samples)) == samples


def drawn(svg: str) -> dict[str, list[tuple[int, int]]]:
    """The points of each line of a chart, by its class."""
    lines = {}
    for tone, begin, steps in re.findall(r'<path class="(l[^"]*)" d="M([^l"]+)([^"]*)"/>', svg):
        points = [tuple(map(int, begin.split()))]
        for step in steps.split("l")[1:]:
            right, down = map(int, step.split())
            points.append((points[-1][0] + right, points[-1][1] + down))
        lines[tone] = points
    return lines


def test_the_course_of_a_search_is_drawn() -> None:
    samples = [Sample(1.0, 10**6, 40, 0.5, 1), Sample(2.0, 3 * 10**6, 40, 1.0, 2), Sample(4.0, 5 * 10**6, 42, 0.0, 2)]
    svg = course(samples, 2, 10)
    lines = drawn(svg)
    rates, shares, busy = ([point[1] for point in lines[tone]] for tone in ("l", "l c", "l d"))
    top, base = min(rates), max(shares)
    half = (top + base) / 2
    assert rates == [half, top, half]  # 1, 2 and 1 million nodes a second
    assert shares == [half, top, base]
    assert busy == [half, top, top]
    assert [x for x, _ in lines["l"]] == sorted(x for x, _ in lines["l"])
    assert "up to 2 M nodes a second" in svg
    assert course(samples[:1], 2, 10) == course([], 2, 10) == ""


def test_a_long_course_is_drawn_by_some_of_its_moments() -> None:
    samples = [Sample(float(at), at, 40, 0.5, 1) for at in range(1, 201)]
    for most in (10, 37, 60):
        points = drawn(course(samples, 1, most))["l"]
        assert most / 2 < len(points) <= most


HARD = Sliding(start="15 2 12 11 14 13 9 5 1 3 8 7 0 10 6 4", goal="blank-first", bound="manhattan")


def test_a_search_takes_them(compiled: None) -> None:
    found = parsolve.solve(HARD, want="count", workers=1, timeout=1.0)
    assert 2 <= len(found.samples) <= 4
    for before, after in itertools.pairwise(found.samples):
        assert before.seconds < after.seconds
        assert before.nodes <= after.nodes
        assert (before.limit, before.share) <= (after.limit, after.share)
    assert all(sample.busy == 1 and 0 <= sample.share <= 1 for sample in found.samples)
    assert found.samples[-1].nodes <= found.nodes


def test_a_journal_keeps_them(tmp_path: Path, compiled: None) -> None:
    path = tmp_path / "it.sqlite"
    words = {"want": "count", "workers": 1, "journal": path}
    first = parsolve.solve(HARD, timeout=1.0, **words)  # type: ignore[arg-type]
    with Journal(path, reading=True) as journal:
        (job,) = journal.jobs()
        assert [*job.samples] == first.samples != []
    second = parsolve.solve(HARD, timeout=1.0, **words)  # type: ignore[arg-type]
    assert second.samples[: len(first.samples)] == first.samples
    assert len(second.samples) > len(first.samples)


def test_in_the_report_of_a_search(run: Run, tmp_path: Path, compiled: None) -> None:
    run("count", "sliding", "--start", HARD.start, "--goal", "blank-first", "--bound", "manhattan", "--timeout", "1.5s",
        "--workers", "1", "--journal", "it.sqlite", code=3)  # fmt: skip
    run("report", "it.sqlite", "-o", "it.html")
    assert "share of each limit done, and up to 1 of 1 workers busy" in (tmp_path / "it.html").read_text()
