"""Searches of every engine that are killed again and again, and must give the answer that they give alone.

At a random moment a worker, the fork server, the main process or its supervisor gets a SIGKILL, or a signal asks for an
end; a command that was killed is started again, the same but for the number of workers and the start method. In the end
it must print, and its journal must hold, what it does without kills; that is the known answer, and nothing is left.
Some runs have more trouble: see `troubles.py`.
"""

import argparse
import contextlib
import functools
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from attack_report import Part
from troubles import Trouble, Wrong, possible_troubles

NUMBER = 300
"""Kills, unless another number is asked for."""

MAIN = """
from parsolve.cli import entry
from parsolve.search.tuning import DEFAULT
vars(DEFAULT)["checkpoint_seconds"] = 0.2
entry()
"""
"""The command line, with checkpoints so often that a run gets on between two kills."""

PATIENCE = 600
"""Seconds after which a run counts as hanging."""

PAUSE = 1.5
"""Seconds between two kills at most; more from start to start."""

VARIES = re.compile(r'\d+\.\d+ s\b|"(setup_)?seconds": [\d.e-]+|\t\d+\.\d+$', re.MULTILINE)

COLUMNS = (
    *("runs", "main processes killed", "workers killed", "interrupted", "disks filled", "second writers", "suspended"),
    *("caches emptied", "files cut short", "refused", "recovered", "from scratch", "differences"),
)
"""What is counted; main processes are supervisors as well, workers are fork servers as well."""


class Found(NamedTuple):
    """What a command prints, and what its journal holds: the state and the number of solutions of each job."""

    printed: str
    kept: list[tuple[str, str, int]]
    listed: list[str]


@dataclass(frozen=True)
class Run:
    """A search; it prints the same whatever befalls it.

    Attributes:
        name: of the engine.
        words: the command.
        solutions: how many there are, if that is known elsewhere; 0 if not.
        keeps: how a command resumes what the one before has left.
        cold: what is missing in the cache at first.
        patience: seconds that a command gets before the first kill.
    """

    name: str
    words: tuple[str, ...]
    solutions: int = 0
    keeps: Literal["--journal", "--spill", ""] = "--journal"
    cold: Literal["", "tables", "kernels"] = ""
    patience: float = 0.0

    def command(self, trouble: Trouble) -> list[str]:
        """Return the command, with another number of workers and another start method each time."""
        trouble.environment["PARSOLVE_START_METHOD"] = trouble.random.choice(("forkserver", "spawn"))
        more = ("--workers", str(trouble.random.choice((1, 2, 3))), "--quiet")
        kept = {"--journal": trouble.name_of_journal, "--spill": trouble.folder / "kept"}.get(self.keeps)
        return [sys.executable, "-c", MAIN, *self.words, *more, *((self.keeps, str(kept)) if kept else ())]

    def found(self, folder: Path, journal: Path, printed: str) -> Found:
        """Return what a command has printed, and what the journal says after it."""
        printed = VARIES.sub("", printed)
        if self.keeps != "--journal":
            return Found(printed, [], [])
        jobs = json.loads(said(folder, "export", str(journal), "--format", "json"))
        left_out = "permutations" if self.words[0] == "run" else " "
        kept = [(job["name"], job["status"], job["count"]) for job in jobs if not job["name"].startswith(left_out)]
        lists = self.words[0] == "solve" or kept[1:]
        listed = said(folder, "export", str(journal), "--solutions").splitlines() if lists else []
        if self.words[-1] in ("counted.toml", "listed.toml"):  # a search in parts
            printed += said(folder, "merge", str(journal))
        return Found(printed, kept, [line for line in listed if not line.startswith("permutations")])

    @functools.cached_property
    def alone(self) -> Found:
        """What is found when nothing befalls it.

        Raises:
            SystemExit: that is not the known answer.
        """
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_inputs(folder)
            journal = folder / "it.sqlite"
            kept = ("--journal", str(journal)) if self.keeps == "--journal" else ()
            found = self.found(folder, journal, said(folder, *self.words, "--quiet", *kept))
            if self.solutions and self.solutions != sum(count for *_, count in found.kept):
                raise SystemExit(f"{self.name}, without kills: {found.kept}")
            return found


