"""The HTML report: what is in it, how large it is, and that texts in it stay texts."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from pages import Tags, data_of, entry

import parsolve
from parsolve.puzzles import FlipIt, Peg, Permutations, Polyominoes, Queens, Sliding
from parsolve.report.charts import bars
from parsolve.report.document import jobs_page
from parsolve.report.page import as_data, page
from parsolve.report.reported import reported_result
from parsolve.report.worksheet import worksheet_page
from parsolve.search.result import Iteration


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
    data = data_of(jobs_page("", [reported_result("it", result, result.paths, "")]))
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
    """A tiling opens on the whole board, and is one group; all pegs end with one in the same hole."""
    puzzles = (Queens(8), Queens(6), Polyominoes(), Peg(first="0-6"), Sliding())
    queens, six, tiling, pegs, tiles = jobs = data_of(jobs_page("", [entry("it", each) for each in puzzles]))["jobs"]
    assert [len(each["groups"]) for each in (queens, pegs)] == [12, 9]
    assert (six["groups"], tiling["groups"]) == (["symmetry class 1"], ["all"])
    assert {each["text"].split()[0] for each in tiles["solutions"]} == {
        label.removeprefix("first ") for label in tiles["groups"]
    }
    assert [each["thumbs"] for each in jobs] == [True, True, True, False, False]
    assert [each["whole"] for each in jobs] == [True, True, True, False, False]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("board", "pieces", "sample"),
    [("4x15", "pentominoes", None), ("12x12", "72*I2", 5), ("3x3x3", "soma", None)],
    ids=["pentominoes", "dominoes", "soma"],
)
def test_no_piece_has_the_colour_of_its_neighbour(board: str, pieces: str, sample: int | None) -> None:
    puzzle = Polyominoes(board, pieces)
    solutions = parsolve.solve(puzzle, sample=sample, engine=sample and "sharing").solutions
    for solution in solutions[:: 1 + len(solutions) // 50]:
        tones = {(shape.x, shape.y): shape.tone for shape in solution.pictures[-1] if shape.name}
        owners = {cell: move for move in solution.moves for cell in puzzle.placements[move].cells}
        wide = puzzle.places.layout.far[2] + 2  # from layer to layer
        of_cell = {cell: tones[cell[0] * wide + cell[2], cell[1]] for cell in owners}
        assert len({(owners[cell], of_cell[cell]) for cell in owners}) == len(solution.moves)  # one a piece
        for (layer, row, column), owner in owners.items():
            for beside in ((layer, row + 1, column), (layer, row, column + 1)):
                assert owners.get(beside, owner) == owner or of_cell[layer, row, column] != of_cell[beside]


def test_a_hundred_jobs_of_a_batch_and_a_thousand() -> None:
    """With texts and limits as a batch of Korf's 15-puzzles has them: what takes no long time has no charts."""
    result = parsolve.solve(Sliding(start="8 6 7 2 5 4 3 0 1"), workers=1)
    limits = [Iteration(limit, 4**limit, 0, 1.23e-9 * 4**limit) for limit in range(37, 57, 2)]
    long = {"start": "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "goal": "blank-first", "bound": "auto"}
    notes = {"id": 1, "manhattan": 41, "optimal_length": 57, "optimal_solutions": 123}

    def batch(jobs: int) -> str:
        entries = []
        for number in range(jobs):
            found = replace(result, iterations=limits, seconds=0.1 * number, nodes=12_345_678)
            rest = "the rest is in the journal: " + "x" * 40
            each = reported_result(f"korf-{number}", found, result.paths[:9], rest)
            when = "2026-11-22T18:20:27+00:00 to 2026-11-22T18:20:27+00:00"
            entries.append(replace(each, parameters=long, notes=notes, when=when))
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


def test_thousands_of_solutions_are_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Permutations, "show", lambda *_: "…" * 200)  # 600 bytes
    result = parsolve.solve(Permutations(7), workers=1)
    text = jobs_page("", [reported_result("seven", result, result.paths, "the rest is elsewhere")])
    assert len(text.encode()) < 300_000
    (job,) = data_of(text)["jobs"]
    assert job["heading"] == "5,040 solutions"
    assert 100 < len(job["solutions"]) <= 1000
    assert job["note"] == f"The first {len(job['solutions']):,} are in this page; the rest is elsewhere."


ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u2029'\"&--><!--"


def test_texts_stay_texts() -> None:
    each = entry("it", Queens(6))
    plain = {tag for tag, _ in Tags(jobs_page("title", [each, each])).found}
    texts: Any = dict.fromkeys(("name", "puzzle", "status", "why_none", "rest", "when", "up_to"), ATTACK)
    texts |= {name: {ATTACK: ATTACK} for name in ("parameters", "notes", "machine")}
    each = replace(each, **texts)
    text = jobs_page(ATTACK, [each, each])
    assert [tag for tag, _ in Tags(text).found if tag in ("script", "img")] == ["script", "script"]
    assert {tag for tag, _ in Tags(text).found} == plain
    assert data_of(text)["jobs"][0]["name"] == ATTACK
    assert as_data(ATTACK).isascii()
    Tags(page(ATTACK, ""))
    Tags(bars(ATTACK, "b", [(1, 2.0), (2, 0.0)]))
    sheet = worksheet_page(ATTACK, [replace(entry("it", Queens(6, unique=True)), **texts)])
    assert "script" not in {tag for tag, _ in Tags(sheet).found}


