"""What may befall a search: kills, signals, a full disk, files that are cut short, processes that stand still."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

START = 0.7
"""Seconds more than a command needs to start, before the first kill: else it seldom gets on."""

DISK = "size=16m"
"""Of the tmpfs: room for a journal and its rollback journal."""


class Wrong(Exception):
    """A run gave another result than it should."""


class Trouble:
    """Kills, and signals that ask for an end; afterwards nothing may be left.

    Args:
        folder: of the run, for its journal too.
        random_: of what happens when.
        tally: counts what has happened.
        cold: what is missing in the cache at first: `tables`, or `kernels` as well.
        patience: seconds that a command gets in addition before the first kill.
    """

    name = "kills and signals"
    growth = 1.2
    """How much longer each command of a run may work than the one before, so that it ends on a busy machine too."""

    def __init__(
        self, folder: Path, random_: random.Random, tally: "Counter[str]", cold: str = "", patience: float = 0.0
    ) -> None:
        self.folder, self.random, self.tally, self.patience = folder, random_, tally, START + patience
        self.journal = folder / "journal.sqlite"
        self._mark, self._signalled = uuid.uuid4().hex, False
        (folder / "tmp").mkdir(exist_ok=True)
        self.environment = os.environ | {"PARSOLVE_ATTACK": self._mark, "TMPDIR": str(folder / "tmp")}
        self.cache = folder / "cache"
        if cold:
            self.cache.mkdir(mode=0o700)
            for kernel in Path(os.environ["PARSOLVE_CACHE_DIR"]).glob("*.kernel") if cold == "tables" else ():
                shutil.copy2(kernel, self.cache)
            self.environment["PARSOLVE_CACHE_DIR"] = str(self.cache)

    @property
    def name_of_journal(self) -> Path:
        """What the next command calls the journal."""
        return self.journal

    def meanwhile(self, process: "subprocess.Popen[bytes]") -> None:
        """While the run goes on, at a random moment: ask for an end now and then."""
        self._signalled = self.random.random() < 0.3
        if self._signalled:
            process.send_signal(self.random.choice((signal.SIGINT, signal.SIGTERM)))
            self.tally["interrupted"] += 1
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Wrong("it does not end by SIGINT or SIGTERM") from None

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
        """Return whether a run may end like this: by a signal that was sent, before its own handlers stood or after."""
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

    def _processes(self) -> Iterator[str]:
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get("PARSOLVE_ATTACK") == self._mark and process.status() != psutil.STATUS_ZOMBIE:
                    yield f"{process.pid} {' '.join(process.cmdline())[:100]}"

    def end(self) -> None:
        """The run is over."""


class FullDisk(Trouble):
    """The journal is on a small tmpfs that is full now and then; the main process may be killed then."""

    name = "a full disk"

    def __init__(self, folder: Path, *more: Any) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(folder)], check=True, capture_output=True)
        super().__init__(folder, *more)
        del self.environment["TMPDIR"]

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
            return super().excuses(code, error)
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

    def __init__(self, folder: Path, *more: Any) -> None:
        super().__init__(folder, *more)
        self.more = more
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
        reasons = ("is in use by", "holds permutations", "was last written as")
        refused = code == 2 and any(reason in error for reason in reasons)
        self.tally["refused"] += refused
        if "holds permutations" in error:
            for name in self._names:
                name.unlink(missing_ok=True)
            self.__init__(self.folder, *self.more)  # type: ignore[misc]
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

    def __init__(self, folder: Path, random_: random.Random, tally: "Counter[str]", *_: Any) -> None:
        super().__init__(folder, random_, tally, "kernels", 8.0)

    def between(self) -> None:
        if self.random.random() < 0.1:
            for kernel in self.cache.iterdir():
                kernel.unlink()
            self.tally["caches emptied"] += 1


def possible_troubles() -> list[type[Trouble]]:
    """Return what may befall a run, the likelier ones several times; what may befall any run comes first."""
    troubles: list[type[Trouble]] = [*4 * (Trouble,), *2 * (CutShort, TwoNames, Suspended), ColdCaches]
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(OSError, subprocess.CalledProcessError):
        FullDisk(Path(folder), random.Random(), Counter()).end()
        return [*troubles, FullDisk, FullDisk]
    print("no full disks: a tmpfs cannot be mounted here, which takes root", file=sys.stderr)
    return troubles
