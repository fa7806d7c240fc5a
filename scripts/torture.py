"""Runs that are killed again and again, and must give the known answer all the same.

Each run is one search with a journal, or a batch of many short ones. At a random moment a worker, the fork server, the
main process or its supervisor gets a SIGKILL; a command that was killed is started again, the same but for the number
of workers and the start method. In the end count and list must be the known ones, by the command's own output and by
the journal.

Some runs have more trouble: a disk that is full for a while; a journal that is cut short at a random place after a
kill, which may be refused, but never lead to another answer; a journal with several names, and a second command that
uses another one; processes that are suspended; kernel caches that are emptied.

    .venv/bin/python scripts/torture.py --kills 500 --seed 1
"""

import argparse
import contextlib
import functools
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import benchmark
from troubles import ColdCaches, CutShort, FullDisk, Suspended, Trouble, TwoNames

from parsolve.bench.markdown import table

MAIN = """
from functools import partial
from parsolve.batch import run
from parsolve.cli import entry
from parsolve.journal.store import JournalStore
run.search = partial(run.search, make_store=partial(JournalStore, interval=0.2))
entry()
"""
"""The command line, with checkpoints so often that a run gets on between two kills."""

PATIENCE = 600
"""Seconds after which a run counts as hanging."""

PAUSE = 1.5
"""Seconds between two kills at most; more from start to start."""

COLUMNS = (
    *("runs", "main processes killed", "workers killed", "disks filled", "second writers", "suspended"),
    *("caches emptied", "files cut short", "refused", "recovered", "from scratch", "differences"),
)
"""What is counted; main processes are supervisors as well, workers are fork servers as well."""


@dataclass(frozen=True)
class Run:
    """A search and its answer: how many solutions, and how many lines it prints."""

    words: tuple[str, ...]
    solutions: int

    @property
    def lists(self) -> bool:
        """Whether it prints the solutions."""
        return self.words[0] == "solve"

    def prepare(self, folder: Path) -> None:
        """Write the files that it reads."""

    def lines(self) -> list[str]:
        """Return what it prints without a journal and without kills."""
        return said(*self.words, "--quiet").splitlines()

    def command(self, trouble: Trouble) -> list[str]:
        """Return the command, with another number of workers and another start method each time."""
        more = ("--journal", str(trouble.name_of_journal), *trouble.executor(), "--quiet")
        return [sys.executable, "-c", MAIN, *self.words, *more]

    def check(self, trouble: Trouble, output: str) -> None:
        """Compare the output of a command that has ended well with what is known.

        Raises:
            Wrong: they differ.
        """
        checked(self, trouble.journal, output)


@dataclass(frozen=True)
class Batch(Run):
    """A job file of many sliding puzzles, whose solutions are listed: shuffled ones, most of them easy, and others."""

    side: int
    rows: int
    moves: int
    others: tuple[str, ...] = ()

    @property
    def lists(self) -> bool:
        return True

    def prepare(self, folder: Path) -> None:
        job = '[[job]]\npuzzle = "sliding"\nfile = "rows.csv"\nbound = "manhattan"\ngoal = "blank-first"\n'
        (folder / "rows.toml").write_text(job)
        random_ = random.Random(1)
        rows = [*self.others, *(shuffled(random_, self.side, self.moves) for _ in range(self.rows))]
        random_.shuffle(rows)
        (folder / "rows.csv").write_text("\n".join(["start", *rows]) + "\n")

    def command(self, trouble: Trouble) -> list[str]:
        words = [*self.words, "--journal", str(trouble.name_of_journal), "--quiet"]
        return [sys.executable, "-c", MAIN, *words, "--workers", str(trouble.random.choice((1, 2, 3)))]

    def lines(self) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            self.prepare(Path(folder))
            journal = Path(folder) / "journal.sqlite"
            said(*self.words[:-1], str(Path(folder) / self.words[-1]), "--journal", str(journal), "--quiet")
            return listed(journal)

    def check(self, trouble: Trouble, output: str) -> None:
        """Compare what the journal says with what is known.

        Raises:
            Wrong: they differ.
        """
        if listed(trouble.journal) != known(self):
            raise Wrong("the journal has other solutions, or in another order")
        jobs = json.loads(said("export", str(trouble.journal), "--format", "json"))
        jobs = [job for job in jobs if job["name"].startswith("sliding-")]  # a second writer may have come first
        if {job["status"] for job in jobs} != {"solved"}:
            raise Wrong(f"not all jobs are done: {Counter(job['status'] for job in jobs)}")
        if len(jobs) != self.rows + len(self.others) or sum(job["count"] for job in jobs) != self.solutions:
            raise Wrong(f"{len(jobs)} jobs have {sum(job['count'] for job in jobs)} solutions")


