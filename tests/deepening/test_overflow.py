"""A cost that does not fit its field leads to no wrong answer: it is right, or refused in one line that says so."""

import random
from pathlib import Path
from typing import Any

import pytest
from cases import some
from samples import KEY, WALK, edited
from variants import Variant
from worlds import narrow
from worlds.compare import differences

import parsolve
from parsolve import BadPuzzle
from parsolve.check import check

pytest_plugins = ["variants"]

REFUSED = (
    r"reached costs above 254, each of which overflows the field 'cost' \(uint8\).*: "
    r"give 'cost' a wider dtype, such as uint16"
)

FAR = edited('("cost", "u2")', '("cost", "u1")', edited("here.cost + 1 <= limit", "row.cost <= limit", WALK + KEY))
"""A walk whose costs have one byte."""


def far(way: str) -> str:
    """Return that walk with another way to write costs."""
    return edited("row.cost = here.cost + 1", way, FAR)


WRITTEN = {
    "an attribute": far("row.cost = here.cost + 100"),
    "an item": far('row["cost"] = here.cost + 100'),
    "in place": far("row.cost = here.cost; row.cost += 100"),
    "by a helper": far("write(row, here.cost)") + "\n\ndef write(row, cost):\n    row.cost = cost + 100\n",
}
"""Moves that cost 100."""

ENGINES: dict[str, dict[str, Any]] = {
    "deepening": {"engine": "deepening"},
    "remembering": {"engine": "deepening", "transposition": 1 << 16},
    "dearer ones": {"engine": "deepening", "slack": 3},
    "breadth": {"engine": "breadth"},
    "both": {"engine": "both"},
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", narrow.FAMILIES)
def test_random_graphs(name: str) -> None:
    """By any engine, and whatever is wanted."""
    make, _ = narrow.FAMILIES[name]
    for number in range(8):
        random_ = random.Random(number)
        assert [*differences(make(random_), random_)] == []


@pytest.mark.parametrize(
    ("written", "engine"), some(((how, engine) for how in WRITTEN for engine in ENGINES), len(ENGINES) + 1)
)
def test_however_the_rules_are_written(variant: Variant, written: str, engine: str) -> None:
    walk: Any = variant(WRITTEN[written])
    found = parsolve.solve(walk(size=8), workers=1, **ENGINES[engine])
    assert (found.cost, found.count) == (200, 1)
    with pytest.raises(BadPuzzle, match=REFUSED):
        parsolve.solve(walk(size=12), workers=1, **ENGINES[engine])
    with pytest.raises(BadPuzzle, match=REFUSED):
        next(parsolve.solve_each([walk(size=12)], workers=1))
    assert any("'cost' (uint8) overflows" in str(each) for each in check(walk(size=12)).faults)


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
def test_rules_that_cut_costs_themselves(variant: Variant, engine: str) -> None:
    walk: Any = variant(far("row.cost = here.cost + 100 & 255"))
    with pytest.raises(BadPuzzle, match=r"less cost, or to one that overflows the field 'cost' \(uint8\): let no cost"):
        parsolve.solve(walk(size=12), workers=1, **ENGINES[engine])


WAYS_ROUND = {
    "rows.cost[top] = here.cost + 65537": "a column",
    'rows["cost"][top] = here.cost + 65537': "a column by its name",
    "rows[top : top + 1].cost[0] = here.cost + 65537": "a column of some",
    "rows.cost.fill(here.cost + 65537)": "all of a column",
    "rows.view(np.uint16)[6 * top + 2] = 1": "all in other units",
    "np.frombuffer(rows, np.uint8)[12 * top + 4] = 1": "the bytes",
    "row[1] = here.cost + 65537": "the number of a field",
}


@pytest.mark.parametrize("way", some(WAYS_ROUND, 2))
def test_a_rule_writes_costs_into_rows_alone(variant: Variant, way: str) -> None:
    walk = variant(edited("row.cost = here.cost + 1", way), own_file=True)()
    with pytest.raises(BadPuzzle, match=r"'expand' does not compile.* one by one: row = rows\[top\]") as raised:
        parsolve.solve(walk, workers=1, engine="deepening")
    assert [str(each) for each in check(walk).faults] == [str(raised.value)]


@pytest.mark.parametrize("engine", ["deepening", "breadth", "both"])
def test_a_journal_refuses_again_what_was_refused(engine: Any, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(BadPuzzle, match="overflows the field 'cost'"):
            parsolve.solve(narrow.Narrow(2687448230), engine=engine, workers=1, journal=tmp_path / "it.sqlite")
