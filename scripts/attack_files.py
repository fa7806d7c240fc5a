"""Tampering with every kind of file that parsolve keeps: the answer is right, or one line says what is wrong."""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attack_report import Ended, Part, forked
from attack_tampering import REPLACED, Tamper, tamperings, values
from worlds import abstractions
from worlds.abstractions import ROADS, Bounded
from worlds.walks import made

import parsolve
from parsolve import Listener, Puzzle
from parsolve.cli import main
from parsolve.cli.commands.explore import kept_in
from parsolve.levels.explore import explore
from parsolve.puzzles import Peg, Queens
from parsolve.search.progress import Progress
from parsolve.search.watch import Watch
from parsolve.system import cachefolder

PATIENCE = 60.0
"""Seconds after which a command counts as hanging: it may have to compile."""

VARIES = re.compile(r'\d+\.\d+ s\b|"(setup_)?seconds": [\d.e-]+|\d+\.\d+|\d\d:\d\d(:\d\d)?')
"""What differs from run to run, or with the time that is kept with it."""

NUMBER = 600
"""Tamperings, unless another number is asked for."""

Words = tuple[str, ...]


@dataclass(frozen=True)
class Kept:
    """A kind of file that parsolve keeps.

    Attributes:
        name: of the kind.
        make: leaves it in the working folder; called in a process of its own.
        make_other: the same of another puzzle.
        files: which ones are tampered with, as a pattern.
        commands: that use them.
        share: of the tamperings.
        has_cache: whether the working folder is the cache folder too.
    """

    name: str
    make: Callable[[], object]
    make_other: Callable[[], object]
    files: str
    commands: Sequence[Words]
    share: float
    has_cache: bool = False


class Levels(Listener):
    """Ends a search at a level."""

    def __init__(self, last: int) -> None:
        self.last = last

    def progress_made(self, progress: Progress) -> None:
        if progress.limit >= self.last:
            raise KeyboardInterrupt


def searched(puzzle: Puzzle, looks: int) -> None:
    """Leave a journal of a search that was stopped when it looked so often whether to stop."""
    left = iter(range(looks))
    parsolve.solve(puzzle, journal="it.sqlite", workers=1, cancel=lambda: next(left, None) is None)


def explored(puzzle: Puzzle, last: int) -> None:
    """Leave a folder of states up to a level."""
    try:
        watch = Watch(Levels(last), max_memory=1 << 30)
        with kept_in(Path("states"), puzzle, watch) as store:
            explore(puzzle, watch, threads=1, spill=Path("states"), store=store)
    except KeyboardInterrupt:
        return


def batch(number: int) -> None:
    """Leave a job file and its journal."""
    Path("jobs.toml").write_text(f'[[job]]\nname = "it"\npuzzle = "queens"\nn = {number}\n\n[[job]]\npuzzle = "jugs"\n')
    main(["run", "jobs.toml", "--journal", "it.sqlite", *ALONE])


def counted(*words: str) -> None:
    """Leave kernels and tables."""
    main(["count", *words, *ALONE])


ALONE = ("--workers", "1", "--quiet")
NINE = ("--n", "9", "--method", "backtrack")
TILES = ("sliding", "--shape", "2x3", "--start", "4 5 0 1 2 3", "--bound", "patterns")
FEW = ("permutations", "--n", "4", "--method", "lists")
PEGS = ("explore", "peg", "--board", "triangle15", "--vacancy", "0", "--spill", "states", "--json", "--workers", "1")

KINDS = (
    Kept(
        "journals",
        lambda: searched(Queens(9, "backtrack"), 3),
        lambda: searched(Queens(8, "backtrack"), 3),
        "it.sqlite",
        (
            ("solve", "queens", *NINE, "--journal", "it.sqlite", *ALONE),
            ("show", "it.sqlite", "--solutions"),
            ("export", "it.sqlite"),
        ),
        3.0,
    ),
    Kept(
        "journals of job files",
        lambda: batch(6),
        lambda: batch(5),
        "it.sqlite",
        (
            ("run", "jobs.toml", "--journal", "it.sqlite", *ALONE),
            ("export", "it.sqlite"),
            ("status", "it.sqlite"),
        ),
        2.0,
    ),
    Kept(
        "tables",
        lambda: counted(*TILES),
        lambda: counted(*TILES, "--goal", "blank-first"),
        "*.table",
        (("count", *TILES, *ALONE),),
        2.0,
        has_cache=True,
    ),
    Kept(
        "kernels",
        lambda: counted(*FEW),
        lambda: counted("queens", "--n", "4", "--method", "bits"),
        "*.kernel",
        (("count", *FEW, *ALONE),),
        0.5,
        has_cache=True,
    ),
    Kept(
        "syntax of functions",
        lambda: counted(*FEW),
        lambda: counted("queens", "--n", "4", "--method", "bits"),
        "*.syntax",
        (("count", *FEW, *ALONE),),
        0.5,
        has_cache=True,
    ),
    Kept(
        "explored states",
        lambda: explored(Peg("triangle15", "0"), 6),
        lambda: explored(Peg("triangle15", "4"), 6),
        "states/*.sqlite",
        (PEGS,),
        2.0,
    ),
)