def listed(journal: Path) -> list[str]:
    """Return the solutions of a batch in a journal as lines."""
    return [line for line in said("export", str(journal), "--solutions").splitlines() if line.startswith("sliding-")]


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


SLIDING = ("sliding", "--goal", "blank-first", "--bound", "manhattan")
KORF_1 = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
EASIER = "13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6"
HARDER = ("5 12 10 7 15 11 14 0 8 2 1 13 3 4 9 6", "3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0")

DOMINOES = 1_269_984_011_256_235_834_242_602_753_102_293_934_298_576_249_856
"""Tilings of a square of 20 by 20 (OEIS A004003)."""

LONG = (
    Run(("count", "queens", "--n", "19", "--method", "quadrants"), 4_968_057_848),
    Run(("count", "queens", "--n", "18", "--unique"), 83_263_591),
    Run(("solve", *SLIDING, "--start", KORF_1), 1),
)
"""5 to 20 seconds on one core."""

SHORT = (
    Run(("count", "queens", "--n", "17", "--method", "quadrants"), 95_815_104),
    Run(("count", "queens", "--n", "16", "--unique"), 1_846_955),
    Run(("solve", *SLIDING, "--start", EASIER), 17),
)
"""The same in a second."""

BATCHES = (
    Batch(("run", "rows.toml"), 639, 3, 400, 60),
    Batch(("run", "rows.toml"), 505, 4, 100, 100, (EASIER, *HARDER)),
)
"""Many searches with one journal: small ones, and small and large ones."""

RUNS = (
    Run(("count", "queens", "--n", "15", "--method", "bits"), 2_279_184),
    Run(("solve", "queens", "--n", "11"), 2680),
    Run(("solve", "eight", "--bound", "none"), 40),
    Run(("solve", "peg", "--board", "triangle21", "--vacancy", "4", "--target", "4", "--bound", "none"), 2774),
    Run(("solve", "peg21", "--bound", "corners", "--transposition", "none"), 96),
    Run(("count", "permutations", "--n", "11"), 39_916_800),
    Run(("solve", "flipit-c"), 73),
    Run(("solve", "crossing", "--engine", "deepening"), 486),
    Run(("solve", "jugs", "--engine", "deepening"), 1),
    Run(("count", "polyominoes", "--board", "20x20", "--pieces", "200*I2", "--engine", "sharing"), DOMINOES),
    Run(("count", "langford", "--n", "12", "--engine", "sharing"), 108_144),
    *BATCHES,
)
"""With `LONG` or `SHORT` every family and every engine that resumes: queens by branches and by quadrants, peg with the
transposition table and without, counts by sharing; and `BATCHES`."""


class Wrong(Exception):
    """A run gave another result than it should."""


