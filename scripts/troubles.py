"""What may befall a search with a journal besides a SIGKILL."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil

DISK = "size=16m"
"""Of the tmpfs: room for a journal and its rollback journal."""


class Trouble:
    """No trouble: what befalls a run, and what it may do then.

    Args:
        folder: where the run's journal is to be.
        random_: of what happens when.
        tally: counts what has happened.
    """

    name = "kills alone"
    patience = 0.0
    """Seconds that a command gets in addition before the first kill."""
    growth = 1.05
    """How much longer each command of a run may work than the one before, so that it ends on a busy machine too."""

    def __init__(self, folder: Path, random_: random.Random, tally: Counter[str]) -> None:
        self.folder, self.random, self.tally = folder, random_, tally
        self.journal = folder / "journal.sqlite"
        self.environment = dict(os.environ)

    @property
    def name_of_journal(self) -> Path:
        """What the next command calls the journal."""
        return self.journal

    def executor(self) -> tuple[str, ...]:
        """Return options that say where the next command searches; how its workers start says the environment."""
        self.environment["PARSOLVE_START_METHOD"] = self.random.choice(("forkserver", "spawn"))
        return "--workers", str(self.random.choice((1, 2, 3)))

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        """While the run goes on, at a random moment."""

    def kill(self, process: "subprocess.Popen[bytes]") -> bool:
        """Kill the supervisor, the main process or one of its processes; return whether the whole command has ended."""
        with contextlib.suppress(psutil.NoSuchProcess):
            main_process = next(iter(psutil.Process(process.pid).children()), None)
            others = main_process.children(recursive=True) if main_process else []
            if others and self.random.random() < 0.5:
                self.random.choice(others).kill()
                self.tally["workers killed"] += 1
                return False
            if main_process and self.random.random() < 0.5:
                main_process.kill()
                ended = process.wait() == 4
                self.tally["main processes killed"] += ended
                return ended
        process.kill()
        ended = process.wait() == -signal.SIGKILL
        self.tally["main processes killed"] += ended
        return ended

    def between(self) -> None:
        """After the main process was killed, before it is started again."""

    def excuses(self, code: int, error: str) -> bool:
        """Whether a run may end like this; if so, the way is clear for the next."""
        return False

    def end(self) -> None:
        """The run is over."""


class FullDisk(Trouble):
    """The journal is on a small tmpfs that is full now and then; the main process may be killed then."""

    name = "a full disk"

    def __init__(self, folder: Path, random_: random.Random, tally: Counter[str]) -> None:
        super().__init__(folder, random_, tally)
        subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(folder)], check=True, capture_output=True)

    @staticmethod
    def is_possible(folder: Path) -> bool:
        """Whether a tmpfs can be mounted here: that takes root."""
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            FullDisk(folder, random.Random(), Counter()).end()
            return True
        return False

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        self.tally["disks filled"] += 1
        ballast = self.folder / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(self.random.uniform(0.3, 1.5))
        if self.random.random() < 0.3:
            process.kill()
            self.tally["main processes killed"] += process.wait() == -signal.SIGKILL
        ballast.unlink()

    def excuses(self, code: int, error: str) -> bool:
        # Nothing had begun yet, so that there was nothing to wait with.
        refused = code == 2 and error.rstrip().endswith("is full") and len(error.splitlines()) == 1
        self.tally["refused"] += refused
        return refused

    def end(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


class CutShort(Trouble):
    """The journal or its rollback journal loses its end while nobody uses it. One that is refused then is mended by
    SQLite's own recovery, or the search starts from scratch where that is refused too."""

    name = "a journal cut short"
    _mended = False

    def between(self) -> None:
        if self.random.random() < 0.5:
            return
        files = [path for path in self._files() if path.exists()]
        if files:
            path = self.random.choice(files)
            os.truncate(path, self.random.randrange(path.stat().st_size + 1))
            self.tally["files cut short"] += 1
            self._mended = False

    def excuses(self, code: int, error: str) -> bool:
        # A process that is killed while it reads a file of rows is started again for the other jobs.
        lines = [line for line in error.splitlines() if "was ended by SIGKILL" not in line]
        if code != 2 or len(lines) != 1 or "damaged" not in lines[0]:
            return False
        self.tally["refused"] += 1
        recovered = self.folder / "recovered.sqlite"
        recovered.unlink(missing_ok=True)
        mended = not self._mended and shutil.which("sqlite3") is not None and self._recover(recovered)
        for path in self._files():
            path.unlink(missing_ok=True)
        if mended:
            recovered.rename(self.journal)
            self.tally["recovered"] += 1
        else:
            self.tally["from scratch"] += 1
        self._mended = mended
        return True

    def _recover(self, to: Path) -> bool:
        said = subprocess.run(["sqlite3", str(self.journal), ".recover"], capture_output=True, check=False)
        done = subprocess.run(["sqlite3", str(to)], input=said.stdout, capture_output=True, check=False)
        # Some builds of it have no recovery, say "sql error", and give an empty file.
        return not (said.returncode or done.returncode) and b"CREATE TABLE" in said.stdout

    def _files(self) -> Iterator[Path]:
        for ending in ("", "-journal"):
            yield self.journal.with_name(self.journal.name + ending)


