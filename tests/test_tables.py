"""Tables of distances: right, built once, never stale, healed, shared, and harmful to nobody."""

import itertools
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from conftest import CACHE, Run
from samples import TOWERS, WALK, edited

import parsolve
from parsolve import BadInput, BadPuzzle, Listener, cachefolder
from parsolve.breadth.distances import distances
from parsolve.breadth.tables import distances_of, supply
from parsolve.check import check
from parsolve.executors.pool.start import StartMethod
from parsolve.kernel import cache as kernel_cache
from parsolve.kernel.cache import telling_once
from parsolve.problem import Problem
from parsolve.registry import load_class, spec_of
from parsolve.search.branch import Branch
from parsolve.search.progress import Progress
from parsolve.search.slices import Job, Searcher, run_slice
from parsolve.tables import making, store
from parsolve.tables.file import HEAD
from parsolve.tables.making import registered
from parsolve.tables.origin import origin_of


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder for this process and those that it starts; this process has no table.

    Its kernels stay where those of the other tests are.
    """
    kernels = cachefolder.folder()
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path / "place"))
    monkeypatch.setattr(kernel_cache, "folder", lambda: kernels)
    forget()
    yield tmp_path / "place"
    forget()


def lend_kernels(place: Path, puzzle: Any) -> None:
    """Put the kernels of a puzzle into a cache folder, for other processes that use it: they were compiled here."""
    supply(Problem(puzzle))
    parsolve.solve(puzzle, workers=1)
    for file in place.glob("*.table"):
        file.unlink()
    forget()
    place.mkdir(mode=0o700, exist_ok=True)
    for name in (type(puzzle).__name__, type(puzzle.abstractions()[0]).__name__, "list_subtree"):
        for file in CACHE.glob(f"{name}-*.kernel"):
            shutil.copy2(file, place)


def forget() -> None:
    """Let this process know nothing of tables and folders, as one that has just begun."""
    store._kept.clear()
    cachefolder.folder.cache_clear()
    cachefolder.warn_once.cache_clear()


@pytest.fixture
def towers(place: Path, puzzle_file: Callable[..., Path]) -> Any:
    """The class `Towers`."""
    return load_class(f"{puzzle_file(TOWERS, 'towers.py')}:Towers")


def disks_of(towers: Any) -> Any:
    """The class of its abstraction."""
    return type(towers(known=1).abstractions()[0])


class Builds(Listener):
    """Remembers which tables are built."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if not progress.nodes:
            self.begun.append(what)

    def table_built(self, what: str, seconds: float) -> None:
        self.done.append(what)


def tables_in(place: Path) -> list[Path]:
    return sorted(place.glob("*.table"))


