"""Tables of distances: right, and what puzzles, journals and the command do with them."""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from at_once import AT_ONCE
from heard import Heard
from journals import Plug, Pulled
from samples import TOWERS, WALK, edited
from shared import Run
from tabled import disks_of, forget, lend_kernels, plain_distances, tables_in, truncate

import parsolve
from parsolve import BadInput, BadPuzzle
from parsolve.compiler.waiting import reporting_to
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.progress import Progress
from parsolve.search.watch import Watch
from parsolve.tables import kept, listing
from parsolve.tables.databases import Databases, load, supply
from parsolve.tables.origin import Origin, origin_of
from parsolve.tables.tablefile import HEAD, PIECE, SUFFIX, map_table, verify_table, write_table

pytest_plugins = ["tabled"]


# What is in them.


@pytest.mark.parametrize("disks", [1, 2, 4])
def test_distances_are_right(towers: Any, disks: int) -> None:
    found = parsolve.distances(disks_of(towers)(disks))
    assert found.dtype == np.uint8
    assert found[::-1].tolist() == plain_distances(disks)  # `entry` turns it round


@pytest.mark.parametrize("known", [0, 1, 3, 4])
@pytest.mark.parametrize("workers", [1, 2])
def test_any_bound_gives_the_same_answer(towers: Any, known: int, workers: int) -> None:
    found = parsolve.solve(towers(4, known), workers=workers)
    other = parsolve.solve(towers(4, known), engine="breadth")
    assert (found.cost, found.count, found.paths) == (9, 22, other.paths)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("    def goals(self):", "    def no_goals(self):"), "gives no 'goals'"),
        (("    index = key", "    no_index = key"), "'unindex' needs 'index'"),
        (("        return 4**self.disks\n", "        return -1\n"), "'size' must be an int, at least 1"),
        (("        return [Disks(self.known)]", "        return [3]"), "'abstractions' must return a list of puzzles"),
        (("        return [Disks(self.known)]", "        return 3"), "'abstractions' must return a list of puzzles"),
        (("        return [Disks(self.known)]", "        return [Towers(1 + self.disks, 1)]"), "does not number"),
        (
            ("    def goals(self):", "    def abstractions(self):\n        return [self]\n\n    def goals(self):"),
            "abstractions without end",
        ),
    ],
)
def test_what_is_wrong_with_an_abstraction_is_one_line(
    run_here: Run, place: Path, puzzle_file: Callable[..., Path], change: tuple[str, str], says: str
) -> None:
    puzzle_file(edited(*change, source=TOWERS), "towers.py")
    for command in ("solve", "explore", "estimate", "check"):
        done = run_here(command, "towers.py:Towers", code=2)
        (line,) = done.stderr.splitlines()
        assert says in line
    assert tables_in(place) == []


def test_distances_of_what_has_none(place: Path, puzzle_file: Callable[..., Path]) -> None:
    walk = load_class(f"{puzzle_file(WALK)}:Walk")
    with pytest.raises(BadInput, match="Walk does not number its states"):
        parsolve.distances(walk())
    with pytest.raises(BadInput, match="a puzzle is wanted"):
        parsolve.distances(3)  # type: ignore[arg-type]