def main() -> int:
    """Torture, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="at least so many (default: 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the random moments (default: 1)")
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="begin no run after so long")
    parser.add_argument("--together", type=int, default=1, metavar="N", help="runs at a time (default: 1)")
    parser.add_argument("--short", action="store_true", help="no search that takes more than two seconds")
    parser.add_argument("--batch", action="store_true", help="the batch of many short searches alone")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    parser.set_defaults(began=benchmark.commit())
    options = parser.parse_args()
    troubles = possible_troubles()
    tallies: dict[str, Counter[str]] = {trouble.name: Counter() for trouble in troubles}
    # In an order that seeds are used to.
    runs: tuple[Run, ...] = (*RUNS[:2], *(SHORT if options.short else LONG), *RUNS[2:])
    runs = BATCHES if options.batch else runs
    begin = time.monotonic()

    def more() -> bool:
        late: float = begin + 60 * options.minutes
        return kills(tallies) < options.kills and time.monotonic() < late

    def torture(number: int) -> None:
        own = random.Random(f"{options.seed} {number}")
        while more():
            run, trouble = own.choice(runs), own.choice(troubles)
            known(run)  # its kernels are then in the cache: nobody could compile between two kills
            tally = Counter({"runs": 1})
            with tempfile.TemporaryDirectory() as folder:
                befalling = trouble(Path(folder), own, tally)
                run.prepare(Path(folder))
                try:
                    tortured(run, befalling)
                except Wrong as error:
                    tally["differences"] += 1
                    print(f"WRONG: {' '.join(run.words)}, {trouble.name}: {error}", flush=True)
                finally:
                    befalling.end()
            with lock:
                tallies[trouble.name] += tally
                said = f"{kills(tallies)} kills, {differences(tallies)} differences"
            print(said, file=sys.stderr, flush=True)

    lock = threading.Lock()
    with ThreadPoolExecutor(options.together) as pool:
        list(pool.map(torture, range(options.together)))
    seconds = time.monotonic() - begin
    data = {"seconds": seconds, **tallies}
    rows = [[name, *(tally[what] for what in COLUMNS)] for name, tally in tallies.items()]
    sum_ = f"{kills(tallies)} kills, {differences(tallies)} differences, {seconds:.0f} s (seed {options.seed})."
    text = f"{sum_}\n\n{table(['runs with', *COLUMNS], rows)}"
    benchmark.report("torture", __doc__, text, data, options)
    return 1 if differences(tallies) else 0


def possible_troubles() -> list[type[Trouble]]:
    """Return what may befall a run, the likelier ones several times."""
    troubles: list[type[Trouble]] = [*2 * (Trouble, Trouble, CutShort, TwoNames, Suspended), ColdCaches]
    with tempfile.TemporaryDirectory() as folder:
        if FullDisk.is_possible(Path(folder)):
            return [*troubles, FullDisk, FullDisk]
    print("no full disks: a tmpfs cannot be mounted here", file=sys.stderr)
    return troubles


def kills(tallies: dict[str, Counter[str]]) -> int:
    """How many processes have been killed."""
    return sum(tally["main processes killed"] + tally["workers killed"] for tally in tallies.values())


def differences(tallies: dict[str, Counter[str]]) -> int:
    """Return how many runs gave another result than they should."""
    return sum(tally["differences"] for tally in tallies.values())


def tortured(run: Run, trouble: Trouble) -> None:
    """Search with kills and trouble, until the search has ended.

    Raises:
        Wrong: it gave another result than it should.
    """
    pause = PAUSE + trouble.patience
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
                return run.check(trouble, output.read())
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


def checked(run: Run, journal: Path, output: str) -> None:
    """Compare a run's output, and what its journal says, with what is known.

    Raises:
        Wrong: they differ.
    """
    lines = output.splitlines()
    if run.lists:
        if lines != known(run):
            raise Wrong(f"{len(lines)} solutions printed, {len(set(lines))} different, or in another order")
    elif lines != [str(run.solutions)]:
        raise Wrong(f"printed {lines}")
    if run.lists and lines != said("show", str(journal), "--solutions").splitlines():
        raise Wrong("the journal has other solutions, or in another order")
    (row,) = json.loads(said("export", str(journal), "--format", "json"))
    if (row["status"], row["count"]) != ("solved", run.solutions):
        raise Wrong(f"the journal says {row}")


@functools.cache
def known(run: Run) -> list[str]:
    """What a run prints without a journal and without kills.

    Raises:
        Wrong: that is not the known answer either.
    """
    lines = run.lines()
    if (len(lines) if run.lists else int(lines[0])) != run.solutions:
        raise Wrong(f"without kills: {len(lines)} lines, first {lines[:1]}")
    return lines


def said(*words: str) -> str:
    """What a command prints.

    Raises:
        Wrong: it fails.
    """
    command = [sys.executable, "-m", "parsolve", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