class TwoNames(Trouble):
    """The journal has three names, each command takes any, and now and then a second command takes another one
    meanwhile: it is refused."""

    name = "a journal with several names"

    def __init__(self, folder: Path, random_: random.Random, tally: Counter[str]) -> None:
        super().__init__(folder, random_, tally)
        self.journal.touch()
        self._names = [self.journal, folder / "hard", folder / "soft"]
        self._names[1].hardlink_to(self.journal)
        self._names[2].symlink_to(self.journal)

    @property
    def name_of_journal(self) -> Path:
        return self.random.choice(self._names)

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        words = ("count", "permutations", "--n", "3", "--quiet", "--journal", str(self.name_of_journal))
        done = subprocess.run([sys.executable, "-m", "parsolve", *words], capture_output=True, text=True, check=False)
        # Refused because of the other process, or, where that has not begun or has ended, because of its job. If it
        # came first of all, the job is done in a moment and the first command is refused: see `excuses`.
        self.tally["second writers"] += 1
        self.tally["differences"] += done.returncode not in (0, 2) or len(done.stderr.splitlines()) > 1

    def excuses(self, code: int, error: str) -> bool:
        # What was left under another name is rolled back by that name, which the next command may take.
        reasons = ("is in use by", "is of permutations", "was last written as")
        refused = code == 2 and any(reason in error for reason in reasons)
        self.tally["refused"] += refused
        if "is of permutations" in error:
            for name in self._names:
                name.unlink(missing_ok=True)
            self.__init__(self.folder, self.random, self.tally)  # type: ignore[misc]
        return refused and len(error.splitlines()) == 1


class Suspended(Trouble):
    """One of the processes stands still for a while, the supervisor, the main process or a worker."""

    name = "suspended processes"

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            chosen = self.random.choice([psutil.Process(process.pid), *psutil.Process(process.pid).children(True)])
            chosen.suspend()
            self.tally["suspended"] += 1
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self.random.uniform(0.1, 3.0))
            chosen.resume()


class ColdCaches(Trouble):
    """The kernel cache is empty at first, and emptied now and then: kernels are compiled, and written, meanwhile."""

    name = "cold kernel caches"
    patience = 8.0

    def __init__(self, folder: Path, random_: random.Random, tally: Counter[str]) -> None:
        super().__init__(folder, random_, tally)
        self._cache = folder / "cache"
        self._cache.mkdir(mode=0o700)
        self.environment["PARSOLVE_CACHE_DIR"] = str(self._cache)

    def between(self) -> None:
        if self.random.random() < 0.1:
            for kernel in self._cache.iterdir():
                kernel.unlink()
            self.tally["caches emptied"] += 1