EIGHT = "8 6 7 2 5 4 3 0 1"


@pytest.mark.parametrize(
    ("puzzle", "options", "number", "words"),
    [
        (Sliding(EIGHT), {"want": "first"}, "the first solution", "the first solution of cost 31"),
        (Sliding(EIGHT), {"want": "any", "limit": 31}, "a solution", "a solution of cost 31"),
        (Sliding(EIGHT), {"slack": 2}, "247", "247 solutions of cost 31 to 33"),
        (Sliding(EIGHT), {"limit": 20}, "0 so far", "0 solutions so far"),
        (Queens(3), {"want": "first"}, "0", "no solution"),
        (Queens(6, unique=True), {}, "1, up to turns and reflections", "1 solution, up to turns and reflections"),
        (Queens(8), {"part": "1/2"}, "53 in part 1/2", "53 solutions in part 1/2"),
    ],
    ids=str,
)
def test_pages_say_how_many_solutions_there_are(puzzle: parsolve.Puzzle, options: Any, number: str, words: str) -> None:
    result = parsolve.solve(puzzle, workers=1, **options)
    each = reported_result("it", result, result.paths, "elsewhere")
    text = jobs_page("", [each, each])
    assert (f"<dt>solutions</dt><dd>{number}</dd>" in text, f">{number}</td>" in text) == (True, True)
    assert f"<b>{type(puzzle).__name__}: {words}, " in (result._repr_html_() or "")
    phrase, _, cost = words.partition(" of cost ")
    assert f">{cost}</td>" in text
    assert all(job is None or job["heading"] == phrase for job in data_of(text)["jobs"])


def test_a_worksheet(run: Run, tmp_path: Path) -> None:
    """Each job's start and end, a box for each move, and the answers behind all tasks."""
    for name, words in {"eight": ("eight",), "six queens": ("queens", "--n", "6"), "pegs": ("hoppers",)}.items():
        run("solve", *words, "--journal", "class.sqlite", "--name", name, "--workers", "1")
    run("count", "five", "--journal", "class.sqlite", "--name", "counted", "--workers", "1")
    run("report", "class.sqlite", "-o", "sheet.html", "--worksheet")
    text = (tmp_path / "sheet.html").read_text()
    tags = [tag for tag, _ in Tags(text).found]
    assert "script" not in tags
    tasks, _, answers = text.partition('<section class="answers">')
    eight, queens, pegs = tasks.split("<section>")[1:]
    assert "There are 40 solutions of 31 moves: find one." in eight
    assert (eight.count("<figcaption>"), eight.count("<li>")) == (2, 31)
    start, end = (re.findall(r'ps-on-piece"[^>]*>(\d)', board) for board in eight.split("<figure>")[1:])
    assert (start, end) == ([*"86725431"], [*"12345678"])
    assert "There are 4 solutions: find as many as you can." in queens
    assert '<p class="soft">n 6</p>' in queens  # and not how it was searched
    assert "first 0-6" in pegs  # 72 solutions begin with any jump
    assert (queens.count("<figure>"), queens.count("♛"), queens.count("<li>")) == (4, 0, 0)
    assert (pegs.count("<li>"), "18 solutions of 7 moves" in pegs) == (7, True)
    assert "ps-mark" not in tasks.partition("<body")[2]
    eight, queens, pegs = answers.split("<h2>")[1:]
    result = parsolve.solve(Sliding(start="8 6 7 2 5 4 3 0 1"), workers=1)
    assert re.findall("<code>(.*?)</code>", eight) == [solution.text for solution in result.solutions][:3]
    assert (queens.count("<svg"), queens.count("♛"), pegs.count("<code>")) == (3, 18, 3)
    assert ("3 of 4 solutions" in queens, "one of" in queens) == (True, False)
    assert tasks.count("the numbers of its holes") == 1
    assert "counted" not in text


def test_symmetric_solutions_say_for_how_many_they_stand(run: Run, tmp_path: Path) -> None:
    for n in (6, 8):
        run("solve", "queens", "--n", str(n), "--unique", "--journal", "it.sqlite", "--name", str(n), "--workers", "1")
    run("report", "it.sqlite", "-o", "sheet.html", "--worksheet")
    tasks, _, answers = (tmp_path / "sheet.html").read_text().partition('<section class="answers">')
    assert "There is one solution up to turns and reflections: find one of 4." in tasks
    assert "There are 12 solutions up to turns and reflections: find as many as you can." in tasks
    assert answers.count("one of 4, up to turns and reflections") == 1
    assert answers.count("one of 8, up to turns and reflections") == 3
    run("report", "it.sqlite", "-o", "it.html")
    assert [*tmp_path.glob(".*")] == []  # no drafts are left
    text = (tmp_path / "it.html").read_text()
    assert "<dd>12, up to turns and reflections</dd>" in text
    assert "A solution prints as their rows, from 1." in text
    assert [job["groups"] for job in data_of(text)["jobs"]] == [
        ["each one of 4, up to turns and reflections"],
        ["each one of 8, up to turns and reflections", "each one of 4, up to turns and reflections"],
    ]


