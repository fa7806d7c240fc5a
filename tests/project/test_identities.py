"""Identities of puzzles: edits change those that they should, and no others, and the built-in ones are accepted."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import KEY, WALK, edited
from shared import ROOT

from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.compiled import CompiledRules, of_rules
from parsolve.problem.registry import load_class

pytestmark = pytest.mark.processes

SCRIPT = ROOT / "scripts" / "identities.py"


EDITS = {
    "expand": ("row.bound = 0", "row.bound = 0 * step", {"rules", "search", "restore", "search_remembering"}),
    "solved": ("return here.place * 2 ==", "return 2 * here.place ==", {"rules", "search", "search_remembering"}),
    "key": ("return here.place\n", "return here.place + 1\n", {"rules", "search_remembering"}),
    "root": ('{"place": 0}', '{"place": 1}', set[str]()),
}
"""By method: an edit, and the identities that change with it."""


def identities(cls: Any) -> dict[str, str]:
    """Return the identity of a class's rules, and of its kernels."""
    rules = CompiledRules(cls, True)
    kernels = rules.kernels(DeepeningKernels)
    made: Any = {"search": kernels.walk(remembers=False), "restore": rules.restore}
    made["search_remembering"] = kernels.walk(remembers=True)
    return {"rules": of_rules(cls).digest} | {name: each.identity.digest for name, each in made.items()}


@pytest.mark.parametrize("method", EDITS)
def test_what_a_puzzle_does_changes_the_right_identities(puzzle_file: Callable[..., Path], method: str) -> None:
    """Of the kernels that use the edited rule, and of nothing else."""
    old, new, changed = EDITS[method]
    sources = WALK + KEY, edited(old, new, WALK + KEY)
    before, after = (identities(load_class(f"{puzzle_file(source)}:Walk")) for source in sources)
    assert {name for name in before if before[name] != after[name]} == changed


def test_the_accepted_identities() -> None:
    """A failure says what the change costs users: if it is meant, `scripts/identities.py --accept`."""
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout + done.stderr
