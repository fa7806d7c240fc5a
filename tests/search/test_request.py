"""How a puzzle is to be searched: valid once it exists, and refused in the same words at every door."""

import gc
import json
import weakref
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
from at_once import AT_ONCE
from shared import Run
from toys import Coins, Ring

import parsolve
from parsolve.batch.jobs import read
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Queens
from parsolve.search.part import Part
from parsolve.search.request import Options, Request
from parsolve.search.tuning import Tuning

pytestmark = pytest.mark.plain

GIVEN: dict[str, Any] = {
    "want": "count",
    "engine": "both",
    "workers": 4096,
    "limit": 0,
    "slack": 3,
    "at_most": 7,
    "skip": 1 << 70,
    "take": 2,
    "sample": 5,
    "seed": 1,
    "part": Part(3, 1, 2),
    "transposition": 1 << 12,
    "timeout": 0.5,
    "max_memory": 1 << 30,
    "spill": Path("there"),
    "lease": 9,
    "budget": 10,
    "buffer": 2,
    "tuning": AT_ONCE,
}
"""A value other than the default, by field."""

INVALID: dict[str, tuple[str, list[Any]]] = {
    "want": ("all or count or first or any", ["some", "", 3, None]),
    "engine": ("deepening or breadth or both or sharing", ["depth", 1]),
    "workers": ("a whole number of at least 1", [0, -2, 2.0, "two", True]),
    "limit": ("a whole number of at least 0", [-1, 3.5, "nine", False]),
    "slack": ("a whole number of at least 0", [-1, 1.5, "2", False]),
    "at_most": ("a whole number of at least 0", [-1, 1.5, "2", True]),
    "skip": ("a whole number of at least 0", [-1, 0.5, "2", False]),
    "take": ("a whole number of at least 1", [0, 1.5, "2", True]),
    "sample": ("a whole number of at least 1", [0, -2, "2", True]),
    "seed": ("a whole number of at least 0", [-1, 0.5, "a", True]),
    "part": ("a number of some parts, such as 17/1000 or 17-24/1000", [3, ("1", "3"), "1/3"]),
    "transposition": ("a whole number of at least 0", [-1, "64M", 1e6]),
    "timeout": ("a number of seconds, greater than 0 and less than 10^9", [0, -1.0, float("nan"), "5m", True]),
    "max_memory": ("a whole number of at least 1048576", [0, 10, "8G"]),
    "spill": ("a folder's path", ["there", 3]),
    "lease": ("a number of seconds, greater than 0 and less than 10^9", [0, -3, "1", True]),
    "budget": ("a whole number of at least 1", [0, 1.5]),
    "buffer": ("a whole number of at least 1", [0, "all\nof them"]),
    "tuning": ("a parsolve.Tuning", [3, {"patch": 1.0}, parsolve.Tuning]),
}
"""What a field is, and values that it is not."""


def test_every_field_is_tried() -> None:
    assert [each.name for each in fields(Request)] == [*GIVEN] == [*INVALID]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (_, values) in INVALID.items() for value in values]
)
def test_an_invalid_value_is_refused_in_one_line(name: str, value: Any) -> None:
    with pytest.raises(BadInput) as raised:
        Request(**{name: value})
    assert str(raised.value) == f"{name} is {INVALID[name][0]}, not {value!r}"


def test_a_seed_without_a_sample() -> None:
    with pytest.raises(BadInput, match=r"^seed is for sample, which is missing$"):
        Request(seed=5)


def test_a_branch_is_tried_at_least_once() -> None:
    with pytest.raises(BadInput, match=r"^strike_divisors has numbers from 1 on, at least one$"):
        Tuning(strike_divisors=())


ONE_ALONE = "is for all solutions or their number: want"

REFUSED: list[tuple[Puzzle, dict[str, Any], str]] = [
    (Coins(), {"want": "any"}, "up to a cost: give the limit"),
    (Coins(), {"want": "any", "engine": "breadth"}, "not for the engine breadth: take the engine deepening$"),
    (Coins(), {"want": "any", "limit": 1 << 15}, "up to the limit 32,767, not 32,768"),
    (Queens(6), {"limit": 3, "want": "count"}, "^Queens has no costs that could be limited"),
    (Coins(), {"limit": 31, "engine": "breadth"}, "a limit is not for the engine breadth: take the engine deepening"),
    *((Coins(), {"at_most": 1, "want": want}, f"at_most {ONE_ALONE} {want} is one alone") for want in ("first", "any")),
    (Coins(), {"at_most": 10**18 + 1}, f"at_most is at most {10**18}, not {10**18 + 1}"),
    *((Coins(), {"slack": 1, "want": want}, f"slack {ONE_ALONE} {want} is one alone") for want in ("first", "any")),
    (Queens(6), {"slack": 1}, "Queens has no costs: all of its solutions are the cheapest"),
    (Coins(), {"slack": 1, "transposition": 1 << 20}, "the transposition table is for the cheapest solutions alone"),
    (Coins(), {"slack": 1, "engine": "both"}, "slack is not for the engine both: take the engine deepening"),
    (Coins(), {"slack": 1 + (1 << 32)}, f"slack is at most {1 << 32}, not {1 + (1 << 32)}"),
    (Coins(), {"budget": 1 << 63}, f"budget is at most {1 << 60}, not {1 << 63}"),
    (Coins(), {"buffer": 10**30}, f"buffer is at most {1 << 32}, not {10**30}"),
    (Coins(), {"workers": 4097}, "^workers is at most 4096, not 4097$"),
    (Coins(), {"spill": ""}, "^spill is a folder's path, not ''$"),
    (Ring(), {"part": "1/2", "want": "first"}, "want first"),
    (Ring(), {"part": "1/2", "want": "count", "at_most": 3}, "at_most"),
    (Ring(), {"part": "1/2", "want": "count", "engine": "sharing"}, "take the engine deepening"),
    (Ring(), {"part": "1/2", "want": "count", "transposition": 1 << 12}, "without the transposition table"),
    (Ring(), {"part": "1/2", "want": "all", "take": 3}, "a part of the tree is not for the engine sharing"),
]
"""What does not go together."""