def test_solutions_that_any_parameter_takes_one_of_are_counted_up_to_symmetry(run: Run, tmp_path: Path) -> None:
    board = ["polyominoes", "--board", "5x4", "--pieces", "V L N I", "--workers", "1", "--journal", "it.sqlite"]
    for symmetry, want in (("all", "solve"), ("turns", "count"), ("none", "count")):
        run(want, *board, "--symmetry", symmetry, "--name", symmetry)
    run("report", "it.sqlite", "-o", "it.html")
    found = re.findall("<dt>solutions</dt><dd>(.*?)</dd>", (tmp_path / "it.html").read_text())
    assert [each.partition(", ")[2] for each in found] == ["up to turns and reflections", "up to turns", ""]
    run("report", "it.sqlite", "-o", "sheet.html", "--worksheet")
    assert "There are 2 solutions up to turns and reflections" in (tmp_path / "sheet.html").read_text()


def test_a_report_of_what_no_job_has_is_refused(run: Run) -> None:
    run("count", "five", "--journal", "it.sqlite", "--workers", "1")
    report = ("report", "it.sqlite", "-o", "it.html")
    assert "it.sqlite has no solutions for a worksheet" in run(*report, "--worksheet", code=2).stderr
    said = run(*report, "--puzzle", "my_puzzle.py:Walk", code=2).stderr
    assert "no job of it.sqlite is of my_puzzle.py:Walk" in said


def test_pages_of_other_commands(run: Run, tmp_path: Path) -> None:
    run("solve", "five", "--want", "first", "--html", "solve.html", "--workers", "1")
    (job,) = data_of((tmp_path / "solve.html").read_text())["jobs"]
    assert job["heading"] == "the first solution"
    run("count", "five", "--html", "count.html", "--workers", "1")
    assert data_of((tmp_path / "count.html").read_text())["jobs"] == [None]
    run("count", "five", "--limit", "20", "--html", "stopped.html", "--workers", "1", code=3)
    assert "stopped: no solution costs 20 or less" in (tmp_path / "stopped.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("report", "none.sqlite"), "--output"),
        (("solve", "five", "--html", "no/it.html"), "there is no folder no"),
        (("solve", "five", "--html", "."), "is a folder"),
        (("solve", "sliding", "--file", "it.csv", "--html", "it.html"), "--html is for one puzzle"),
    ],
)
def test_what_cannot_be_written_is_said_at_once(run: Run, words: tuple[str, ...], says: str) -> None:
    assert says in run(*words, code=2).stderr


def test_no_page_or_log_takes_the_place_of_another_file(run: Run, tmp_path: Path) -> None:
    journal = tmp_path / "it.sqlite"
    run("count", "queens", "--n", "6", "--part", "1/1", "--journal", "it.sqlite", "--workers", "1")
    begun = journal.read_bytes()
    for words in (
        ("report", "it.sqlite", "-o", "it.sqlite"),
        ("count", "queens", "--n", "6", "--workers", "1", "--html", "it.sqlite"),
        ("count", "queens", "--n", "6", "--workers", "1", "--log", "it.sqlite"),
    ):
        said = run(*words, code=2).stderr
        assert "it.sqlite is there already, and this option has not written it" in said
        assert journal.read_bytes() == begun
    for _ in range(2):
        run("solve", "queens", "--n", "6", "--workers", "1", "--html", "page", "--log", "log")
    # An option replaces its own file alone, and a foreign one stays as it is.
    (tmp_path / "data.json").write_text('{"event": "mine"}\n')
    (tmp_path / "mine.html").write_text("<!DOCTYPE html>\n<p>mine</p>\n")
    (tmp_path / "link").symlink_to("fresh")
    search = ("solve", "queens", "--n", "6", "--workers", "1")
    kept = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for words in (
        (*search, "--log", "data.json"),
        (*search, "--log", "page"),
        (*search, "--html", "mine.html"),
        (*search, "--html", "log"),
        ("report", "it.sqlite", "-o", "page"),
        ("new", "data.json"),
        (*search, "--html", "fresh", "--log", "fresh"),
        (*search, "--html", "fresh", "--log", "./link"),
        (*search, "--journal", "fresh", "--log", "fresh"),
        (*search, "--journal", "fresh", "--html", str(tmp_path / "fresh")),
        ("run", "fresh", "--journal", "fresh"),
        ("run", "jobs.toml", "--journal", "fresh", "--log", "fresh"),
    ):
        assert len(run(*words, code=2).stderr.splitlines()[-1:]) == 1
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == kept
