"""Files of states whose n-th write or rename fails: the answer is right or a line says why, and so is the next one."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from failing import Countdown, failing_python, require_one_line
from test_sharing_files import LARGE, ended, known, layers_of
from worlds.places import Keyed

from parsolve.errors import BadInput, OutOfMemory
from parsolve.levels.search import Search
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import UNWATCHED

pytestmark = pytest.mark.nightly


def counted(folder: Path) -> object:
    folder.mkdir(exist_ok=True)
    with Threads(1, UNWATCHED) as threads:
        return ended(layers_of(LARGE, threads, folder))


def keyed(folder: Path) -> object:
    folder.mkdir(exist_ok=True)
    problem = Problem(Keyed(60_000, 3, 3, kind="any"))
    with Threads(1, UNWATCHED) as threads:
        return sum(Search(problem, threads, folder, 1 << 19, counts=False, past=True).expand())


USES: dict[str, Callable[[Path], object]] = {"counted": counted, "keyed": keyed}


STEP = 37
"""Of so many writes, one is tried."""


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_each_write_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: Callable[[Path], object]) -> None:
    right = use(tmp_path / "right")
    assert use is not counted or right == known(LARGE)
    for number in itertools.count(0, STEP):
        folder, countdown = tmp_path / str(number), Countdown(number, number)
        with failing_python(countdown, monkeypatch):
            try:
                assert use(folder) == right
            except (BadInput, OutOfMemory) as error:
                require_one_line(error)
        assert use(folder) == right
        if not countdown.has_failed:
            break
    assert number >= STEP