def said(folder: Path, *words: str) -> str:
    """Return what a command prints.

    Raises:
        Wrong: it fails.
    """
    command = [sys.executable, "-m", "parsolve", *words]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


PEGS = ("peg", "--board", "triangle21", "--vacancy", "4", "--target", "4")
ELEVEN = ("sliding", "--start", "0 3 2 1 8 7 6 5 4 11 10 9", "--shape", "3x4")
EASIER = "13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6"
HARDER = ("5 12 10 7 15 11 14 0 8 2 1 13 3 4 9 6", "3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0")
FIFTEEN = ("sliding", "--goal", "blank-first", "--bound", "manhattan", "--start", EASIER)
DOMINOES = ("polyominoes", "--board", "20x20", "--pieces", "200*I2")

TILINGS = 1_269_984_011_256_235_834_242_602_753_102_293_934_298_576_249_856
"""Of a square of 20 by 20 by dominoes (OEIS A004003)."""

RUNS = (  # those of few kills are the first
    Run("deepening, listing", ("solve", *FIFTEEN), 17),
    Run("deepening, with a transposition table", ("solve", *PEGS, "--bound", "none"), 2774),
    Run("breadth-first, with a journal", ("count", *PEGS, "--engine", "breadth"), 2774),
    Run("sharing, with a journal", ("count", *DOMINOES, "--engine", "sharing"), TILINGS),
    Run("both engines", ("solve", "flipit-c", "--engine", "both"), 73),
    Run("job files", ("run", "jobs.toml"), 365_596 + 73_712 + 352 + 7 + 41),
    Run("a list in parts", ("run", "listed.toml")),
    Run("rows of a file, with a journal", ("run", "rows.toml"), 505),
    Run("explore, by number", ("explore", "sliding", "--shape", "2x5", "--json"), keeps="--spill", patience=1.0),
    Run("pattern databases", ("count", *ELEVEN, "--bound", "patterns"), 0, "", "tables", 2.0),
    Run("deepening, counting", ("count", "queens", "--n", "16", "--unique"), 1_846_955),
    Run("halves of boards", ("count", "queens", "--n", "17", "--method", "quadrants"), 95_815_104),
    Run("deepening, without a key", ("count", "permutations", "--n", "11"), 39_916_800),
    Run("a count in parts", ("run", "counted.toml")),
    Run("rows of a file", ("count", "sliding", "--goal", "blank-first", "--file", "rows.csv"), keeps=""),
    Run("explore, by key", ("explore", *PEGS[:5], "--json"), keeps="--spill", patience=1.0),
    Run("feasible boards", ("count", *PEGS, "--bound", "feasible"), 0, "", "tables", 1.0),
    Run("compiling", ("count", "permutations", "--n", "5"), 0, "", "kernels", 8.0),
)

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


def write_inputs(folder: Path) -> None:
    """Write job files, one of them with a file of rows, two with the parts of a search."""
    (folder / "jobs.toml").write_text(JOBS)
    for name, puzzle, want, more, of in (
        ("counted", "queens", "count", 'n = 15\nmethod = "bits"\n', 5),
        ("listed", "sliding", "all", f'goal = "blank-first"\nbound = "manhattan"\nstart = "{EASIER}"\nlimit = 55\n', 3),
    ):
        jobs = (PART.format(number=number, puzzle=puzzle, want=want, of=of) + more for number in range(1, of + 1))
        (folder / f"{name}.toml").write_text("".join(jobs))
    job = '[[job]]\npuzzle = "sliding"\nfile = "rows.csv"\nbound = "manhattan"\ngoal = "blank-first"\n'
    (folder / "rows.toml").write_text(job)
    random_ = random.Random(1)
    rows = [EASIER, *HARDER, *(shuffled(random_, 4, 100) for _ in range(100))]
    random_.shuffle(rows)
    (folder / "rows.csv").write_text("\n".join(["start", *rows]) + "\n")


