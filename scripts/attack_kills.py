"""Searches of every engine that are killed at random moments, and must give the answer that they give alone."""

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
from attack_report import Part
from torture import BATCHES, EASIER, MAIN, SLIDING, Run, Wrong, said, tortured
from troubles import Trouble

NUMBER = 300
"""Kills, unless another number is asked for."""

START = 0.7
"""Seconds more than a command needs to start, before the first kill: else it seldom gets on."""

EXPLORE = """
from functools import partial
from parsolve.cli import entry
from parsolve.journal import store
store.JournalStore = partial(store.JournalStore, interval=0.1)
entry()
"""
"""The command line, with a layer written so often that a run gets on between two kills."""

VARIES = re.compile(r'\d+\.\d+ s\b|"(setup_)?seconds": [\d.e-]+|\t\d+\.\d+$', re.MULTILINE)

COLUMNS = ("runs", "main processes killed", "workers killed", "interrupted")

JOBS = """[[job]]
puzzle = "queens"
n = [9, 13, 14]
want = "count"
method = "bits"

[[job]]
puzzle = "flipit"
row = ["BB_BBB", "B_WBBBB"]
"""

PART = """[[job]]
name = "{number}"
puzzle = "{puzzle}"
want = "{want}"
part = "{number}/{of}"
"""


@dataclass(frozen=True)
class Engine(Run):
    """A search of one engine; it prints the same whatever befalls it.

    Attributes:
        name: of the engine.
        main: the command line, as Python.
        keeps: how a command resumes what the one before has left.
        cold: what is missing in the cache at first.
        patience: seconds that a command gets before the first kill.
    """

    name: str = ""
    main: str = MAIN
    keeps: Literal["--journal", "--spill", ""] = "--journal"
    cold: Literal["", "tables", "kernels"] = ""
    patience: float = 0.0

    def command(self, trouble: Trouble) -> list[str]:
        """Return the command, with another number of workers each time."""
        words = [sys.executable, "-c", self.main, *self.words, "--workers", str(trouble.random.choice((1, 2, 3)))]
        trouble.environment["PARSOLVE_START_METHOD"] = trouble.random.choice(("forkserver", "spawn"))
        if self.keeps:
            words += [self.keeps, str(trouble.folder / ("kept" if self.keeps == "--spill" else "it.sqlite"))]
        return words

    def check(self, trouble: Trouble, output: str) -> None:
        """Compare what it prints with what it prints alone.

        Raises:
            Wrong: they differ, or something is left.
        """
        if VARIES.sub("", output) != self.alone():
            raise Wrong(f"it prints {output[:300]!r} instead of {self.alone()[:300]!r}")
        if isinstance(trouble, Kills):
            trouble.require_nothing_left()

    def alone(self) -> str:
        """Return what it prints when nothing befalls it."""
        if self not in _alone:
            with tempfile.TemporaryDirectory() as folder:
                write_inputs(Path(folder))
                before = os.getcwd()
                os.chdir(folder)
                try:
                    more = ("--journal", "it.sqlite") if self.words[0] == "run" else ()
                    _alone[self] = VARIES.sub("", said(*self.words, *more))
                finally:
                    os.chdir(before)
        return _alone[self]


_alone: dict[Engine, str] = {}


@dataclass(frozen=True)
class InParts(Engine):
    """A job file with all parts of a search, which are merged at the end.

    Attributes:
        whole: the command that searches all at once.
    """

    whole: tuple[str, ...] = ()

    def check(self, trouble: Trouble, output: str) -> None:
        """Compare each part, and all of them together with the whole.

        Raises:
            Wrong: they differ, or something is left.
        """
        super().check(trouble, output)
        if said("merge", str(trouble.folder / "it.sqlite")) != said(*self.whole, "--quiet"):
            raise Wrong("the parts together are another answer than the whole")


PEGS = ("peg", "--board", "triangle21", "--vacancy", "4", "--target", "4")
ELEVEN = ("sliding", "--start", "0 3 2 1 8 7 6 5 4 11 10 9", "--shape", "3x4")

DOMINOES = ("polyominoes", "--board", "20x20", "--pieces", "200*I2")

ENGINES = (
    Engine(("solve", *SLIDING, "--start", EASIER, "--quiet"), 17, "deepening, listing"),
    Engine(("count", "queens", "--n", "16", "--unique", "--quiet"), 1, "deepening, counting"),
    Engine(("count", "queens", "--n", "17", "--method", "quadrants", "--quiet"), 1, "halves of boards"),
    Engine(("solve", *PEGS, "--bound", "none", "--quiet"), 1, "deepening, with a transposition table"),
    Engine(("count", *PEGS, "--engine", "breadth", "--quiet"), 1, "breadth-first, with a journal"),
    Engine(("count", *DOMINOES, "--engine", "sharing", "--quiet"), 1, "sharing, with a journal"),
    Engine(("solve", "flipit-c", "--engine", "both", "--quiet"), 1, "both engines"),
    Engine(("run", "jobs.toml", "--quiet"), 1, "job files"),
    InParts(("run", "counted.toml", "--quiet"), 1, "a count in parts", whole=("count", "queens", "--n", "15")),
    InParts(("run", "listed.toml", "--quiet"), 1, "a list in parts", whole=("solve", *SLIDING, "--start", EASIER)),
    Engine(("run", "rows.toml", "--quiet"), 1, "rows of a file, with a journal"),
    Engine(
        ("count", "sliding", "--goal", "blank-first", "--file", "rows.csv", "--quiet"), 1, "rows of a file", MAIN, ""
    ),
    Engine(("explore", "sliding", "--shape", "2x5", "--json"), 1, "explore, by number", EXPLORE, "--spill", "", 1.0),
    Engine(("explore", *PEGS[:5], "--json"), 1, "explore, by key", EXPLORE, "--spill", "", 1.0),
    Engine(("count", *ELEVEN, "--bound", "patterns", "--quiet"), 1, "pattern databases", MAIN, "", "tables", 2.0),
    Engine(("count", *ELEVEN, "--bound", "walking", "--quiet"), 1, "walking distance", MAIN, "", "tables", 2.0),
    Engine(("count", *PEGS, "--bound", "feasible", "--quiet"), 1, "feasible boards", MAIN, "", "tables", 1.0),
    Engine(("count", "permutations", "--n", "5", "--quiet"), 1, "compiling", MAIN, "", "kernels", 8.0),
)


