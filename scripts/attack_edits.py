"""Random edits of whatever a search reads, at every moment between two searches: each answer must be that of a fresh
process, or a refusal of one line.

    .venv/bin/python scripts/attack.py edits --number 200
"""

import argparse
import contextlib
import importlib
import itertools
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attack_report import Part
from edited_puzzle import BESIDE, SOURCE
from worlds.members import CHEAPEST, DEAR, EVERY, OWN, SIDE, TRUE, edited

import parsolve
from parsolve.errors import BadInput, GuardStop
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.records import Wanted
from parsolve.levels.explore import explore
from parsolve.search.watch import Watch
from parsolve.tables.databases import supply

ENGINES = (None, "deepening", "breadth", "sharing")
CLASSES = ("Edited", "Edited", "Counted", "Shared")
KINDS = [(name, engine) for name in CLASSES for engine in ENGINES if engine or name == "Edited"]
"""What is searched and how: where the count says which engine counted, that is named."""

WRITTEN = ("ONE", "ARRAY")
"""What a puzzle's own methods write."""

Found = Iterator[tuple[Any, set[int]]]
"""Answers, each a count or a refusal, with the counts that are right."""


class World:
    """The puzzle's module and the one beside it, written to a folder and imported.

    Args:
        folder: where.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values = dict.fromkeys((*EDITS, "FACTOR"), 0)
        for name, text in (("edited.py", SOURCE), ("beside.py", BESIDE)):
            (folder / name).write_text(text)
        sys.path.insert(0, str(folder))
        importlib.invalidate_caches()
        self.module: Any = importlib.import_module("edited")

    def forget(self) -> None:
        """Have another world import its own."""
        sys.path.remove(str(self.folder))
        for name in ("edited", "beside"):
            del sys.modules[name]

    def begin(self, random_: random.Random) -> None:
        """Give all things values."""
        for name in self.values:
            self.set(name, random_.randrange(2))

    def edit(self, random_: random.Random) -> None:
        """Change one thing."""
        self.set(random_.choice([*self.values]), random_.randrange(2))

    def set(self, name: str, value: int) -> None:
        """Give one thing a value."""
        self.values[name] = value
        if name == "FACTOR":
            self.module.FACTOR = value
        else:
            EDITS[name](self, value)

    def restore(self) -> None:
        """Undo what a search has written that was refused."""
        for name in WRITTEN:
            self.set(name, self.values[name])

    def written(self, text: str) -> None:
        """Note what a puzzle's method has written."""
        if text:
            name, value = text.split()
            self.values[name] = int(value)

    def count(self, cls: str, engine: str | None) -> int:
        """Return the right number of solutions."""
        number = sum(self.values[name] << place for place, name in enumerate(EDITS))
        solutions = (number + 1) ** 2
        factor = 1 + self.values["FACTOR"]
        if cls == "Counted" and engine not in ("breadth", "sharing"):
            return solutions * factor
        return solutions // factor if cls == "Shared" and engine == "sharing" else solutions


def _set_array(world: World, value: int) -> None:
    world.module.ARRAY[1] = value


def _set_helper(world: World, value: int) -> None:
    world.module.helper = world.module.other_helper if value else _zero


def _zero() -> int:
    return 0


def _reload(world: World, value: int) -> None:
    file = world.folder / "beside.py"
    file.write_text(f"VALUE = {value}\n# {random.random()}\n")  # another size: its time may be the same
    importlib.invalidate_caches()
    with contextlib.suppress(FileNotFoundError):
        Path(importlib.util.cache_from_source(str(file))).unlink()
    importlib.reload(world.module.beside)


def _set_default(world: World, value: int) -> None:
    world.module.default.__defaults__ = (value,)


EDITS: dict[str, Callable[[World, int], Any]] = {
    "ONE": lambda world, value: setattr(world.module, "ONE", value),
    "ARRAY": _set_array,
    "helper": _set_helper,
    "PAIR": lambda world, value: setattr(world.module, "PAIR", world.module.PAIR._replace(second=value)),
    "beside": _reload,
    "JITTED": lambda world, value: setattr(world.module, "JITTED", value),
    "default": _set_default,
}
"""How each digit of the number is set, the lowest first."""


def answer(search: Callable[[], Any]) -> Any:
    """Return what a search counts, or how it is refused."""
    try:
        return search()
    except BadInput as error:
        return str(error)


def counted(puzzle: Any, engine: Any = None, **more: Any) -> Any:
    """Return what `solve` counts, or how it refuses."""
    return answer(lambda: parsolve.solve(puzzle, want="count", engine=engine, workers=1, **more).count)


def a_write(random_: random.Random) -> str:
    """Return what a method may write."""
    return f"{random_.choice(WRITTEN)} {random_.randrange(2)}"


def by_the_caller(world: World, random_: random.Random) -> Found:
    """Edit, search, edit, search."""
    name, engine = random_.choice(KINDS)
    for _ in range(3):
        world.edit(random_)
        yield counted(getattr(world.module, name)(), engine), {world.count(name, engine)}