def plain_distances(disks: int) -> list[int]:
    """The distance of every state from the one with all disks on the last peg, by a search of its own: by the number
    that has the peg of the smallest disk as its lowest digit."""

    def neighbours(pegs: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        tops = {peg: disk for disk, peg in reversed([*enumerate(pegs)])}
        for disk in list(tops.values()):
            for end in range(4):
                if tops.get(end, disks) > disk:
                    yield (*pegs[:disk], end, *pegs[disk + 1 :])

    distance = {(3,) * disks: 0}
    layer = [*distance]
    while layer:
        new = []
        for pegs in layer:
            for other in neighbours(pegs):
                if other not in distance:
                    distance[other] = distance[pegs] + 1
                    new.append(other)
        layer = new
    numbers = {sum(peg << 2 * disk for disk, peg in enumerate(pegs)): depth for pegs, depth in distance.items()}
    return [numbers[number] for number in range(4**disks)]


# What is in them.


@pytest.mark.parametrize("disks", [1, 2, 4])
def test_distances_are_right(towers: Any, disks: int) -> None:
    found = parsolve.distances(disks_of(towers)(disks))
    assert found.dtype == np.uint8
    assert found[::-1].tolist() == plain_distances(disks)  # `entry` turns it round


def test_a_bound_that_knows_all_is_the_distance(towers: Any) -> None:
    found = parsolve.solve(towers(5, 5), workers=1)
    assert (found.cost, len(found.iterations)) == (13, 1)
    assert Problem(towers(5, 5)).root["bound"].tolist() == [plain_distances(5)[0]] == [13]
    assert {state["bound"] + state["cost"] for each in found.solutions for state in each.states} == {13}
    assert not check(towers(3, 3)).faults


@pytest.mark.parametrize("known", [0, 1, 3, 4])
@pytest.mark.parametrize("workers", [1, 2])
def test_any_bound_gives_the_same_answer(towers: Any, known: int, workers: int) -> None:
    found = parsolve.solve(towers(4, known), workers=workers)
    other = parsolve.solve(towers(4, known), engine="breadth")
    assert (found.cost, found.count, found.paths) == (9, 22, other.paths)


def test_a_bound_from_a_table_that_is_too_high_is_found(towers: Any) -> None:
    """The table of other goals is no bound; `check` and a search say so."""
    wrong = disks_of(towers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wrong, "goals", lambda self: [{"pegs": 0}])
        faults = check(towers(3, 3)).faults
    assert any("exceeds the distance" in fault.text for fault in faults)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("    def goals(self):", "    def no_goals(self):"), "gives no 'goals'"),
        (("    def index(", "    def no_index("), "'unindex' needs 'index'"),
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
    assert list(itertools.islice(Problem(towers(4, 3)).limits(), 3)) == [5, 6, 7]
    for given, left in (([1, 5, 9], [5, 9]), ([4, 6, 9], [6, 9]), ([1, 2], []), ([7, 9], [7, 9])):
        monkeypatch.setattr(towers, "limits", lambda self, given=given: given)
        assert list(Problem(towers(4, 3)).limits()) == left
    monkeypatch.setattr(towers, "limits", lambda self: [3, 1, 9])
    with pytest.raises(BadPuzzle, match="rising whole numbers, not 1 after 3"):
        list(Problem(towers(4, 3)).limits())


def test_a_root_that_is_far_away_is_no_loop(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "root", lambda self, *distances: {"cost": 60_000, "bound": 200})
    assert next(Problem(towers(4, 3)).limits()) == 60_200


def test_tables_of_another_type_are_warmed_up_too(towers: Any) -> None:
    """A class may have an array of its own in the place of a table, which can be written: that is another kernel."""
    told: list[str] = []
    for known in (0, 3):
        searcher = Searcher(Problem(towers(3, known)))
        searcher.warm_up()
        with telling_once(lambda: told.append("compiling")):
            searcher.run(searcher.whole(), 5, 1000, False, None)
    assert told == []


# Built once.


def test_a_table_is_built_once(towers: Any, place: Path) -> None:
    listener = Builds()
    first = parsolve.solve(towers(4, 3), workers=1, listener=listener)
    assert listener.begun == listener.done == ["Disks(disks=3)"]
    (file,) = tables_in(place)
    made = file.stat().st_ino
    for forgets in (False, True):
        if forgets:
            forget()
        assert parsolve.solve(towers(4, 3), workers=1, listener=listener).paths == first.paths
    assert len(listener.begun) == 1
    assert file.stat().st_ino == made
    assert file.stat().st_mode & 0o077 == 0


def test_a_process_loads_a_table_once(towers: Any) -> None:
    first, second = Problem(towers(4, 3)), Problem(towers(5, 3))
    supply(first)
    assert first.distances[0] is second.distances[0]
    forget()
    assert Problem(towers(5, 3)).distances[0] is not first.distances[0]


def test_no_more_tables_are_kept_than_are_used(towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_KEPT", 2)
    disks = disks_of(towers)
    one, two = (parsolve.distances(disks(number)) for number in (1, 2))
    assert parsolve.distances(disks(1)) is one  # used last: it stays
    parsolve.distances(disks(3))
    assert parsolve.distances(disks(1)) is one
    assert parsolve.distances(disks(2)) is not two


def test_tables_are_of_one_type_and_cannot_be_written(towers: Any, place: Path) -> None:
    """Built, loaded, and without a folder: else kernels would be compiled again."""
    disks = disks_of(towers)(3)
    built = distances_of(disks)
    forget()
    loaded = distances_of(disks)
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "folder", lambda: None)
        alone = distances_of(disks)
    assert {str(numba.typeof(each)) for each in (built, loaded, alone)} == {"readonly array(uint8, 1d, C)"}
    for each in (built, loaded, alone):
        with pytest.raises(ValueError, match="read-only"):
            each[0] = 1


