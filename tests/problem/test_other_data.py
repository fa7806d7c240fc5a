"""What is kept follows the data that a puzzle's methods read: tables, journals, workers, the searcher of a process."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toys
from at_once import AT_ONCE
from cases import nightly
from conftest import Run
from journals import Remembering
from roads import ROADS, ladder, write_roads
from samples import WALK, edited
from tabled import forget, tables_in
from variants import HEAD

import parsolve
from parsolve.errors import OtherData
from parsolve.problem.registry import load_class, spec_of
from parsolve.search.watch import Listener, Watch

pytest_plugins = ["tabled"]

ONE_WAY = [(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)]
TWO_WAYS = [(0, 1), (1, 4), (0, 2), (2, 4), (2, 3)]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the roads are read from."""
    monkeypatch.setenv("ROADS", str(tmp_path / "roads.txt"))
    write_roads(tmp_path / "roads.txt", ONE_WAY)
    return tmp_path / "roads.txt"


@pytest.fixture
def roads(puzzle_file: Callable[..., Path], data: Path) -> Any:
    """The class `Roads`."""
    return load_class(f"{puzzle_file(ROADS, 'roads.py')}:Roads")


@pytest.mark.usefixtures("place")
def test_a_table_is_used_again_where_the_data_is_the_same(roads: Any, data: Path) -> None:
    back: Any = type(roads().abstractions()[0])
    first = parsolve.distances(back())
    write_roads(data, TWO_WAYS)
    assert parsolve.distances(back()) is not first
    write_roads(data, ONE_WAY)
    assert parsolve.distances(back()) is first


@pytest.fixture
def journal(roads: Any, data: Path, tmp_path: Path) -> tuple[str, ...]:
    """The command that resumes a count that was begun on a ladder and stopped."""
    write_roads(data, ladder(6))
    parsolve.distances(roads().abstractions()[0])
    path, left = tmp_path / "it.sqlite", iter(range(10))
    begun = parsolve.solve(
        roads(), want="count", workers=1, journal=path, budget=5, cancel=lambda: next(left, None) is None
    )
    assert begun.status == "stopped"
    assert begun.nodes > 0
    return ("count", "roads.py:Roads", "--journal", "it.sqlite", "--workers", "1")


@pytest.mark.nightly
def test_a_journal_is_not_resumed_with_other_data(journal: tuple[str, ...], data: Path, run: Run) -> None:
    before = Path("it.sqlite").read_bytes()
    write_roads(data, [*ladder(6), (0, 4)])
    for more in ((), ("--no-bounded",), ("--engine", "breadth")):
        done = run(*journal, *more, code=2)
        assert "'tables' or 'root' of " in done.stderr
        assert "something else than when the job Roads was started: restore the data that it" in done.stderr
        assert len(done.stderr.strip().splitlines()) <= 2  # a warning that an engine may give, and this
        assert Path("it.sqlite").read_bytes() == before
    write_roads(data, ladder(6))
    assert run(*journal, "--no-bounded").stdout.split()[0] == "64"
    assert run(*journal).stdout.split()[0] == "64"
    write_roads(data, ladder(5))
    for more in ((), ("--no-bounded",)):
        assert "restore the data" in run(*journal, *more, code=2).stderr


@pytest.mark.nightly
def test_a_resumed_search_is_cancelled_while_it_builds(
    place: Path, roads: Any, journal: tuple[str, ...], tmp_path: Path
) -> None:
    """A journal compares what was searched with what would be, before the search."""
    path = tmp_path / journal[3]
    for file in tables_in(place):
        file.unlink()
    forget()
    found = parsolve.solve(roads(), want="count", workers=1, journal=path, cancel=lambda: True)
    assert (found.status, found.message, found.nodes) == ("stopped", "cancelled", 0)
    assert tables_in(place) == []
    assert parsolve.solve(roads(), want="count", workers=1, journal=path).count == 64


@pytest.mark.usefixtures("roads")
def test_a_batch_with_other_data_is_not_run(data: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "queens"\npuzzle = "queens"\nn = 6\nwant = "count"\n'
        '[[job]]\nname = "roads"\npuzzle = "roads.py:Roads"\nwant = "count"\n'
    )
    command = ("run", "jobs.toml", "--journal", "it.sqlite", "--workers", "1")
    run(*command)
    write_roads(data, TWO_WAYS)
    assert "when the job roads was started: restore the data" in run(*command, code=2).stderr
    write_roads(data, ONE_WAY)
    run(*command)


@pytest.mark.usefixtures("roads")
def test_solutions_are_not_drawn_with_other_data(data: Path, run: Run) -> None:
    run("solve", "roads.py:Roads", "--journal", "it.sqlite", "--workers", "1")
    show = ("show", "it.sqlite", "--solutions", "--puzzle", "roads.py:Roads")
    assert run(*show).stdout == "0 1\n"
    write_roads(data, TWO_WAYS)
    assert "the data that roads.py:Roads reads has changed" in run(*show, code=2).stderr