@pytest.mark.parametrize(("puzzle", "options", "says"), REFUSED, ids=str)
def test_what_does_not_go_together_is_refused(puzzle: Puzzle, options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parsolve.solve(puzzle, **{"workers": 1} | options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("want", "some"), ("engine", "depth"), ("engine", 1), ("limit", -1), ("limit", "nine"), ("limit", False)),
        *(("workers", 0), ("workers", -2), ("workers", "two"), ("workers", 5000)),
    ],
)
def test_every_door_refuses_in_the_same_words(tmp_path: Path, run: Run, name: str, value: Any) -> None:
    with pytest.raises(BadInput) as raised:
        Request(**{name: value})
    says = str(raised.value)
    with pytest.raises(BadInput) as by_library:
        parsolve.solve(Queens(6), **{name: value})
    assert str(by_library.value) == says
    path = tmp_path / "jobs.toml"
    path.write_text(f"[[job]]\npuzzle = 'queens'\n{name} = {json.dumps(value)}\n")
    with pytest.raises(BadInput) as by_file:
        read(path)
    assert str(by_file.value) == f"{path}, job 1: {says}"
    if name in ("workers", "limit") and not isinstance(value, bool):  # the others are choices of argparse
        assert run("count", "queens", f"--{name}={value}", code=2).stderr == f"parsolve: --{says}\n"


def test_none_is_left_to_the_default() -> None:
    assert Request.of(**dict.fromkeys(GIVEN)) == Request()
    assert Request.of(workers=2, limit=None) == Request(workers=2)
    assert Request.of(limit=0, transposition=0) == Request(limit=0, transposition=0) != Request()


def test_every_keyword_of_the_library_reaches_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []

    def run(problem: Problem, request: Request, *_: Any, **__: Any) -> parsolve.Result:
        asked.append(request)
        return parsolve.Result(problem, request)

    monkeypatch.setattr("parsolve.library.run", run)
    assert {*get_type_hints(Options)} == {each.name for each in fields(Request)} == {*GIVEN}
    for name in GIVEN:
        options = {each: GIVEN[each] for each in (name, *["sample"] * (name == "seed"))}
        parsolve.solve(Queens(6), **options)
        assert asked.pop() == Request(**options)


def test_sizes_and_times_may_be_texts() -> None:
    texts = {"timeout": "1h", "lease": "2m", "max_memory": "8G", "transposition": "none", "part": "1-2/3"}
    right = {"timeout": 3600, "lease": 120, "max_memory": 8 << 30, "transposition": 0, "part": Part(3, 1, 2)}
    assert Request.of(**texts, spill="there") == Request(**right, spill=Path("there"))
    for name, wrong, says in (
        ("timeout", "1 fortnight", "a time"),
        ("max_memory", "8X", "a size"),
        ("part", "1", "a num"),
    ):
        with pytest.raises(BadInput, match=f"^{name}: {says}.* not '{wrong}'$"):
            parsolve.solve(Queens(6), **{name: wrong})


WRONG: dict[str, Any] = {
    "nonsense": "solve takes no nonsense: it takes at_most, budget, .* workers$",
    "progress": "progress is True or a function, not 1",
    "cancel": "cancel is an event or a function, not 1",
    "on_solution": "on_solution is a function, not 1",
    "listener": "listener is a parsolve.Listener, not 1",
    "executor": "executor is an executor, not 1",
    "journal": "journal is a file's path, not 1",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_part_of_a_request_is_refused_too(name: str) -> None:
    with pytest.raises(TypeError, match=f"^{WRONG[name]}"):
        parsolve.solve(Queens(6), **{name: 1})


def test_each_function_refuses_in_its_own_name() -> None:
    of: Any = parsolve
    for ask, says in (
        (lambda: of.prepare(Queens(6), cancel=5), "prepare takes no cancel: it takes at_most"),
        (lambda: of.prepare(Queens(6), tuning=5), "tuning is a parsolve.Tuning, not 5"),
        (lambda: next(of.solve_each([Queens(6)], listener=5)), "listener is a parsolve.Listener, not 5"),
        (lambda: next(of.iter_solutions(Queens(6), want="first")), "iter_solutions takes no want: it takes at_most"),
        (lambda: next(of.iter_solutions(Queens(6), cancel=5)), "cancel is an event or a function, not 5"),
        (lambda: of.aiter_solutions(Queens(6), want="all").asend(None).send(None), "aiter_solutions takes no want"),
    ):
        with pytest.raises((TypeError, BadInput), match=f"^{says}"):
            ask()


def test_what_is_no_puzzle() -> None:
    parsolve.solve(Queens(5), workers=1)  # it is kept, and compared with the next one
    for wrong in ("queens", Queens, np.zeros(3)):
        with pytest.raises(BadInput, match=r"a puzzle is wanted, such as parsolve\.puzzles\.Queens\(8\), not "):
            parsolve.solve(wrong)  # type: ignore[arg-type]


def test_a_result_that_nobody_has_is_freed() -> None:
    """The puzzle that is kept, made ready, knows nothing of its searches."""
    found = weakref.ref(parsolve.solve(Queens(5), workers=1))
    gc.collect()
    assert found() is None