# Never stale.


def test_a_name_carries_all_that_a_table_depends_on(towers: Any, puzzle_file: Callable[..., Path]) -> None:
    disks = disks_of(towers)
    names = {origin_of(disks(3)).name, origin_of(disks(4)).name}
    changes = (
        ("(after >> 2 * hidden)", "(after >> 1 * hidden)"),  # a helper of a rule
        ("4**self.disks - 1}", "4**self.disks - 2}"),  # the goals
        ("# ", "#  "),
    )
    for number, change in enumerate(changes):
        source = edited(*change, source=TOWERS.replace('"""Towers', '# \n"""Towers', 1))
        other: Any = load_class(f"{puzzle_file(source, f'towers{number}.py', own=True)}:Disks")
        names.add(origin_of(other(3)).name)
    assert len(names) == 5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disks, "entries", 100)
        names.add(origin_of(disks(3)).name)
    assert len(names) == 6


def test_edited_rules_get_another_table(place: Path, puzzle_file: Callable[..., Path]) -> None:
    listener = Builds()

    def found(source: str) -> list[int]:
        path = puzzle_file(source, "towers.py", own=True)
        return distances_of(load_class(f"{path}:Disks")(2), listener).tolist()  # type: ignore[call-arg]

    right = found(TOWERS)
    assert right == plain_distances(2)[::-1]
    # Disks may not move to the second peg: more is far away, or out of reach.
    other = found(edited("if disk < smallest(", "if end != 1 and disk < smallest(", source=TOWERS))
    assert sum(other) > sum(right)
    assert len(tables_in(place)) == len(listener.begun) == 2
    assert found(TOWERS) == right
    assert len(listener.begun) == 2


def test_what_cannot_be_named_is_not_kept(place: Path, puzzle_file: Callable[..., Path]) -> None:
    """A value that nobody can read is part of the rules."""
    source = edited("NOTHING = ", "import pathlib\nHERE = pathlib.Path('.')\nNOTHING = ", source=TOWERS)
    source = edited(
        "        return 4**self.disks\n", "        return 4**self.disks + 0 * len(str(HERE))\n", source=source
    )
    disks: Any = load_class(f"{puzzle_file(source, 'opaque.py')}:Disks")
    assert parsolve.distances(disks(2)).tolist() == plain_distances(2)[::-1]
    assert tables_in(place) == []


# Healed.


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def cut_in_the_head(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def flip(place: int) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[place] ^= 4
        file.write_bytes(data)

    change.__name__ = f"flip_{place}"
    return change


def empty(file: Path) -> None:
    file.write_bytes(b"")


def another(file: Path) -> None:
    """The table of another abstraction under this name."""
    other = next(each for each in tables_in(file.parent) if each != file)
    file.write_bytes(other.read_bytes())


def deep(file: Path) -> None:
    file.write_bytes(b"[" * HEAD + bytes(64))


def link(file: Path) -> None:
    os.replace(file, file.with_name("aside"))
    file.symlink_to(file.with_name("aside"))


def fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def open_to_all(file: Path) -> None:
    file.chmod(0o602)


def foreign(file: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root gives a file away")
    os.chown(file, 65534, 65534)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (truncate, "not whole"),
        (cut_in_the_head, "head is damaged"),
        (flip(HEAD), "checksum"),
        (flip(-1), "checksum"),
        (flip(3), "head is damaged"),
        (empty, "head is damaged"),
        (another, "something else"),
        (deep, "head is damaged"),
        (link, "symbolic link"),
        (fifo, "not a plain file"),
        (open_to_all, "others can write it"),
        (foreign, "others can write it"),
    ],
)
def test_what_is_damaged_or_foreign_is_built_anew(
    towers: Any, place: Path, caplog: pytest.LogCaptureFixture, change: Callable[[Path], None], says: str
) -> None:
    disks = disks_of(towers)
    right = distances_of(disks(3)).tolist()
    distances_of(disks(2))
    file = place / f"{origin_of(disks(3)).name}.table"
    change(file)
    forget()
    listener = Builds()
    assert distances_of(disks(3), listener).tolist() == right
    assert len(listener.begun) == 1
    (record,) = caplog.records
    assert "cannot be used and is built again: " in record.getMessage()
    assert says in record.getMessage()
    forget()
    assert distances_of(disks(3), listener).tolist() == right
    assert len(listener.begun) == 1