@pytest.mark.usefixtures("roads")
def test_a_space_is_not_resumed_with_other_data(data: Path, tmp_path: Path) -> None:
    from parsolve.levels.explore import explore

    write_roads(data, ladder(8))
    back: Any = load_class(f"{tmp_path / 'roads.py'}:Back")

    class Stop(Listener):
        def progress_made(self, progress: Any) -> None:
            raise KeyboardInterrupt

    store = Remembering()
    with pytest.raises(KeyboardInterrupt):
        explore(back(), Watch(Stop()), store=store, threads=1)
    write_roads(data, [*ladder(8)[:-1], (1, 24)])
    with pytest.raises(parsolve.BadInput, match="has begun another search for Back"):
        explore(back(), store=store, threads=1)


# Workers.

BY_SET = """
    def tables(self, *distances):
        tables = super().tables(*distances)
        names = [*{str(number) for number in range(100)}]
        for begin, end in zip(tables.first, tables.first[1:]):
            tables.ends[begin:end] = sorted(tables.ends[begin:end], key=lambda place: names.index(str(place)))
        return tables
"""
"""Lookups by the order of a set of texts, which differs from process to process."""

BY_CHANCE = """
    def root(self, *distances):
        import os
        return {"place": 0, "bound": os.urandom(1)[0]}
"""

NOT_IN_OTHERS = """
    def tables(self, *distances):
        import os
        return [][0] if "PYTHONHASHSEED" in os.environ else super().tables(*distances)
"""
"""Lookups whose `tables` fails in any other process."""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(puzzle_file: Callable[..., Path]) -> Write:
    """Write a file with `Roads` and some methods of its own: `write(name, methods)`. It has the kernels of `Roads`."""
    right = puzzle_file(ROADS, "roads.py").resolve()
    return lambda name, methods: puzzle_file(HEAD.format(right=f"{right}:Roads", name="Roads") + methods, name)


@pytest.mark.nightly
@pytest.mark.processes
def test_workers_have_the_data_of_the_search(write: Write, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSOLVE_START_METHOD", "spawn")
    write_roads(data, ladder(16))  # too much to be searched before the workers are there
    roads: Any = load_class(f"{write('by_set.py', BY_SET)}:Roads")
    with pytest.raises(OtherData, match="'tables' or 'root' returns something else in a worker"):
        parsolve.solve(roads(False), want="count", engine="deepening", workers=2, tuning=AT_ONCE, timeout=120)


@pytest.mark.nightly
def test_a_search_without_a_spec_has_its_own_lookups() -> None:
    """The searcher of the last search is taken again for the same puzzle only: without a spec as well."""

    class Ring(toys.Ring):
        """As one of a main module."""

    assert spec_of(Ring()) is None
    for places in (12, 18, 8, 12):
        assert parsolve.solve(Ring(places)).paths == toys.Ring(places).answer()[1]


@pytest.mark.nightly
@pytest.mark.processes
def test_a_kernel_has_the_constants_of_its_time(tmp_path: Path) -> None:
    """As a notebook sets them: a plain number, one of a helper, and an array."""
    source = edited("children = 2", "children = 6", source=edited("range(1, 3)", "range(1, many(3))", source=WALK))
    source += (
        "\nMORE = 0\nLENGTHS = np.zeros(2, np.int64)\ndef many(number):\n    return number + MORE + LENGTHS[0]\n"
        "import parsolve\n"
        "for MORE, LENGTHS[0] in ((0, 0), (1, 2), (0, 0)):\n"
        "    print(parsolve.solve(Walk(12), workers=1).count)\n"
    )
    (tmp_path / "main.py").write_text(source)
    done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    # Steps up to 2, and up to 5. With one of the two constants it would be 3 or 1: steps up to 3 or 4.
    assert done.stdout.split() == ["1", "5", "1"], done.stderr


@pytest.mark.parametrize(
    ("methods", "fault"),
    [
        nightly(("    pass", "")),
        (BY_SET, "'tables' returns something else from process to process: the order of a set,"),
        (BY_CHANCE, "'root' returns something else from call to call:"),
        (NOT_IN_OTHERS, "another process could not build 'tables' and 'root': Roads: 'tables' raises IndexError"),
    ],
    ids=["right", "by the order of a set", "by chance", "not in others"],
)
def test_check_builds_lookups_in_other_processes(
    write: Write, data: Path, run: Run, monkeypatch: pytest.MonkeyPatch, methods: str, fault: str
) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    write_roads(data, ladder(4))
    write("checked.py", methods)
    done = run("check", "checked.py:Roads", "--no-bounded", code=2 if fault else 0)
    assert (fault or "0 faults") in done.stdout
