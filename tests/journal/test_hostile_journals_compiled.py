"""Journals as hostile input: looking at one runs no code of it, and nothing in it leads to a traceback or a hang."""

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from forgery import forging
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, made, pages_of, right_or_refused

from parsolve.batch.run import get_or_create_job, search
from parsolve.cli import main
from parsolve.errors import BadInput
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request
from parsolve.search.watch import UNWATCHED

# Values.

DEEP = "[" * 100_000 + "]" * 100_000

FORGED = [
    *(f"job.{column}" for column in ("name", "parameters", "notes", "machine", "want", "state", "found", "nodes")),
    *(f"job.{column}" for column in ("seconds", "workers", "cost", "count", "began", "status", "source")),
    *(f"iteration.{column}" for column in ("limit", "nodes", "found", "seconds")),
    *(f"checkpoint.{column}" for column in ("limit", "nodes", "weight", "share", "seconds", "branches")),
    *("solution.moves", "summary.path", "summary.jobs"),
]

VALUES = [
    *("", "nonsense", "9" * 5000, DEEP, "\x1b[31mred\n", "null", "[]", "3", "[[[0],[],[1]]]", "[[[],[[99999]],[1]]]"),
    *("[[[0,0],[[],[],[1]],[0,0,0]]]", b"\xff", b"odd", -1, 1 << 62, 1e300, float("inf"), None),
]


@pytest.mark.nightly
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FORGED), st.sampled_from(VALUES))
def test_forged_values_are_one_line_or_do_no_harm(
    tmp_path: Path, sound: Path, capsys: pytest.CaptureFixture[str], where: str, value: object
) -> None:
    path = tmp_path / "it.sqlite"
    shutil.copy(sound, path)
    table, column = where.split(".")
    try:
        with forging(path) as connection:
            connection.execute(f'UPDATE {table} SET "{column}" = ?', (value,))
    except (sqlite3.IntegrityError, TypeError):  # the table itself refuses it, or it cannot be sealed
        return
    for words in (("status",), ("status", "--json"), ("show",), ("show", "--solutions"), ("export",)):
        code = main((words[0], str(path), *words[1:]))
        out, err = capsys.readouterr()
        assert code in (0, 2)
        assert "\x1b" not in out + err
        assert len(err.splitlines()) == (code == 2)
    with contextlib.suppress(BadInput), Journal(path) as journal:
        job = journal.job("it")
        if job is not None:
            journal.checkpoint(job)
            get_or_create_job(journal, "it", "it", Problem(Queens(8), "all"), {})


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of a job that is not done."""
    return made(tmp_path_factory.mktemp("sound"))


# Pages.


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_a_copy_made_while_it_was_written(
    tmp_path: Path, moments: list[list[bytes]], random_: object, first: int
) -> None:
    """Some pages of one moment, some of the next, and nothing of what lies beside: refused, or right all the same."""
    before, after = moments[first], moments[first + 1]
    mixed = [random_.choice((old, new)) for old, new in zip(before, after, strict=False)]  # type: ignore[attr-defined]
    longer = max(before, after, key=len)
    path = tmp_path / "copy.sqlite"
    path.write_bytes(b"".join([*mixed, *longer[len(mixed) : random_.randint(len(mixed), len(longer))]]))  # type: ignore[attr-defined]
    assert right_or_refused(path)


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    """The pages of a journal after its first checkpoints."""
    path = tmp_path_factory.mktemp("moments") / "it.sqlite"
    found = []
    with Journal(path) as journal:
        save = journal.save

        def saving(*arguments: object) -> None:
            save(*arguments)  # type: ignore[arg-type]
            found.append(pages_of(path))

        journal.save = saving  # type: ignore[method-assign]
        problem, request = Problem(Queens(9), "all"), Request(workers=1, budget=400, buffer=20)
        job = get_or_create_job(journal, "it", "it", problem, {})
        search(journal, job, problem, request, UNWATCHED, make_store=EVERY_OUTCOME)
    assert len(found) > 5
    assert len({json.dumps([page.hex() for page in pages]) for pages in found[:5]}) == 5
    return found