def test_limits_begin_at_the_root_s_cost_and_bound(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(itertools.islice(supply(Problem(towers(4, 3))).limits(), 3)) == [5, 6, 7]
    for given, left in (([1, 5, 9], [5, 9]), ([4, 6, 9], [6, 9]), ([1, 2], []), ([7, 9], [7, 9])):
        monkeypatch.setattr(towers, "limits", lambda self, given=given: given)
        assert list(supply(Problem(towers(4, 3))).limits()) == left
    monkeypatch.setattr(towers, "limits", lambda self: [3, 1, 9])
    with pytest.raises(BadPuzzle, match="rising whole numbers, not 1 after 3"):
        list(supply(Problem(towers(4, 3))).limits())


def test_a_root_that_is_far_away_is_no_loop(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "root", lambda self, *distances: {"cost": 60_000, "bound": 200})
    assert next(supply(Problem(towers(4, 3))).limits()) == 60_200


def test_tables_of_another_type_are_warmed_up_too(towers: Any) -> None:
    """A class may have an array of its own in the place of a table, which can be written: that is another kernel."""
    listener = Heard()
    for known in (0, 3):
        searcher = Searcher(supply(Problem(towers(3, known))))
        searcher.warm_up()
        with reporting_to(listener.compilation_started):
            searcher.run(searcher.whole(), Sought(5), 1000)
    assert not listener.compiled


def test_a_table_that_cannot_be_kept_is_used(place: Path, towers: Any, caplog: pytest.LogCaptureFixture) -> None:
    disks = disks_of(towers)(3)
    (place / f"{origin_of(Problem(disks)).name}{SUFFIX}").mkdir(parents=True)
    assert len(Databases().of(disks).table) == 4**3
    assert "tables are built each time, because they cannot be kept" in caplog.text
    assert load(Problem(towers(4, 3)))


# In a journal, and by the command.


def test_a_journal_goes_on_with_tables(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    words = ("towers.py:Towers", "--disks", "5", "--known", "4", "--journal", "j.sqlite", "--workers", "1")
    first = run_here("solve", *words)
    assert len(first.stdout.splitlines()) == 40
    for file in tables_in(place):
        file.unlink()
    forget()
    again = run_here("solve", *words, "--boards")  # done: states along solutions need the tables
    assert [
        line for line in again.stdout.splitlines() if line in first.stdout.splitlines()
    ] == first.stdout.splitlines()


DEEP = """
class Deep(Disks):
    abstractions = lambda self: [Disks(2)]
    tables = lambda self, distances: Disks.tables(self)
    root = lambda self, distances: Disks.root(self)

class Over(Towers):
    abstractions = lambda self: [Deep(self.known)]
"""


def test_the_command_names_an_abstraction_with_one_of_its_own(run_here: Run, place: Path, puzzle_file: Any) -> None:
    puzzle_file(TOWERS + DEEP, "towers.py")
    (name,) = run_here("tables", "build", "towers.py:Over", "--known", "3").stdout.split()
    assert name in [each.stem for each in tables_in(place)]


def test_the_command(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    (name,) = run_here("tables", "build", "towers.py:Towers", "--known", "3").stdout.split()
    assert run_here("tables", "build", "towers.py:Disks", "--disks", "3").stdout == f"{name}\n"  # it is the same
    (other,) = run_here("tables", "build", "towers.py:Disks", "--disks", "5").stdout.split()
    assert [each.stem for each in tables_in(place)] == sorted((name, other))
    truncate(place / f"{other}.table")
    assert "damaged: it is not whole" in run_here("tables").stdout
    assert "damaged" in json.loads(run_here("tables", "--json").stdout)[0]
    first, second, total = run_here("tables", "check", code=2).stdout.splitlines()
    assert (first.split()[0], second.split()[0]) == (other, name)
    assert "damaged: it is not whole; parsolve tables delete deletes it" in first
    assert second.endswith("  whole")
    assert total == "2 tables, 1 damaged"
    assert "2 tables begin with 'Disks'" in run_here("tables", "check", "Disks", code=2).stderr
    assert run_here("tables", "check", name[:12]).stdout.endswith("1 table, 0 damaged\n")
    assert run_here("tables", "delete", name[:12]).stdout.startswith("1 table deleted")
    assert [each.stem for each in tables_in(place)] == [other]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("delete",), "name the tables, or say --all"),
        (("delete", "x", "--all"), "name the tables, or say --all"),
        (("check", "x"), "there is no table 'x'"),
        (("build",), "name the puzzle first"),
        (("build", "queens"), "Queens does not number its states"),
        (("--json", "build"), "unrecognized arguments: build"),
    ],
)
def test_the_command_refuses(run_here: Run, place: Path, words: tuple[str, ...], says: str) -> None:
    assert says in run_here("tables", *words, code=2).stderr


# Tables of distances are kept: under a name that is never stale, healed, and harmful to nobody.


def test_no_more_tables_are_kept_than_are_used(towers: Any) -> None:
    disks = disks_of(towers)
    one, two, *_ = (parsolve.distances(disks(number)) for number in range(1, kept.MOST_KEPT + 1))
    assert parsolve.distances(disks(1)) is one  # used last: it stays
    parsolve.distances(disks(kept.MOST_KEPT + 1))
    assert parsolve.distances(disks(1)) is one
    assert parsolve.distances(disks(2)) is not two


def test_tables_are_of_one_type_and_cannot_be_written(towers: Any, place: Path) -> None:
    """Built, loaded, and without a folder: else kernels would be compiled again."""
    disks = disks_of(towers)(3)
    built = Databases().of(disks).table
    forget()
    loaded = Databases().of(disks).table
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "folder", lambda: None)
        alone = Databases().of(disks).table
    assert {str(numba.typeof(each)) for each in (built, loaded, alone)} == {"readonly array(uint8, 1d, C)"}
    for each in (built, loaded, alone):
        with pytest.raises(ValueError, match="read-only"):
            each[0] = 1


# Never stale.