def shuffled(random_: random.Random, side: int, moves: int) -> str:
    """Return a sliding puzzle after so many random moves from its goal."""
    tiles = [*range(side * side)]
    for _ in range(moves):
        blank = tiles.index(0)
        row, column = divmod(blank, side)
        near = random_.choice(
            [cell for cell in range(side * side) if abs(cell // side - row) + abs(cell % side - column) == 1]
        )
        tiles[blank], tiles[near] = tiles[near], 0
    return " ".join(map(str, tiles))


def attack(options: argparse.Namespace) -> Part:
    """Kill runs of all engines in turn; `--only` chooses some by their names."""
    part = Part(("engine", *COLUMNS))
    tallies = {run: Counter[str]() for run in RUNS if (options.only or "") in run.name}
    random_, troubles = random.Random(options.seed), possible_troubles()
    wanted = options.number or NUMBER
    while sum(kills(tally) for tally in tallies.values()) < wanted and len(part.differences) < 9:
        run = min(tallies, key=lambda each: (kills(tallies[each]), tallies[each]["runs"]))
        tally = tallies[run]
        tally["runs"] += 1
        kind = random_.choice(troubles if run.keeps == "--journal" else troubles[:1])
        with tempfile.TemporaryDirectory() as folder:
            trouble = kind(Path(folder), random_, tally, run.cold, run.patience)
            write_inputs(Path(folder))
            try:
                tortured(run, trouble)
            except Wrong as error:
                tally["differences"] += 1
                part.differ(f"attack.py kills --seed {options.seed}: {run.name}: {trouble.name}: {error}")
            finally:
                trouble.end()
        print(run.name, trouble.name, dict(tally), sep=", ", file=sys.stderr, flush=True)
    part.rows = [(run.name, *(tally[what] for what in COLUMNS)) for run, tally in tallies.items()]
    return part


def kills(tally: "Counter[str]") -> int:
    """Return how many processes have been killed or interrupted."""
    return tally["main processes killed"] + tally["workers killed"] + tally["interrupted"]


def tortured(run: Run, trouble: Trouble) -> None:
    """Search with kills and trouble, until the search has ended.

    Raises:
        Wrong: it gave another result than it should.
    """
    alone, pause = run.alone, PAUSE + trouble.patience
    while True:
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                run.command(trouble), stdout=output, stderr=errors, env=trouble.environment, cwd=trouble.folder
            )
            killed = befall(process, trouble, pause)
            pause *= trouble.growth
            output.seek(0)
            errors.seek(0)
            error = errors.read()
            if process.returncode == 0:
                if (found := run.found(trouble.folder, trouble.journal, output.read())) != alone:
                    raise Wrong(f"{str(found)[:300]} instead of {str(alone)[:300]}")
                return trouble.require_nothing_left()
            if process.returncode == -signal.SIGKILL or (killed and "ended by SIGKILL" in error):
                trouble.between()
            elif not trouble.excuses(process.returncode, error):
                raise Wrong(f"exit code {process.returncode}: {error[-500:]}")


def befall(process: "subprocess.Popen[bytes]", trouble: Trouble, pause: float) -> bool:
    """Kill and trouble a run until it ends, after at most `pause` seconds each time; return whether the main process
    or its supervisor was killed.

    Raises:
        Wrong: it hangs.
    """
    until = time.monotonic() + PATIENCE
    while process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(trouble.random.uniform(0.3, pause))
            return False
        if time.monotonic() > until:
            process.kill()
            process.wait()
            raise Wrong("it hangs")
        trouble.meanwhile(process)
        if process.poll() is None and trouble.kill(process):
            return True
    return False