def test_every_byte_of_a_table_counts(towers: Any, place: Path) -> None:
    disks = disks_of(towers)(2)
    right = distances_of(disks).tolist()
    (file,) = tables_in(place)
    data = file.read_bytes()
    length = len(data[:HEAD].rstrip())
    for at in [*range(0, length, 7), *range(HEAD, len(data))]:
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        forget()
        found = store.find(disks)
        assert found is None or (at < HEAD and found.tolist() == right)  # when and how fast it was made tells nothing


# Shared.


@pytest.mark.parametrize("kept", [True, False])
def test_workers_use_the_table(
    towers: Any, place: Path, start_method: StartMethod, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Those of a pool, also where there is no folder: then they build it."""
    if kept:
        lend_kernels(place, towers(5, 4))
    else:
        place.write_text("a file")
    found = parsolve.solve(towers(5, 4), workers=2, start_method=start_method, budget=50, tuning=EAGER)
    assert (found.cost, found.count) == (13, 40)
    assert len(tables_in(place)) == kept


EAGER = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0, worthwhile_forked=0)


@pytest.mark.processes
def test_another_machine_builds_what_it_needs(towers: Any, place: Path) -> None:
    """A slice that comes with the work has all that it takes."""
    puzzle = towers(4, 3)
    problem = Problem(puzzle)
    spec = spec_of(puzzle)
    assert spec is not None
    job = Job(spec, problem.fingerprint, 9, True, maker=registered())
    elsewhere = place.with_name("elsewhere")
    lend_kernels(elsewhere, puzzle)
    script = (
        "import pickle, sys\n"
        "job, branches = pickle.load(sys.stdin.buffer)\n"
        "from parsolve.search.slices import run_slice\n"
        "print(sum(outcome.found for outcome in run_slice(job, branches, 10**9)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps((job, [Branch.whole(0)])),
        env=os.environ | {"PARSOLVE_CACHE_DIR": str(elsewhere)},
        capture_output=True,
        check=True,
        timeout=100,
    )
    assert done.stdout == b"22\n"
    assert len(tables_in(elsewhere)) == 1
    assert run_slice(job, [Branch.whole(0)], 10**9)[0].found == 22


@pytest.mark.processes
def test_several_processes_build_the_same_table_at_once(place: Path, towers: Any) -> None:
    lend_kernels(place, towers(5, 5))
    words = ("count", "towers.py:Towers", "--disks", "5", "--known", "5", "--quiet")
    command = [sys.executable, "-m", "parsolve", *words]
    processes = [
        subprocess.Popen(command, cwd=place.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = {process.communicate(timeout=100) for process in processes}
    assert [process.returncode for process in processes] == [0] * 3
    ((out, err),) = outputs
    assert (out, err) == ("40\n", "")
    assert len(tables_in(place)) == 1
    assert not list(place.glob(".draft-*"))


# Without harm.


def test_where_nothing_can_be_written_tables_live_in_memory(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.write_text("a file")
    listener = Builds()
    for _ in range(2):
        assert parsolve.solve(towers(4, 3), workers=1, listener=listener).count == 22
    assert len(listener.begun) == 1
    assert sum("set PARSOLVE_CACHE_DIR" in record.getMessage() for record in caplog.records) == 1


def test_a_disk_that_fills_up_is_no_error(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disks = disks_of(towers)(3)
    _ = cachefolder.folder()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert distances_of(disks).tolist() == plain_distances(3)[::-1]
    assert not list(place.iterdir())
    (record,) = caplog.records
    assert "No space left on device" in record.getMessage()
    assert "free space there, or set PARSOLVE_CACHE_DIR" in record.getMessage()


class Enough(Exception):
    """Raised by a stop condition."""


@pytest.mark.parametrize("looks", [1, 2, 20])
def test_an_interrupted_build_leaves_nothing(towers: Any, place: Path, looks: int) -> None:
    left = looks

    def stop() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Enough

    for puzzle in (towers(7, 5), towers(7, 6)):
        left = looks
        with pytest.raises(Enough):
            supply(Problem(puzzle), check=stop)
        assert not [*place.glob("*"), *place.glob(".*")]
        assert not store._kept


def test_building_counts_neither_against_timeout(
    towers: Any, place: Path, monkeypatch: pytest.MonkeyPatch, run_here: Run, puzzle_file: Callable[..., Path]
) -> None:
    usual = distances

    def slow(problem: Problem, **options: Any) -> Any:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            options["check"]()
            options["listener"].progress_made(Progress(0))
            time.sleep(0.05)
        return usual(problem, **options)

    monkeypatch.setattr("parsolve.breadth.tables.distances", slow)
    assert parsolve.solve(towers(4, 3), workers=1, timeout=0.8).count == 22
    forget()
    for file in tables_in(place):
        file.unlink()
    puzzle_file(TOWERS, "towers.py")
    done = run_here("count", "towers.py:Towers", "--disks", "4", "--workers", "1", "--timeout", "0.8s")
    assert done.stdout == "22\n"
    assert done.stderr.count("building the table of Disks(disks=3) (once; kept for the next time)") == 1


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


def test_the_command(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    assert run_here("tables").stdout == f"0 tables, 0.0 kB, in {place}\n"
    (name,) = run_here("tables", "build", "towers.py:Towers", "--known", "3").stdout.split()
    assert run_here("tables", "build", "towers.py:Disks", "--disks", "3").stdout == f"{name}\n"  # it is the same
    (other,) = run_here("tables", "build", "towers.py:Disks", "--disks", "5").stdout.split()
    assert [each.stem for each in tables_in(place)] == sorted((name, other))
    first, second, total = run_here("tables").stdout.splitlines()
    assert (first.split()[0], second.split()[0]) == (other, name)
    assert "Disks(disks=5)" in first
    assert total.startswith("2 tables, ")
    rows = json.loads(run_here("tables", "--json").stdout)
    assert [(row["name"], row["entries"], row["parameters"]) for row in rows] == [
        (other, 1024, {"disks": 5}),
        (name, 64, {"disks": 3}),
    ]
    assert all(row["puzzle"].endswith("towers.py:Disks") and row["seconds"] > 0 for row in rows)
    truncate(place / f"{other}.table")
    assert "damaged: it is not whole" in run_here("tables").stdout
    assert "damaged" in json.loads(run_here("tables", "--json").stdout)[0]
    assert run_here("tables", "delete", name[:12]).stdout.startswith("1 table deleted")
    assert [each.stem for each in tables_in(place)] == [other]
    assert run_here("tables", "delete", "--all").stdout.startswith("1 table deleted")
    assert tables_in(place) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("delete",), "name the tables, or say --all"),
        (("delete", "x", "--all"), "name the tables, or say --all"),
        (("delete", "x"), "there is no table 'x'"),
        (("build",), "required: PUZZLE"),
        (("build", "queens"), "Queens does not number its states"),
        (("build", "my_puzzle.py:Walk"), "Walk does not number its states"),
        (("--json", "build"), "build comes first"),
        (("x",), "invalid choice: 'x'"),
    ],
)
def test_the_command_refuses(
    run_here: Run, place: Path, puzzle_file: Callable[..., Path], words: tuple[str, ...], says: str
) -> None:
    puzzle_file(WALK)
    assert says in run_here("tables", *words, code=2).stderr


def test_two_tables_that_begin_alike(run_here: Run, place: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    for disks in ("2", "3"):
        run_here("tables", "build", "towers.py:Disks", "--disks", disks)
    assert "2 tables begin with 'Disks-'" in run_here("tables", "delete", "Disks-", code=2).stderr
    assert len(tables_in(place)) == 2


@pytest.mark.processes
def test_a_puzzle_of_the_main_module(place: Path, tmp_path: Path) -> None:
    """Its class is another in every process, its table the same."""
    script = tmp_path / "script.py"
    script.write_text(TOWERS + "\nimport parsolve\nprint(*parsolve.distances(Disks(2)))\n")
    for _ in range(2):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=100)
        assert list(map(int, done.stdout.split())) == plain_distances(2)[::-1], done.stderr
    assert len(tables_in(place)) == 1


def test_a_maker_that_is_missing_is_told(place: Path, towers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_maker", None)
    with pytest.raises(parsolve.ParsolveError, match="nothing is loaded that builds it"):
        _ = Problem(towers(4, 3)).root
