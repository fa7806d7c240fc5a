"""Searches on a dask cluster whose workers are killed again and again, and must give the known answer all the same.

Each run is one search with a journal on two dask workers. At random moments a dask worker gets a SIGKILL, and another
is started, or a process of a machine's own does; some workers are suspended for a while. Twice the scheduler is killed:
the command must say so, and the same command resumes on a new one. Some runs end on this machine alone. In the end
count and list must be the known ones, by the command's own output and by the journal.

    .venv/bin/python scripts/torture_cluster.py --kills 100 --seed 1
"""

import argparse
import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import benchmark
import psutil
from dask_processes import Cluster, running
from torture import KORF_1, MAIN, SLIDING, Run, Wrong, checked, known

from parsolve.bench.markdown import table

RUNS = (
    Run(("solve", *SLIDING, "--start", KORF_1), 1),
    Run(("solve", "eight", "--bound", "none"), 40),
    Run(("count", "queens", "--n", "17", "--unique"), 11_977_939),
    Run(("count", "queens", "--n", "18", "--method", "quadrants"), 666_090_624),
)
"""Some seconds on one core each, or more."""

COLUMNS = ("runs", "workers killed", "machines' processes killed", "suspended", "schedulers killed", "differences")

PATIENCE = 300
"""Seconds after which a run counts as hanging."""


class Torture:
    """A cluster and what is done to it."""

    def __init__(self, cluster: Cluster, random_: random.Random, kills: int) -> None:
        self.cluster, self.random, self.most = cluster, random_, kills
        self.tally: Counter[str] = Counter()

    @property
    def kills(self) -> int:
        """How many processes have been killed."""
        return self.tally["workers killed"] + self.tally["machines' processes killed"]

    def run(self, run: Run, folder: Path) -> None:
        """Search with kills until the search has ended.

        Raises:
            Wrong: it gave another result than it should.
        """
        journal = folder / "journal.sqlite"
        until = time.monotonic() + PATIENCE
        while True:
            local = self.random.random() < 0.1
            how = ("--workers", "2") if local else ("--dask", self.cluster.address)
            command = [sys.executable, "-c", MAIN, *run.words, "--journal", str(journal), "--quiet", *how]
            with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
                process = subprocess.Popen(command, stdout=output, stderr=errors)
                gone = self.befall(process, until)
                if gone:  # also where the run has ended well: it was done, or on this machine alone
                    self.start_scheduler()
                output.seek(0)
                errors.seek(0)
                said = errors.read()
                if process.returncode == 0:
                    return checked(run, journal, output.read())
                if not gone or process.returncode != 4 or "the same command resumes" not in said:
                    raise Wrong(f"exit code {process.returncode}: {said[-500:]}")

    def befall(self, process: "subprocess.Popen[bytes]", until: float) -> bool:
        """Kill and suspend until a run ends; return whether the scheduler was killed.

        Raises:
            Wrong: it hangs.
        """
        gone = False
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self.random.uniform(0.3, 2.0))
                break
            if time.monotonic() > until:
                process.kill()
                process.wait()
                raise Wrong("it hangs")
            killed = self.tally["schedulers killed"]
            if not gone and self.kills > self.most * (1 + killed) / 3 and killed < 2:
                self.tally["schedulers killed"] += 1
                assert self.cluster.scheduler is not None
                self.cluster.scheduler.kill()
                gone = True
            elif not gone:
                self.harm()
        return gone

    def harm(self) -> None:
        """Kill or suspend a worker, or kill one of its machine's own processes."""
        workers = self.cluster.workers
        chosen, chance = self.random.choice(workers), self.random.random()
        if chance < 0.35:
            chosen.kill()
            chosen.wait()
            workers.remove(chosen)
            self.cluster.start_worker()
            self.tally["workers killed"] += 1
        elif chance < 0.45:
            chosen.send_signal(signal.SIGSTOP)
            time.sleep(self.random.uniform(0.1, 2.0))
            chosen.send_signal(signal.SIGCONT)
            self.tally["suspended"] += 1
        else:
            with contextlib.suppress(psutil.NoSuchProcess, IndexError):
                self.random.choice(psutil.Process(chosen.pid).children(recursive=True)).kill()
                self.tally["machines' processes killed"] += 1

    def start_scheduler(self) -> None:
        """Start another scheduler, and workers for it."""
        self.cluster.stop()
        self.cluster.workers.clear()
        self.cluster.start_scheduler()
        for _ in range(2):
            self.cluster.start_worker()


def main() -> int:
    """Torture, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="at least so many (default: 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the random moments (default: 1)")
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="begin no run after so long")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    parser.set_defaults(began=benchmark.commit())
    options = parser.parse_args()
    begin = time.monotonic()
    with running(2) as cluster:
        torture = Torture(cluster, random.Random(options.seed), options.kills)
        tally = torture.tally
        while torture.kills < options.kills and time.monotonic() < begin + 60 * options.minutes:
            run = torture.random.choice(RUNS)
            known(run)
            tally["runs"] += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    torture.run(run, Path(folder))
                except Wrong as error:
                    tally["differences"] += 1
                    print(f"WRONG: {' '.join(run.words)}: {error}", flush=True)
            print(json.dumps(tally), f"{time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    data = {"seconds": time.monotonic() - begin, **tally}
    text = f"{data['seconds']:.0f} s (seed {options.seed}).\n\n{table(COLUMNS, [[tally[what] for what in COLUMNS]])}"
    benchmark.report("torture-cluster", __doc__, text, data, options)
    return 1 if tally["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
