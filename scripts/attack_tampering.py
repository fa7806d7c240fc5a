"""What may befall a file: bits that flip, ends that are missing, and other people's hands."""

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Tamper = Callable[[Path], None]

OTHER_USER = 65534
"""Nobody."""

HEAD = 48
"""Bytes at the beginning of a file that are each changed."""

REPLACED = "replaced by a file of another puzzle"


def tamperings(file: Path, other: Path, random_: random.Random, number: int) -> Iterator[tuple[str, Tamper]]:
    """Yield what is done to a file, by name, each to a copy of its own.

    Args:
        file: as it was written.
        other: one of the same kind, of another puzzle.
        random_: chooses bits and places.
        number: of random changes of each sort.
    """
    size = file.stat().st_size
    places = [*range(min(HEAD, size)), *(random_.randrange(size) for _ in range(3 * number))] if size else []
    for place in places:
        yield f"bit of byte {place} flipped", _flip(place, 1 << random_.randrange(8))
    for end in {0, 1, size // 2, max(0, size - 1), *(random_.randrange(size + 1) for _ in range(number))}:
        yield f"cut to {end} bytes", _cut(end)
    for _ in range(number):
        first, length = random_.randrange(size + 1), random_.choice((1, 16, 512, 4096))
        yield f"{length} bytes from {first} on zeroed", _fill(first, bytes(length))
        yield f"{length} bytes from {first} on random", _fill(first, random_.randbytes(length))
    yield "lengthened", _fill(size, b"\0" * 100)
    yield REPLACED, lambda file: _replace(file, other)
    yield "removed", Path.unlink
    yield "twice", lambda file: _copy(file, file.with_name(f"{file.stem}-2{file.suffix}"))
    yield "writable by others", lambda file: file.chmod(0o666)
    yield "of another user", lambda file: os.chown(file, OTHER_USER, OTHER_USER)
    yield "a link to it", _link
    yield "a link to nothing", lambda file: _instead(file, lambda: file.symlink_to(file.with_name("nothing")))
    yield "a link to itself", lambda file: _instead(file, lambda: file.symlink_to(file))
    yield "a pipe", lambda file: _instead(file, lambda: os.mkfifo(file))
    yield "a folder", lambda file: _instead(file, file.mkdir)
    yield "a device", lambda file: _instead(file, lambda: file.symlink_to("/dev/zero"))


def values(file: Path, random_: random.Random, number: int) -> Iterator[tuple[str, Tamper]]:
    """Yield changes of what a file says that leave it a proper file of its format.

    Args:
        file: a journal, or a table of distances.
        random_: chooses values.
        number: how many changes.
    """
    if file.read_bytes().startswith(b"SQLite"):
        for _ in range(number):
            seed = random_.getrandbits(32)
            yield f"a value of the database changed ({seed})", lambda file, seed=seed: change_row(file, seed)  # type: ignore[misc]
        for version in (0, 1, 2, 99):
            yield f"version {version}", lambda file, version=version: _version(file, version)  # type: ignore[misc]
    elif file.read_bytes().startswith(b"{"):
        for _ in range(number):
            seed = random_.getrandbits(32)
            yield f"a value changed ({seed})", lambda file, seed=seed: change_json(file, seed)  # type: ignore[misc]


def change_row(file: Path, seed: int) -> None:
    """Change, delete or double a random row of a database."""
    random_ = random.Random(seed)
    connection = sqlite3.connect(file)
    with connection:
        schema = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        tables = [name for name, sql in schema if "WITHOUT ROWID" not in sql.upper()]
        full = [name for name in tables if connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]]
        name = random_.choice(full)
        (row,) = random_.choice(connection.execute(f"SELECT rowid FROM {name}").fetchall())
        if random_.random() < 0.2:
            connection.execute(f"DELETE FROM {name} WHERE rowid = ?", (row,))
            return
        columns = [each[1] for each in connection.execute(f"PRAGMA table_info({name})")]
        column = random_.choice(columns)
        (value,) = connection.execute(f'SELECT "{column}" FROM {name} WHERE rowid = ?', (row,)).fetchone()
        changed = [value + 1, value - 1, -value, 1 << 60, "x"] if isinstance(value, int) else [None, "", 7, f"{value}0"]
        try:
            connection.execute(f'UPDATE {name} SET "{column}" = ? WHERE rowid = ?', (random_.choice(changed), row))
        except sqlite3.IntegrityError:
            connection.execute(f"DELETE FROM {name} WHERE rowid = ?", (row,))
    connection.close()


def change_json(file: Path, seed: int) -> None:
    """Change a random value of the JSON that a file begins with, of the same length where bytes follow."""
    random_ = random.Random(seed)
    data = file.read_bytes()
    end = data.find(b"\n") + 1 or len(data)
    found = json.loads(data[:end])
    places: list[tuple[Any, Any]] = []  # a dict or list, and a name or number in it

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            places.extend((value, name) for name in value)
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            places.extend((value, number) for number in range(len(value)))
            for each in value:
                collect(each)

    collect(found)
    holder, name = random_.choice(places)
    before = holder[name]
    after: list[Any] = [before + 1, before - 1, 0, 1 << 40] if isinstance(before, int) else [None, "x", [], 3]
    if isinstance(holder, list) and random_.random() < 0.3:
        holder.pop()
    else:
        holder[name] = random_.choice(after)
    line = json.dumps(found).encode()
    file.write_bytes(line.ljust(end - 1)[: end - 1] + b"\n" + data[end:] if end < len(data) else line)


def _version(file: Path, version: int) -> None:
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def _flip(place: int, bit: int) -> Tamper:
    def tamper(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[place] ^= bit
        file.write_bytes(data)

    return tamper


def _cut(end: int) -> Tamper:
    return lambda file: os.truncate(file, end)


def _fill(first: int, what: bytes) -> Tamper:
    def tamper(file: Path) -> None:
        data = file.read_bytes()
        file.write_bytes(data[:first] + what + data[first + len(what) :])

    return tamper


def _replace(file: Path, other: Path) -> None:
    file.write_bytes(other.read_bytes())


def _copy(file: Path, to: Path) -> None:
    shutil.copy2(file, to)


def _link(file: Path) -> None:
    real = file.with_name(f"{file.name}.real")
    file.rename(real)
    file.symlink_to(real)


def _instead(file: Path, make: Callable[[], object]) -> None:
    file.unlink()
    make()
