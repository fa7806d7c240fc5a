"""Each member of the contract is part of an identity, or a table says why not: what is kept follows edits of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from attack_edits import searched
from cases import nightly
from conftest import ROOT
from worlds.members import CHEAPEST, DEAR, OWN, TRUE, WRONG, edited, members

from parsolve.problem.digests import job_identity, levels_digest
from parsolve.problem.problem import Problem
from parsolve.tables.databases import supply

pytestmark = pytest.mark.plain

ROWS = re.findall(
    r"^\| (`.*?) \| (.*?) \|", (ROOT / "docs/decisions/0041-identity-is-meaning.md").read_text(), re.MULTILINE
)
PARTS = {name: part for names, part in ROWS for name in re.findall(r"`(\w+)`", names)}
"""By a member: the identities that it is part of."""


def test_every_member_of_the_contract_is_listed_and_edited() -> None:
    assert sorted(PARTS) == sorted(members()) == sorted({*TRUE, *WRONG})


@pytest.mark.parametrize("name", sorted(members()))
def test_an_identity_follows_an_edit(name: str) -> None:
    """What the table says of a member is so; that of levels has the others, and is of what the engine searches."""

    def identities(*edits: Any) -> dict[str, Any]:
        problem = supply(Problem(edited(*edits), "count"))
        by = [levels_digest(supply(each)) for each in (problem.for_breadth, problem.for_sharing)]
        return {**job_identity(problem)._asdict(), "levels": by}

    changed, own = set[str](), () if name in ("sharing", "unshared") else (OWN,)
    for edit in (*TRUE.get(name, ()), *WRONG.get(name, ())):
        before, after = identities(*own), identities(*own, edit)
        changed |= {part for part in before if before[part] != after[part]}
    if PARTS[name] == "-" or name == "exploring":  # only `explore` searches it
        assert not changed
    elif name == "entry":  # it is an abstraction's
        assert "data" in changed
    else:
        assert changed & {*PARTS[name].split(" and ")}
        assert "levels" in changed or name in ("unsolvable", "counting", "weight")


CORRECTED = [name for name, part in PARTS.items() if part == "levels" and name != "graph"] + ["unsolvable"]


@pytest.mark.parametrize(
    ("engine", "own", "right"), [("breadth", OWN, 20), ("sharing", DEAR, CHEAPEST), ("explore", OWN, 16)]
)
@pytest.mark.parametrize("name", ["graph", *map(nightly, CORRECTED)])
def test_levels_are_not_continued_with_another_declaration(
    tmp_path: Path, name: str, engine: Any, own: Any, right: int
) -> None:
    """A search is stopped, or ends, and is repeated with another declaration: it is right, or refused in one line."""
    for number, edit in enumerate((*TRUE.get(name, ()), *WRONG.get(name, ()))):
        for checks in (1, 9, 1 << 60):
            journal = tmp_path / f"{number}-{checks}.sqlite"
            for edits, stop in (((edit,), checks), ((), 1 << 60)):
                found = searched(edited(*edits, own), journal, stop, engine)
            assert found == right or (isinstance(found, str) and "\n" not in found)