def attack(options: argparse.Namespace) -> Part:
    """Tamper with files of all kinds, and use them."""
    part = Part(("files", "tamperings", "right", "refused", "differences"))
    every = sum(kind.share for kind in KINDS)
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            number = max(1, round((options.number or NUMBER) * kind.share / every))
            _tamper(part, kind, Path(folder) / kind.name.replace(" ", "-"), options.seed, number)
        _change_data(part, Path(folder) / "data", options.seed, max(2, (options.number or NUMBER) // 30))
    return part


def command(folder: Path, words: Words, cache: Path | None = None) -> Ended:
    """Run a command in a folder, in a process of its own."""

    def act() -> int:
        os.chdir(folder)
        if cache is not None:
            os.environ["PARSOLVE_CACHE_DIR"] = str(cache)
        cachefolder.folder.cache_clear()
        return main(words)

    return forked(act, PATIENCE)


def _make(folder: Path, kind: Kept, make: Callable[[], object]) -> Path:
    """Return a folder with files of a kind."""
    folder.mkdir(mode=0o700, parents=True)

    def act() -> int:
        os.chdir(folder)
        if kind.has_cache:
            os.environ["PARSOLVE_CACHE_DIR"] = str(folder)
        cachefolder.folder.cache_clear()
        make()
        return 0

    ended = forked(act, PATIENCE)
    if ended.code or not [*folder.glob(kind.files)]:
        raise SystemExit(f"{kind.name} cannot be made: {ended}")
    return folder


def _tamper(part: Part, kind: Kept, folder: Path, seed: int, number: int) -> None:
    random_ = random.Random(f"{seed} {kind.name}")
    made_, other = _make(folder / "made", kind, kind.make), _make(folder / "other", kind, kind.make_other)
    expected = {}
    for words in kind.commands:
        copy = shutil.copytree(made_, folder / "copy")
        expected[words] = command(copy, words, copy if kind.has_cache else None)
        shutil.rmtree(copy)
        if expected[words].code not in (0, 3):
            raise SystemExit(f"{kind.name}: {' '.join(words)}: {expected[words]}")
    cases = [*_cases(kind, made_, other, random_, number)]
    tally = {"right": 0, "refused": 0, "wrong": 0}
    for name, what, tamper in random_.sample(cases, min(number, len(cases))):
        copy = shutil.copytree(made_, folder / "copy", symlinks=True)
        tamper(copy / name)
        # What only reads a file and names no puzzle cannot tell it from a whole other one.
        candidates = [
            words for words in kind.commands if what != REPLACED or words[0] not in ("show", "export", "status")
        ]
        words = random_.choice(candidates)
        judged = judge(command(copy, words, copy if kind.has_cache else None), expected[words])
        _remove(copy)
        tally[judged if judged in tally else "wrong"] += 1
        if judged not in tally:
            part.differ(f"attack.py files --seed {seed}: {kind.name}: {name} {what}, {' '.join(words)}: {judged}")
    part.rows.append((kind.name, sum(tally.values()), *tally.values()))
    print(*part.rows[-1], sep=", ", file=sys.stderr, flush=True)


def _cases(
    kind: Kept, made_: Path, other: Path, random_: random.Random, number: int
) -> Iterator[tuple[str, str, Tamper]]:
    """Yield what may befall each file of a kind: its name, what happens, and what does it."""
    others = sorted(other.glob(kind.files))
    for file in sorted(made_.glob(kind.files)):
        name = str(file.relative_to(made_))
        twin = random_.choice([each for each in others if each.suffix == file.suffix] or others)
        for what, tamper in tamperings(file, twin, random_, max(1, number // 20)):
            yield name, what, tamper
        for what, tamper in values(file, random_, max(4, number // 4)):
            yield name, what, tamper


def judge(ended: Ended, expected: Ended) -> str:
    """Return `right`, `refused`, or what is wrong with how a command has ended."""
    said = [line for line in ended.errors.splitlines() if line.startswith("parsolve: ")]
    if ended.hung:
        return "it hangs"
    if "Traceback" in ended.errors or ended.code < 0:
        return f"exit code {ended.code}: {ended.errors[-300:]}"
    if ended.code == 2:
        return "refused" if len(said) == 1 and not ended.output else f"exit code 2, {ended.errors[-300:]!r}"
    if ended.code != expected.code:
        return f"exit code {ended.code}, {ended.errors[-300:]!r}"
    if VARIES.sub("", ended.output) != VARIES.sub("", expected.output):
        return f"it prints {ended.output[:200]!r} instead of {expected.output[:200]!r}"
    return "right"


def _remove(folder: Path) -> None:
    """Delete a folder, whatever has been made of its files."""
    folder.chmod(0o700)
    shutil.rmtree(folder)


def _change_data(part: Part, folder: Path, seed: int, number: int) -> None:
    """Let the data that a puzzle reads change between two commands."""
    random_ = random.Random(f"{seed} data")
    for name, more in (("data behind a table", ()), ("data behind a journal", ("--journal", "it.sqlite"))):
        tally = {"right": 0, "refused": 0, "wrong": 0}
        words = ("count", f"{abstractions.__file__}:Roads", *ALONE, *more)
        for case in range(number):
            place = folder / f"{name}-{case}".replace(" ", "-")
            place.mkdir(parents=True, mode=0o700)
            for step in range(2):
                answer = None
                while answer is None:
                    number_ = random_.getrandbits(32)
                    instance = made(Bounded(number_))
                    answer = instance.answer if instance and "deepening" in instance.engines else None
                (place / ROADS).write_text(str(number_))
                ended = command(place, words)
                expected = Ended(0 if answer.count else 1, f"{answer.count}\n" if answer.count else "0\n", "")
                judged = judge(ended, expected)
                tally[judged if judged in tally else "wrong"] += step
                if judged not in ("right", "refused")[: 1 + step]:
                    part.differ(f"attack.py files --seed {seed}: {name}: {number_} after another one: {judged}")
        part.rows.append((name, number, *tally.values()))
        print(*part.rows[-1], sep=", ", file=sys.stderr, flush=True)
