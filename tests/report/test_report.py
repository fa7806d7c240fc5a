"""The HTML report: what is in it, how large it is, and that texts in it stay texts."""

import re
from pathlib import Path

import pytest
from conftest import Run
from pages import Tags, data_of, entry

import parsolve
from parsolve.bench.benched import markup
from parsolve.bench.markdown import Table
from parsolve.puzzles import FlipIt, Peg, Permutations, Queens, Sliding
from parsolve.report.charts import bars
from parsolve.report.entry import entry_of
from parsolve.report.jobs import LARGEST, jobs_page
from parsolve.report.page import as_data, page
from parsolve.search.result import Iteration
from parsolve.search.samples import Sample


def test_a_page_is_well_formed_and_fetches_nothing() -> None:
    text = jobs_page("a page", [entry("one", Peg(first="0-6")), entry("two", Sliding(start="4 5 0 1 2 3"))])
    tags = Tags(text)
    assert [tag for tag, _ in tags.found].count("script") == 2
    for tag, attributes in tags.found:
        assert tag not in ("link", "img", "iframe", "object", "base")
        assert "src" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    "puzzle", [Peg(first="0-6"), FlipIt("BB_BBB"), Queens(6)], ids=lambda each: type(each).__name__
)
def test_states_of_the_player_are_those_of_the_engine(puzzle: parsolve.Puzzle) -> None:
    result = parsolve.solve(puzzle, workers=1)
    data = data_of(jobs_page("", [entry_of("it", result, result.paths, "")]))
    (job,) = data["jobs"]
    assert [each["text"] for each in job["solutions"]] == [solution.text for solution in result.solutions]
    for each, solution in zip(job["solutions"], result.solutions, strict=True):
        state = dict(zip(job["root"][::2], job["root"][1::2], strict=True))
        for changes, shapes in zip(each["steps"], solution.pictures, strict=True):
            state |= dict(zip(changes[::2], changes[1::2], strict=True))
            state = {part: place for part, place in state.items() if place >= 0}
            drawn = sorted([data["parts"][part][2], *data["places"][place]] for part, place in state.items())
            assert drawn == sorted([shape.name, round(shape.x, 3), round(shape.y, 3)] for shape in shapes)


def test_solutions_are_grouped_by_symmetry_or_first_move() -> None:
    queens, tiles = data_of(jobs_page("", [entry("a", Queens(8)), entry("b", Sliding())]))["jobs"]
    assert len(queens["groups"]) == 12
    assert queens["thumbs"] is True
    assert {each["text"].split()[0] for each in tiles["solutions"]} == {
        label.removeprefix("first ") for label in tiles["groups"]
    }
    assert tiles["thumbs"] is False
    (pegs,) = data_of(jobs_page("", [entry("c", Peg(first="0-6"))]))["jobs"]
    assert (len(pegs["groups"]), pegs["thumbs"]) == (9, False)  # all end with one peg in the same hole


def test_a_hundred_jobs_stay_below_300_kilobytes() -> None:
    result = parsolve.solve(Sliding(), workers=1)
    limits = [Iteration(limit, 3**limit, 0, 0.001 * limit) for limit in range(21, 61, 2)]
    samples = [Sample(0.5 * at, 3_000_000 * at * at, 41, at % 20 / 20, 1 + at % 2) for at in range(200)]
    entries = []
    for number in range(100):
        each = entry_of(f"korf-{number}", result, result.paths, "the rest is in the journal")
        each.samples, each.iterations, each.machine = samples, limits, {"processor": "a processor", "python": "3"}
        entries.append(each)
    text = jobs_page("korf", entries)
    assert LARGEST * 0.8 < len(text.encode()) < 300_000
    jobs = data_of(text)["jobs"]
    assert all(1 <= len(job["solutions"]) < 40 and "in the journal" in job["note"] for job in jobs)
    assert text.count("<h2>machine") == 1