def test_a_name_carries_all_that_a_table_depends_on(towers: Any, puzzle_file: Callable[..., Path]) -> None:
    disks = disks_of(towers)
    names = {origin_of(Problem(disks(3))).name, origin_of(Problem(disks(4))).name}
    changes = (
        ("(after >> 2 * hidden)", "(after >> 1 * hidden)"),  # a helper of a rule
        ("4**self.disks - 1}", "4**self.disks - 2}"),  # the goals
        ('"""Towers', '# edited\n"""Towers'),  # nothing
    )
    for number, change in enumerate(changes):
        source = edited(*change, source=TOWERS)
        other: Any = load_class(f"{puzzle_file(source, f'towers{number}.py', own=True)}:Disks")
        names.add(origin_of(Problem(other(3))).name)
    assert len(names) == 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disks, "entries", 100)
        names.add(origin_of(Problem(disks(3))).name)
    assert len(names) == 5


@pytest.mark.nightly
def test_what_cannot_be_named_is_not_kept(place: Path, puzzle_file: Callable[..., Path]) -> None:
    """A value that nobody can read is part of the rules."""
    foreign = "import ctypes\nMAGNITUDE = ctypes.CDLL(None).labs\nMAGNITUDE.restype = ctypes.c_long\n"
    foreign += "MAGNITUDE.argtypes = [ctypes.c_long]\n"
    source = edited("NOTHING = ", f"{foreign}NOTHING = ", source=TOWERS)
    found = "distances[distances.size - 1 - (after >> 2 * hidden)]"
    source = edited(f"np.int64({found})", f"MAGNITUDE(np.int64({found}))", source=source)
    disks: Any = load_class(f"{puzzle_file(source, 'opaque.py')}:Disks")
    assert parsolve.distances(disks(2)).tolist() == plain_distances(2)[::-1]
    assert tables_in(place) == []


# Healed.


def cut_in_the_head(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def flip(place: int) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[place] ^= 4
        file.write_bytes(data)

    change.__name__ = f"flip_{place}"
    return change


def another(file: Path) -> None:
    """The table of another abstraction under this name."""
    other = next(each for each in tables_in(file.parent) if each != file)
    file.write_bytes(other.read_bytes())


def deep(file: Path) -> None:
    file.write_bytes(b"[" * HEAD + bytes(64))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (truncate, "not whole"),
        (cut_in_the_head, "head is damaged"),
        (flip(HEAD), "checksum"),
        (flip(3), "head is damaged"),
        (another, "something else"),
        (deep, "head is damaged"),
    ],
)
def test_what_is_damaged_or_foreign_is_built_again(
    towers: Any, place: Path, caplog: pytest.LogCaptureFixture, change: Callable[[Path], None], says: str
) -> None:
    disks = disks_of(towers)
    right = Databases().of(disks(3)).table.tolist()
    Databases().of(disks(2))
    file = place / f"{origin_of(Problem(disks(3))).name}.table"
    change(file)
    forget()
    listener = Heard()
    assert Databases(Watch(listener)).of(disks(3)).table.tolist() == right
    assert len(listener.begun) == 1
    (record,) = caplog.records
    assert "cannot be used and is built again: " in record.getMessage()
    assert says in record.getMessage()
    forget()
    assert Databases(Watch(listener)).of(disks(3)).table.tolist() == right
    assert len(listener.begun) == 1


def test_entries_of_a_large_table_are_checked_when_asked(place: Path) -> None:
    """A process that maps it reads nothing but its head, and sees that it is whole."""
    place.mkdir(mode=0o700)
    origin = Origin("a.py:Large", {}, "0" * 32, "0" * 32, PIECE + 1)
    table = np.arange(PIECE + 1, dtype=np.uint8)
    file = place / f"{origin.name}.table"
    write_table(file, origin, table, 1.0, lambda: None)
    assert (map_table(file, origin) == table).all()
    verify_table(file, lambda: None)
    left = iter(range(1))
    with pytest.raises(StopIteration):  # it can be stopped
        verify_table(file, lambda: next(left))  # type: ignore[arg-type]
    for at in (HEAD, HEAD + PIECE, -1):
        flip(at)(file)
        assert (map_table(file, origin) != table).sum() == 1
        with pytest.raises(ValueError, match="its checksum is wrong"):
            verify_table(file, lambda: None)
        (found,) = listing.verify(None, lambda: None)
        assert found.trouble == "its checksum is wrong"
        flip(at)(file)
    (found,) = listing.verify(None, lambda: None)
    assert not found.trouble


# Without harm.


