"""Tables of distances are kept: under a name that is never stale, healed, and harmful to nobody."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from samples import TOWERS, edited
from tabled import Builds, disks_of, forget, plain_distances, tables_in, truncate

import parsolve
from parsolve.problem.registry import load_class
from parsolve.search.watch import Watch
from parsolve.tables import store
from parsolve.tables.databases import database_of
from parsolve.tables.file import HEAD, PIECE, map_table, verify_table, write_table
from parsolve.tables.origin import Origin, origin_of

pytest_plugins = ["tabled"]


def test_no_more_tables_are_kept_than_are_used(towers: Any) -> None:
    disks = disks_of(towers)
    one, two, *_ = (parsolve.distances(disks(number)) for number in range(1, store.MOST_KEPT + 1))
    assert parsolve.distances(disks(1)) is one  # used last: it stays
    parsolve.distances(disks(store.MOST_KEPT + 1))
    assert parsolve.distances(disks(1)) is one
    assert parsolve.distances(disks(2)) is not two


def test_tables_are_of_one_type_and_cannot_be_written(towers: Any, place: Path) -> None:
    """Built, loaded, and without a folder: else kernels would be compiled again."""
    disks = disks_of(towers)(3)
    built = database_of(disks).entries
    forget()
    loaded = database_of(disks).entries
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "folder", lambda: None)
        alone = database_of(disks).entries
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
        ('"""Towers', '# edited\n"""Towers'),  # nothing
    )
    for number, change in enumerate(changes):
        source = edited(*change, source=TOWERS)
        other: Any = load_class(f"{puzzle_file(source, f'towers{number}.py', own=True)}:Disks")
        names.add(origin_of(other(3)).name)
    assert len(names) == 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disks, "entries", 100)
        names.add(origin_of(disks(3)).name)
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
    right = database_of(disks(3)).entries.tolist()
    database_of(disks(2))
    file = place / f"{origin_of(disks(3)).name}.table"
    change(file)
    forget()
    listener = Builds()
    assert database_of(disks(3), Watch(listener)).entries.tolist() == right
    assert len(listener.begun) == 1
    (record,) = caplog.records
    assert "cannot be used and is built again: " in record.getMessage()
    assert says in record.getMessage()
    forget()
    assert database_of(disks(3), Watch(listener)).entries.tolist() == right
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
    for at in (HEAD, HEAD + PIECE, -1):
        flip(at)(file)
        assert (map_table(file, origin) != table).sum() == 1
        with pytest.raises(ValueError, match="its checksum is wrong"):
            verify_table(file, lambda: None)
        (found,) = store.verify(None, lambda: None)
        assert found.trouble == "its checksum is wrong"
        flip(at)(file)
    (found,) = store.verify(None, lambda: None)
    assert not found.trouble
    for change, says in ((truncate, "not whole"), (flip(3), "head is damaged")):
        write_table(file, origin, table, 1.0, lambda: None)
        change(file)
        for use in (lambda: map_table(file, origin), lambda: verify_table(file, lambda: None)):
            with pytest.raises(ValueError, match=says):
                use()


def test_reading_a_table_can_be_stopped(place: Path) -> None:
    place.mkdir(mode=0o700)
    origin, left = Origin("a.py:Large", {}, "0" * 32, "0" * 32, 3 * PIECE), iter(range(2))
    file = place / f"{origin.name}.table"
    write_table(file, origin, np.zeros(3 * PIECE, np.uint8), 1.0, lambda: None)
    with pytest.raises(StopIteration):
        verify_table(file, lambda: next(left))  # type: ignore[arg-type]


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