def test_a_hundred_jobs_of_a_batch_and_a_thousand() -> None:
    """With texts and limits as a batch of Korf's 15-puzzles has them: what takes no long time has no charts."""
    result = parsolve.solve(Sliding(start="8 6 7 2 5 4 3 0 1"), workers=1)
    limits = [Iteration(limit, 4**limit, 0, 1.23e-9 * 4**limit) for limit in range(37, 57, 2)]
    long = {"start": "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "goal": "blank-first", "bound": "auto"}
    notes = {"id": 1, "manhattan": 41, "optimal_length": 57, "optimal_solutions": 123}

    def batch(jobs: int) -> str:
        entries = []
        for number in range(jobs):
            each = entry_of(f"korf-{number}", result, result.paths[:9], "the rest is in the journal: " + "x" * 40)
            each.iterations, each.seconds, each.nodes = limits, 0.1 * number, 12_345_678
            each.parameters, each.notes, each.began = long, notes, "2026-11-22T18:20:27+00:00"
            each.ended = each.began
            entries.append(each)
        return jobs_page("korf", entries)

    text = batch(100)
    assert len(text.encode()) < 300_000
    assert all(len(job["solutions"]) >= 1 for job in data_of(text)["jobs"])
    sections = re.findall(r'<details class="job".*?</details>', text, re.S)
    charts = ["<svg" in section for section in sections]
    assert sorted(charts) == charts  # the longest have them
    assert sum(charts) > 30
    many = batch(400)
    jobs = data_of(many)["jobs"]
    assert jobs[0] is not None
    assert jobs[-1] is None
    assert "not in this page, which is full" in many
    assert "<svg class" not in many.split("</main>")[0]


def test_thousands_of_solutions_are_a_window() -> None:
    result = parsolve.solve(Permutations(7), workers=1)
    (job,) = data_of(jobs_page("", [entry_of("seven", result, result.paths, "the rest is elsewhere")]))["jobs"]
    assert job["heading"] == "5,040 solutions"
    assert 100 < len(job["solutions"]) <= 1000
    assert job["note"] == f"The first {len(job['solutions']):,} are in this page; the rest is elsewhere."


ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u2029'\"&--><!--"


def test_texts_stay_texts() -> None:
    each = entry("it", Sliding(start="1 2 3 4 0 5 7 8 6"))
    plain = {tag for tag, _ in Tags(jobs_page("title", [each, each])).found}
    for name in ("name", "puzzle", "result", "about_solutions", "began", "ended"):
        setattr(each, name, ATTACK)
    each.parameters = each.notes = each.machine = {ATTACK: ATTACK}
    text = jobs_page(ATTACK, [each, each])
    assert [tag for tag, _ in Tags(text).found if tag in ("script", "img")] == ["script", "script"]
    assert {tag for tag, _ in Tags(text).found} == plain
    assert data_of(text)["jobs"][0]["name"] == ATTACK
    assert as_data(ATTACK).isascii()
    Tags(page(ATTACK, ""))
    Tags(markup(Table(ATTACK, [ATTACK], [[ATTACK]])))
    Tags(bars(ATTACK, "b", [(1, 2.0), (2, 0.0)]))


def test_texts_of_a_puzzle_stay_texts(evil_page: Path, run: Run) -> None:
    text = evil_page.read_text()
    assert [tag for tag, _ in Tags(text).found if tag in ("script", "img")] == ["script", "script"]
    (job,) = data_of(text)["jobs"]
    assert job["solutions"][0]["text"] == "</script><script>window.hurt = 1</script>"
    assert len(job["solutions"][0]["steps"]) == 3
    # Without the option no code is run that only the journal names.
    (evil_page.parent / "my_puzzle.py").unlink()
    run("report", "evil.sqlite", "-o", "without.html")
    without = (evil_page.parent / "without.html").read_text()
    assert data_of(without)["jobs"] == [None]
    assert "add --puzzle my_puzzle.py:Evil" in without
    assert str(evil_page.parent) not in without + text


def test_the_report_of_a_journal(run: Run, tmp_path: Path) -> None:
    run("solve", "hoppers", "--journal", "it.sqlite", "--workers", "1")
    run("report", "it.sqlite", "-o", "it.html")
    (job,) = data_of((tmp_path / "it.html").read_text())["jobs"]
    assert (job["heading"], len(job["solutions"])) == ("18 solutions", 18)
    assert [*tmp_path.glob(".*")] == []  # no drafts are left


def test_pages_of_other_commands(run: Run, tmp_path: Path) -> None:
    run("solve", "five", "--want", "first", "--html", "solve.html", "--workers", "1")
    (job,) = data_of((tmp_path / "solve.html").read_text())["jobs"]
    assert job["heading"] == "1 solution"
    run("count", "five", "--html", "count.html", "--workers", "1")
    assert data_of((tmp_path / "count.html").read_text())["jobs"] == [None]
    run("explore", "sliding", "--shape", "2x3", "--html", "explore.html")
    run("bench", "queens", "--n", "5", "--methods", "bits", "--workers", "1", "--rounds", "1", "--html", "bench.html")
    Tags((tmp_path / "bench.html").read_text())
    assert "<td>bits</td>" in (tmp_path / "bench.html").read_text()
    text = (tmp_path / "explore.html").read_text()
    assert [text.count(f'ps-on-piece" x="{x}" y="{y}"') for y in (0, 1) for x in (0, 1, 2)] == [1, 1, 0, 1, 1, 1]
    Tags(text)


def test_a_page_of_a_search_that_was_stopped(run: Run, tmp_path: Path) -> None:
    words = ("--workers", "1", "--timeout", "0.4", "--html", "it.html")
    run("solve", "permutations", "--n", "12", *words, code=3)  # whose pictures are small
    text = (tmp_path / "it.html").read_text()
    assert "stopped: the time is up: --timeout 0.4 s" in text
    (job,) = data_of(text)["jobs"]
    assert job["heading"].endswith(" solutions so far")
    run("count", "queens", "--n", "21", "--method", "bits", *words, "--journal", "it.sqlite", code=3)
    assert "found so far" in (tmp_path / "it.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("report", "none.sqlite", "-o", "it.html"), "none.sqlite"),
        (("report", "none.sqlite"), "--output"),
        (("solve", "five", "--html", "no/it.html"), "there is no folder no"),
        (("solve", "five", "--html", "."), "is a folder"),
        (("solve", "sliding", "--file", "it.csv", "--html", "it.html"), "--html is for one puzzle"),
        (("solve", "five", "--states"), "--states is for --json"),
    ],
)
def test_what_cannot_be_written_is_said_at_once(run: Run, words: tuple[str, ...], says: str) -> None:
    assert says in run(*words, code=2).stderr
