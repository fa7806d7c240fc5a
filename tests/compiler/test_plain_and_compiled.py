"""Each compiled template does what the same template does as plain Python, which plain tests run.

Here every call of a kernel is made twice, on copies, and what it returns and what it writes is compared.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from toys import Coins, Lamps, Ring, can_go_out
from worlds.places import Keyed, Plain

import parsolve
from parsolve.compiler.cache import CompiledFunction
from parsolve.compiler.marks import Inner, with_globals
from parsolve.compiler.uncompiled import runnable
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.deepening.transposition import TranspositionTable
from parsolve.levels import backward, chains, dense, forgotten, kernels, level
from parsolve.levels import store as stores
from parsolve.levels.explore import explore
from parsolve.levels.pool import Pool
from parsolve.levels.templates.entries import Scratch
from parsolve.problem.compiled import CompiledRules
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.search.budget import Budget

MODULES = (kernels, dense, forgotten, level, stores, backward)
"""Those that hold compiled functions."""

EVERY = {
    *("search", "search-remembering", "restore", "expand_level", "inspect_rows", "search_roots", "expand_rows"),
    *("expand_words", "close_words", "list_words", "level_size"),
    *("expand_entries", "merge_buckets", "pack_chains", "put_entries", "release_chains", "add_keys"),
    *("add_below", "finish_sums", "fill_table", "find_entry", "write_ways", "arrange_moves"),
    "write_rows",
}
"""The templates that are called from Python; `test_the_list_is_complete` knows all."""


def plain_of(compiled: Any) -> Any:
    """Return the function that was compiled, calling the plain functions behind all that it calls."""
    function = compiled.function
    called = {name: value for name, value in function.__globals__.items() if isinstance(value, Inner)}
    return with_globals(function, {name: plain_of(value) for name, value in called.items()})


def copied(value: Any) -> Any:
    if isinstance(value, tuple):
        items = [copied(each) for each in value]
        for at, each in enumerate(value):
            if isinstance(each, Scratch):  # after the rows whose bytes it has
                items[at] = Scratch(items[at - 1].view(np.uint8), items[at].spare)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value.copy() if isinstance(value, np.ndarray) else value


def assert_same(one: Any, other: Any, where: str) -> None:
    if isinstance(one, Scratch):
        one, other = one.spare, other.spare  # else it has the bytes of the rows before it
    if isinstance(one, tuple):
        for item, another in zip(one, other, strict=True):
            assert_same(item, another, where)
    elif isinstance(one, np.ndarray) and one.tobytes() == other.tobytes():
        pass  # the longest arrays are usually the same
    elif isinstance(one, np.ndarray) and one.dtype.names:
        for name in one.dtype.names:  # what is between the fields has no meaning
            assert_same(one[name], other[name], f"{where}, field {name}")
    else:
        np.testing.assert_array_equal(one, other, where)


Twins = Counter[str]
"""How often each template was called."""


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    """Have every kernel that is called run as plain Python too."""
    calls: Twins = Counter()

    def twin(name: str, compiled: Any) -> Callable[..., Any]:
        plain = runnable(plain_of(compiled))

        def both(*arguments: Any) -> Any:
            expected, found = plain(*(copies := copied(arguments))), compiled(*arguments)
            assert_same((found, arguments), (expected, copies), name)
            calls[name] += 1
            return found

        both.is_kept = compiled.is_kept  # type: ignore[attr-defined]
        return both

    make, begin = CompiledRules.function, Pool.__init__

    def little(self: Pool, budget: Budget, most: int | None = None, *more: Any) -> None:
        """What it takes is copied at each call."""
        begin(self, budget, most or 800, *more)

    def made(self: Any, template: Any, variant: str = "", *others: Any, **names: Any) -> Any:
        kind = variant if variant == "-remembering" else ""
        return twin(f"{template.__name__}{kind}", make(self, template, variant, *others, **names))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "__init__", little)
        patch.setattr("parsolve.problem.compiled._known", {})
        patch.setattr(CompiledRules, "function", made)
        for module in MODULES:
            for name, value in vars(module).copy().items():
                if is_compiled(value):
                    patch.setattr(module, name, twin(value.function.__name__, value))
        yield calls


class Returning(Keyed):
    """A graph that is searched from both ends."""

    def inverse_puzzle(self) -> Puzzle:
        return Keyed(self.places, self.number, self.degree, kind=self.kind)


class Filled(Plain):
    """A graph whose rows are kept whole: no bytes of theirs lie between the fields."""

    state = np.dtype([("place", "u4"), ("cost", "u2"), ("move", "u2"), ("bound", "u4")])


class PricedLamps(Lamps):
    """A lamp costs more while the next one is on."""

    state = np.dtype([("on", "u4"), ("cost", "u1"), ("move", "u1")])

    def goals(self) -> list[dict[str, Any]]:
        return []

    @staticmethod
    def expand(tables, here, limit, rows, top):  # type: ignore[no-untyped-def]
        for lamp in range(tables.lamps):
            if can_go_out(tables.lamps, here.on, lamp):
                row = rows[top]
                row.on, row.move = here.on ^ 1 << lamp, lamp
                row.cost = here.cost + 1 + (here.on >> lamp + 1 & 1)
                top += row.cost <= limit
        return top


def in_slices(puzzle: Puzzle, limit: int, budgets: list[int], listing: bool, buffer: int, table: int) -> None:
    """Search within a limit, each other slice with a stack that is restored."""
    searcher = Searcher(Problem(puzzle), largest=50)
    branch, memory = searcher.whole(), TranspositionTable(table)
    for number in itertools.count():
        outcome = searcher.run(branch, Sought(limit, listing, buffer), budgets[number % len(budgets)], memory)
        if not outcome.rest:
            return
        (branch,) = outcome.rest
        if number % 2:
            searcher = Searcher(searcher.problem, largest=50)


def by_breadth(puzzle: Puzzle) -> None:
    """Search and explore breadth-first on one thread: of several, each sees what another writes."""
    explore(puzzle, threads=1)
    parsolve.solve(puzzle, engine="breadth", workers=1)


def test_the_list_is_complete() -> None:
    """Templates are the functions of the folders `templates` given to `CompiledRules.function`, or compiled there."""
    templates = {path.stem for path in ROOT.glob("parsolve/*/templates/*.py")}
    code = "\n".join(path.read_text() for path in ROOT.glob("parsolve/*/*.py"))
    found = {name for module, name in re.findall(r"\.function\(\s*(\w+)\.(\w+)", code) if module in templates}
    found |= {value.function.__name__ for module in MODULES for value in vars(module).values() if is_compiled(value)}
    assert found <= {name.removesuffix("-remembering") for name in EVERY}
    assert len(found) > 20


def is_compiled(value: Any) -> bool:
    return isinstance(value, CompiledFunction)


@pytest.mark.nightly
def test_every_template_is_compared(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Counter(twins)
    for puzzle in (Coins(7, "weak"), Lamps(4)):
        for table in (0, 1 << 12):
            parsolve.solve(puzzle, workers=1, budget=20, buffer=2, transposition=table)
            in_slices(puzzle, puzzle.answer()[0], [5, 30, 1000], True, 3, table)
    assert parsolve.solve(Lamps(5, 2), want="count", workers=1, budget=7).count == 40
    keyed = [Keyed(30, 1, kind=kind, goalless=True) for kind in ("any", "reversible")]
    for puzzle in (Ring(40, 7), *keyed, Filled(300, 7, 3, kind="reversible", goalless=True), Lamps()):
        by_breadth(puzzle)
    for costly in (Coins(12), PricedLamps()):
        parsolve.solve(costly, engine="breadth", workers=1)
    for shared in (Lamps(), PricedLamps(), *keyed):
        assert parsolve.solve(shared, engine="sharing", workers=1, sample=2).count
    parsolve.solve(Returning(30, 1, kind="reversible"), engine="breadth", workers=1)
    assert [each.count for each in parsolve.solve_each([Lamps(lamps) for lamps in (3, 3, 4, 4)], workers=1)]
    assert parsolve.solve(Lamps(), want="count", workers=1, part="1/2").status
    for module in (chains, stores):
        monkeypatch.setattr(module, "TARGET", 4)  # buckets are divided
    assert parsolve.solve(keyed[0], engine="sharing", want="count", workers=1).count
    assert {name for name, number in twins.items() if number > before[name]} == EVERY
