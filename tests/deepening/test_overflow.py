"""A cost that does not fit its field leads to no wrong answer: it is right, or refused in one line that says so."""

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from overflowing import CompiledRoads, CutRoads, NamedRoads, NumberedRoads, Roads
from samples import edited
from variants import Variant
from worlds import narrow
from worlds.compare import differences

import parsolve
from parsolve import BadPuzzle
from parsolve.check import check
from parsolve.levels.explore import explore
from parsolve.search.watch import Watch

pytest_plugins = ["variants"]

ENGINES: dict[str, dict[str, Any]] = {
    "deepening": {"engine": "deepening"},
    "remembering": {"engine": "deepening", "transposition": 1 << 16},
    "breadth": {"engine": "breadth"},
    "both": {"engine": "both"},
    "sharing": {"engine": "sharing"},
}

MOST = {width: int(np.iinfo(width).max) for width in ("u1", "u2", "u4")}


def refusal(width: str) -> str:
    advice = {"u1": "give 'cost' a wider dtype, such as uint16", "u2": "give 'cost' a wider dtype, such as uint32"}
    last = advice.get(width, "measure costs in larger units")
    field = rf"the field 'cost' \({np.dtype(width)}\)"
    return rf"reached costs above {MOST[width] - 1}, each of which overflows {field}.*: {last}"


def solved(roads: parsolve.Puzzle, engine: str, want: Any = "count", **more: Any) -> parsolve.Result:
    return parsolve.solve(roads, want=want, workers=1, **ENGINES[engine], **more)


def overflowing(width: str, cls: type[Roads] = Roads) -> list[Roads]:
    """Roads whose cheapest way has a cost that does not fit."""
    most = MOST[width]
    half = most // 2 + 1
    return [
        cls(3, f"{most // 3 + 1} {most // 3 + 2}", f"{most // 3 + 1}", width),
        cls(1, "1", str(most), width),  # all that the field holds
        cls(1, "1", str(most + 1), width),  # cut, it would be 0
        cls(3, f"{half} {half}", f"{half} {half}", width),  # cut, it would be what two of three cost
        cls(2, "10", f"{most + 46} {most + 50}", width),  # cut, it would not have fallen
        cls(3, f"{most + 2} {3 * most + 5}", f"{most + 2}", width),  # cut, each would cost 1 or 2
    ]


def fitting(width: str, cls: type[Roads] = Roads) -> list[Roads]:
    """Roads whose cheapest way has a cost that fits, though others have not."""
    most = MOST[width]
    third = most // 3 - 1
    return [
        cls(3, f"{third} {third}", f"{most - 1 - 2 * third} {most}", width),  # the greatest
        cls(3, f"{third} {most + 3} {2 * most} {third}", f"{third} {most + 1}", width),
        cls(2, f"{third} {third + 1} {most}", f"{third} {third} {most - third + 1}", width),
    ]


@pytest.mark.parametrize(("width", "engine"), some(itertools.product(("u1", "u4"), ENGINES), 10))
def test_costs_that_fit_and_that_do_not(width: str, engine: str) -> None:
    for roads in fitting(width):
        found = solved(roads, engine)
        assert (found.cost, found.count) == roads.answer()
    for roads in overflowing(width):
        assert roads.answer()[0] >= MOST[width]
        for want in ("count", "all"):
            with pytest.raises(BadPuzzle, match=refusal(width)):
                solved(roads, engine, want)


@pytest.mark.nightly
def test_counts_that_nobody_can_list() -> None:
    assert (solved(Roads(), "sharing").cost, solved(Roads(), "sharing").count) == (252, 4**20)
    with pytest.raises(BadPuzzle, match=refusal("u1")):
        solved(Roads(22), "sharing")  # 264: it would be 8


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["deepening", "sharing"])
@pytest.mark.parametrize("cls", [NamedRoads, CompiledRoads, NumberedRoads])
def test_however_the_rules_are_written(cls: type[Roads], engine: str) -> None:
    for roads in fitting("u1", cls):
        found = solved(roads, engine)
        assert (found.cost, found.count) == roads.answer()
    for roads in overflowing("u1", cls):
        with pytest.raises(BadPuzzle, match=refusal("u1")):
            solved(roads, engine)


@pytest.mark.nightly
def test_ways_back() -> None:
    """Numbered states whose moves would cost 1, or nothing, if they were cut."""
    assert solved(NumberedRoads(9, "1", "1", back=1), "breadth").cost == 9
    for cost in (256, 257):
        with pytest.raises(BadPuzzle, match=refusal("u1")):
            solved(NumberedRoads(9, str(cost), str(cost), back=cost), "breadth")


@pytest.mark.nightly
def test_dearer_solutions() -> None:
    roads = Roads(2, "100 101", "100 130 154 155")
    assert solved(roads, "deepening", "all", slack=54).by_cost == {200: 1, 201: 1, 230: 1, 231: 1, 254: 1}
    with pytest.raises(BadPuzzle, match=refusal("u1")):
        solved(roads, "deepening", "all", slack=60)


@pytest.mark.nightly
def test_any_solution() -> None:
    roads = Roads(2, "100 150 200", "60 300")
    assert solved(roads, "deepening", "any", limit=254).cost in (160, 210)
    with pytest.raises(BadPuzzle, match=refusal("u1")):
        solved(roads, "deepening", "any", limit=400)


@pytest.mark.nightly
def test_spaces() -> None:
    assert dict(explore(Roads(4, "60", "60"), Watch(), threads=1).depths) == {0: 1, 60: 1, 120: 1, 180: 1, 240: 1}
    with pytest.raises(BadPuzzle, match=refusal("u1")):
        explore(Roads(5, "60", "60"), Watch(), threads=1)


@pytest.mark.nightly
def test_searches_in_bulk() -> None:
    done = parsolve.solve_each(fitting("u1"), want="count", workers=1)
    assert [(found.cost, found.count) for found in done] == [roads.answer() for roads in fitting("u1")]
    for roads in overflowing("u1"):
        with pytest.raises(BadPuzzle, match=refusal("u1")):
            next(parsolve.solve_each([roads], want="count", workers=1, engine="deepening"))


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
def test_rules_that_cut_costs_themselves(engine: str) -> None:
    for roads in (CutRoads(3, "128 128", "128 128"), CutRoads(3, "100 120", "100 90 110")):
        with pytest.raises(
            BadPuzzle, match=r"less cost, or to one that overflows the field 'cost' \(uint8\): let no cost"
        ):
            solved(roads, engine)


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
        solved(walk, "deepening")
    assert [str(each) for each in check(walk).faults] == [str(raised.value)]


def test_check() -> None:
    assert check(Roads(3, "60 70", "60"), states=100).faults == []
    for roads in (Roads(3, "100 120", "100"), Roads(3, "127", "128"), CutRoads(3, "128", "128")):
        faults = [str(each) for each in check(roads, states=100).faults]
        assert any("'cost' (uint8) overflows" in each for each in faults) or any(
            "the cost falls" in each for each in faults
        )


@pytest.mark.parametrize("engine", ["deepening", "breadth", "both"])
def test_a_journal_refuses_again_what_was_refused(engine: Any, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(BadPuzzle, match="overflows the field 'cost'"):
            parsolve.solve(narrow.Narrow(2687448230), engine=engine, workers=1, journal=tmp_path / "it.sqlite")


@pytest.mark.nightly
@pytest.mark.parametrize("name", narrow.FAMILIES)
def test_random_graphs(name: str) -> None:
    make, _ = narrow.FAMILIES[name]
    for number in range(12):
        random_ = random.Random(number)
        assert [*differences(make(random_), random_)] == []
