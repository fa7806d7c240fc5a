"""A cost that does not fit its field leads to no wrong answer, without a compiler as well."""

import random

import pytest
from cases import some
from overflowing import CutRoads, NamedRoads, Roads
from worlds import narrow
from worlds.compare import differences

from parsolve import BadPuzzle, solve

pytestmark = pytest.mark.plain

ENGINES = ("deepening", "breadth", "sharing")


@pytest.mark.parametrize("engine", ENGINES)
def test_costs_that_fit_and_that_do_not(engine) -> None:  # type: ignore[no-untyped-def]
    for cls in (Roads, NamedRoads):
        fits = cls(3, "84 84 258", "86 300")
        found = solve(fits, want="count", workers=1, engine=engine)
        assert (found.cost, found.count) == fits.answer() == (254, 4)
        for large in (cls(3, "84 84", "87"), cls(2, "10", "301 305"), cls(3, "128", "128"), cls(3, "257", "257")):
            with pytest.raises(BadPuzzle, match="each of which overflows the field 'cost'"):
                solve(large, want="count", workers=1, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_that_cut_costs_themselves(engine) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadPuzzle, match="or to one that overflows the field 'cost'"):
        solve(CutRoads(3, "128 128", "128 128"), want="count", workers=1, engine=engine)


@pytest.mark.parametrize("name", some(narrow.FAMILIES, 3))
def test_random_graphs(name: str) -> None:
    make, _ = narrow.FAMILIES[name]
    for number in range(4):
        random_ = random.Random(number)
        assert [*differences(make(random_), random_)] == []