class Kills(Trouble):
    """Kills, and signals that ask for an end; afterwards nothing may be left.

    Args:
        folder: of the run.
        random_, tally: see `Trouble`.
        engine: whose run it is.
    """

    name = "kills and signals"
    growth = 1.3

    def __init__(self, folder: Path, random_: random.Random, tally: "Counter[str]", engine: Engine) -> None:
        super().__init__(folder, random_, tally)
        self.patience = START + engine.patience
        self._mark = uuid.uuid4().hex
        self._signalled = False
        write_inputs(folder)
        (folder / "tmp").mkdir()
        self.environment |= {"PARSOLVE_ATTACK": self._mark, "TMPDIR": str(folder / "tmp")}
        if engine.cold:
            cache = folder / "cache"
            cache.mkdir(mode=0o700)
            if engine.cold == "tables":
                for kernel in Path(os.environ["PARSOLVE_CACHE_DIR"]).glob("*.kernel"):
                    shutil.copy2(kernel, cache)
            self.environment["PARSOLVE_CACHE_DIR"] = str(cache)

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        """Ask for an end now and then."""
        self._signalled = self.random.random() < 0.3
        if self._signalled:
            process.send_signal(self.random.choice((signal.SIGINT, signal.SIGTERM)))
            self.tally["interrupted"] += 1
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Wrong("it does not end by SIGINT or SIGTERM") from None

    def excuses(self, code: int, error: str) -> bool:
        """Return whether it has ended by a signal that was sent, before its own handlers stood or after."""
        early = code in (-signal.SIGINT, -signal.SIGTERM) or ('File "<string>"' in error and "Interrupt" in error)
        return self._signalled and (early or (code in (130, 143) and "Traceback" not in error))

    def require_nothing_left(self) -> None:
        """Look for processes of the run, and for files that it has not cleaned up.

        Raises:
            Wrong: there are some.
        """
        until = time.monotonic() + 15
        while (left := [*self._processes()]) and time.monotonic() < until:
            time.sleep(0.2)
        if left:
            raise Wrong(f"processes are left: {left}")
        files = [*(self.folder / "tmp").iterdir(), *self.folder.rglob("*.draft")]
        if files:
            raise Wrong(f"files are left: {files}")

    def _processes(self) -> list[str]:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get("PARSOLVE_ATTACK") == self._mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
        return found


def write_inputs(folder: Path) -> None:
    """Write job files, one of them with a file of rows, two with the parts of a search."""
    (folder / "jobs.toml").write_text(JOBS)
    for name, puzzle, want, more, of in (
        ("counted", "queens", "count", 'n = 15\nmethod = "bits"\n', 5),
        ("listed", "sliding", "all", f'goal = "blank-first"\nbound = "manhattan"\nstart = "{EASIER}"\nlimit = 55\n', 3),
    ):
        jobs = (PART.format(number=number, puzzle=puzzle, want=want, of=of) + more for number in range(1, of + 1))
        (folder / f"{name}.toml").write_text("".join(jobs))
    BATCHES[0].prepare(folder)


def attack(options: argparse.Namespace) -> Part:
    """Kill runs of all engines in turn."""
    part = Part(("engine", *COLUMNS, "differences"))
    tallies: dict[Engine, Counter[str]] = {engine: Counter() for engine in ENGINES}
    random_ = random.Random(options.seed)
    wanted = options.number or NUMBER
    while sum(kills(tally) for tally in tallies.values()) < wanted:
        engine = min(ENGINES, key=lambda each: (kills(tallies[each]), tallies[each]["runs"]))
        tally = tallies[engine]
        tally["runs"] += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                engine.alone()
                tortured(engine, Kills(Path(folder), random_, tally, engine))
            except Wrong as error:
                tally["differences"] += 1
                part.differ(f"attack.py kills --seed {options.seed}: {engine.name}: {' '.join(engine.words)}: {error}")
        print(engine.name, dict(tally), file=sys.stderr, flush=True)
    part.rows = [
        (engine.name, *(tally[what] for what in (*COLUMNS, "differences"))) for engine, tally in tallies.items()
    ]
    return part


def kills(tally: "Counter[str]") -> int:
    """Return how many processes have been killed or interrupted."""
    return tally["main processes killed"] + tally["workers killed"] + tally["interrupted"]