def by_a_method(world: World, random_: random.Random) -> Found:
    """Search puzzles whose constructor, `root` or `tables` writes, made at once or one by one."""
    method, at_once = random_.choice(("constructor", "first", "lookups")), random_.random() < 0.5
    texts = [a_write(random_) for _ in range(3)]
    puzzles: Iterator[Any] = (world.module.Edited(**{method: text}) for text in texts)
    if at_once:
        puzzles = iter([*puzzles])
        for text in texts if method == "constructor" else ():
            world.written(text)
    for puzzle, text in zip(puzzles, texts, strict=True):
        found = counted(puzzle, random_.choice(ENGINES))
        if not (at_once and method == "constructor"):
            world.written(text)
        yield found, {world.count("Edited", None)}
        world.restore()


def over_a_journal(world: World, random_: random.Random) -> Found:
    """Search with a journal that holds an answer from before an edit."""
    name, engine = random_.choice(KINDS)
    text = a_write(random_) if random_.random() < 0.5 else ""
    for path in (world.folder / f"{random_.getrandbits(60)}.sqlite",) * 3:
        yield (
            counted(getattr(world.module, name)(lookups=text), engine, journal=path),
            _after(world, text, name, engine),
        )
        world.edit(random_)


def _after(world: World, text: str, name: str, engine: str | None) -> set[int]:
    world.written(text)
    return {world.count(name, engine)}


def over_a_checkpoint(world: World, random_: random.Random) -> Found:
    """Stop a search of a puzzle, which says perhaps what is wrong, and end it with another edit, by any engine."""
    journal, want = world.folder / f"{random_.getrandbits(60)}.sqlite", random_.choice(("all", "count"))
    engines: tuple[str | None, ...] = ("explore",) if random_.random() < 0.2 else (*ENGINES, "both")
    more = random_.choice(((), (OWN,), (DEAR,)))
    before = random_.sample(EVERY, random_.randrange(3))
    after = [edit for (edit, *_) in random_.sample([*TRUE.values()], random_.randrange(2))]
    engine = random_.choice(engines)
    for edits, checks in ((before, random_.randrange(40)), (after, 1 << 60)):
        engine = random_.choice((engine, *engines))
        found = searched(edited(*edits, *more), journal, checks, engine, want)
    solutions = CHEAPEST if DEAR in more else math.comb(2 * SIDE - 2, SIDE - 1)
    yield found, {SIDE**2 if "explore" in engines else solutions}


def searched(puzzle: Any, journal: Path, checks: int, engine: str | None, want: str = "count") -> Any:
    """Return what a search with a journal counts, lists in order and each once, or explores, or how it is refused; None
    if it is stopped, after so many checks, and -1 if it contradicts itself."""
    asked = itertools.count()

    def stop() -> bool:
        return next(asked) >= checks

    def search() -> int | None:
        if engine == "explore":
            return explored(puzzle, journal, stop)
        how: Any = {"engine": engine, "want": want, "workers": 1, "budget": 3, "timeout": 60}
        found = parsolve.solve(puzzle, journal=journal, cancel=stop, **how)
        if want == "count" or found.status == "stopped":
            return found.count
        return len(found.paths) if found.paths == sorted({*found.paths}) else -1

    found = answer(search)
    return -1 if "damaged" in str(found) else found


def explored(puzzle: Any, path: Path, stop: Callable[[], bool]) -> int | None:
    """Return how many states are explored with a journal, if as many are counted by symmetry; None if it is stopped."""

    def check() -> None:
        if stop():
            raise GuardStop

    with Journal(path) as journal, contextlib.suppress(GuardStop):
        (job,) = journal.get_or_create([Wanted("explore", "Grid", {}, "count", {})])
        store = JobStore(journal, job)
        found = explore(puzzle, Watch(check=check), threads=1, store=store, origin="start", supply=supply)
        return found.states if sum(found.in_all) in (0, found.states) else -1
    return None


WAYS: dict[str, tuple[Callable[[World, random.Random], Found], int]] = {
    "by the caller": (by_the_caller, 1),
    "by a method": (by_a_method, 1),
    "over a journal": (over_a_journal, 2),
    "over a checkpoint": (over_a_checkpoint, 1),
}
"""Ways to edit, and of how many numbers one is tried."""


def attack(options: argparse.Namespace) -> Part:
    """Edit and search; `--only` chooses a way."""
    part = Part(("edits", "searches", "right", "refused", "differences"))
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for way, (search, rare) in WAYS.items():
            if options.only and options.only not in way:
                continue
            tally: Counter[str] = Counter()
            for number in range(-(-(options.number or 400) // rare)):
                if options.instance is not None and number != options.instance:
                    continue
                random_ = random.Random(f"{options.seed} {way} {number}")
                world.begin(random_)
                for found, right in search(world, random_):
                    kind = "refused" if isinstance(found, str) else "right" if found in right else "wrong"
                    tally[kind] += 1
                    if kind == "wrong":
                        repeat = f"attack.py edits --seed {options.seed} --only '{way}' --instance {number}"
                        part.differ(f"{repeat}: {found}, right is one of {sorted(right)}")
            part.rows.append((way, tally.total(), tally["right"], tally["refused"], tally["wrong"]))
        world.forget()
    return part