def test_where_nothing_can_be_written_tables_live_in_memory(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.write_text("a file")
    listener = Heard()
    for _ in range(2):
        assert parsolve.solve(towers(4, 3), workers=1, listener=listener).count == 22
    assert len(listener.begun) == 1
    assert sum("set PARSOLVE_CACHE_DIR" in record.getMessage() for record in caplog.records) == 1


# Built once, and shared.


@pytest.mark.processes
def test_a_table_is_built_once(towers: Any, place: Path) -> None:
    listener = Heard()
    first = parsolve.solve(towers(4, 3), workers=1, listener=listener)
    assert listener.begun == listener.built == ["Disks(disks=3)"]
    (file,) = tables_in(place)
    made = file.stat().st_ino
    for forgets in (False, True):
        if forgets:
            forget()
        assert parsolve.solve(towers(4, 3), workers=1, listener=listener).paths == first.paths
    assert len(listener.begun) == 1
    assert file.stat().st_ino == made
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.processes
@pytest.mark.parametrize("kept", [True, False])
def test_workers_use_the_table(
    towers: Any, place: Path, start_method: str, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Those of a pool, also where there is no folder: then they build it."""
    if kept:
        lend_kernels(place, towers(5, 4))
    else:
        place.write_text("a file")
    found = parsolve.solve(towers(5, 4), workers=2, budget=50, tuning=AT_ONCE)
    assert (found.cost, found.count) == (13, 40)
    assert len(tables_in(place)) == kept


@pytest.mark.processes
@pytest.mark.nightly
def test_several_processes_build_the_same_table_at_once(place: Path, towers: Any) -> None:
    lend_kernels(place, towers(5, 5))
    words = ("count", "towers.py:Towers", "--disks", "5", "--known", "5", "--quiet")
    command = [sys.executable, "-m", "parsolve", *words]
    processes = [
        subprocess.Popen(command, cwd=place.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = {process.communicate(timeout=100) for process in processes}
    assert [process.returncode for process in processes] == [0] * 2
    ((out, err),) = outputs
    assert (out, err) == ("40\n", "")
    assert len(tables_in(place)) == 1
    assert not list(place.glob(".draft-*"))


@pytest.mark.processes
@pytest.mark.parametrize("looks", [0, 1, 19])
def test_an_interrupted_build_leaves_nothing(towers: Any, place: Path, looks: int) -> None:
    for puzzle in (towers(7, 5), towers(7, 6)):
        with pytest.raises(Pulled):
            supply(Problem(puzzle), Watch(check=Plug(looks)))
        assert not [file for file in (*place.glob("*"), *place.glob(".*")) if file.suffix != ".syntax"]
        assert not kept._kept


@pytest.mark.processes
def test_the_time_ends_while_a_table_is_built(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, run_here: Run, puzzle_file: Callable[..., Path]
) -> None:
    def endless(problem: Problem, watch: Watch) -> Any:
        while True:
            watch.check()
            watch.listener.progress_made(Progress(0))
            time.sleep(0.05)

    monkeypatch.setattr("parsolve.levels.dense.distances", endless)
    assert parsolve.solve(towers(4, 3), workers=1, timeout=0.3).message == "the time is up: timeout 0.3 s"
    assert parsolve.solve(towers(4, 3), workers=1, cancel=lambda: True).message == "cancelled"
    puzzle_file(TOWERS, "towers.py")
    done = run_here("count", "towers.py:Towers", "--disks", "4", "--workers", "1", "--timeout", "0.6s", code=3)
    assert done.stderr.count("building the table of Disks(disks=3) (once; kept for the next time)") == 1
    assert done.stderr.splitlines()[-1] == "parsolve: the time is up: --timeout 0.6 s"
    assert not tables_in(place)


@pytest.mark.processes
@pytest.mark.nightly
def test_a_puzzle_of_the_main_module(place: Path, tmp_path: Path) -> None:
    """Its class is another in every process, its table the same."""
    script = tmp_path / "script.py"
    script.write_text(TOWERS + "\nimport parsolve\nprint(*parsolve.distances(Disks(2)))\n")
    for _ in range(2):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=100)
        assert list(map(int, done.stdout.split())) == plain_distances(2)[::-1], done.stderr
    assert len(tables_in(place)) == 1


@pytest.mark.processes
def test_a_problem_is_not_searched_without_its_tables(place: Path, towers: Any) -> None:
    with pytest.raises(parsolve.ParsolveError, match="Towers was not supplied with its pattern databases"):
        _ = Problem(towers(4, 3)).root


@pytest.mark.processes
def test_tables_that_nothing_needs_are_not_built(place: Path, towers: Any) -> None:
    listener = Heard()
    problem = Problem(towers(4, 3), supplier=Databases(Watch(listener)))
    assert not listener.begun
    assert len(problem.distances[0]) == 4**3
    assert listener.built == ["Disks(disks=3)"]
