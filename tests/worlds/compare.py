"""Random instances are asked for in several ways, and what differs from plain brute force is told."""

import contextlib
import mmap
import random
import struct
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psutil
from at_once import AT_ONCE

import parsolve
from parsolve.levels.explore import explore
from parsolve.search.watch import Watch
from parsolve.tables.databases import supply
from worlds.plain import Instance

KNOWN_LIMITS = ("which --spill cannot hold", "by moves that cost 0 or 1 only", "or no move changes anything")
"""Of `explore`, which says so in one line. The last one is of graphs whose first state leads to none but itself."""

LISTED = 100_000
"""Solutions that are listed at most: a small graph may have a hundred billion."""

ROOM = 150 << 20
"""Bytes more than it has that this process may use: where it may use all, to get ready takes longer than the search."""


def differences(instance: Instance, random_: random.Random, tally: mmap.mmap | None = None) -> Iterator[str]:
    """Ask parsolve for the answer to an instance in several random ways; yield what differs from plain brute force.

    Args:
        instance: what is asked for.
        random_: chooses the ways.
        tally: int64[2], whose second number counts the searches.
    """
    searches = random_.randint(1, 3)
    if tally is not None:
        struct.pack_into("q", tally, 8, struct.unpack_from("q", tally, 8)[0] + searches)
    for _ in range(searches):
        yield from _searched(instance, random_)
    if instance.spaces and random_.random() < 0.5:
        yield from _explored(instance, random_)


def _searched(instance: Instance, random_: random.Random) -> Iterator[str]:
    wants = [want for want in instance.wants if want != "any" or "deepening" in instance.engines]
    if instance.answer.count > LISTED:
        wants = [want for want in wants if want != "all"]
    options: dict[str, Any] = {"want": random_.choice(wants), "workers": 1}
    engines = (*instance.engines, *(instance.counted_by if options["want"] == "count" else ()))
    options["engine"] = "deepening" if options["want"] == "any" else random_.choice(engines)
    least = instance.answer.cost
    has_limit = options["want"] == "any" and instance.has_cost
    if has_limit or (options["engine"] == "deepening" and least is not None and random_.random() < 0.1):
        options["limit"] = (least or 0) + random_.choice((0, 0, 1, 3))
    if options["engine"] != "deepening" and (not instance.puzzle.abstractions() or random_.random() < 0.05):
        options["max_memory"] = _room()
    searches_in_depth = options["engine"] in ("deepening", "both")
    if searches_in_depth and type(instance.puzzle).key is not None:
        options["transposition"] = random_.choice((None, 0, 1, 64, 4096, 1 << 16))
    with contextlib.ExitStack() as stack:
        chance = random_.random()
        if chance < 0.02:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            options["journal"] = Path(folder) / "journal.sqlite"
        elif searches_in_depth:
            options["budget"] = random_.choice((None, None, 1, 7, 1000))
            options["buffer"] = random_.choice((None, None, 1, 2, 50))
            if chance < 0.06:
                options |= {"executor": stack.enter_context(ThreadPoolExecutor(2)), "tuning": AT_ONCE, "workers": 2}
            elif chance < 0.0325:
                options |= {"tuning": AT_ONCE, "workers": 2}
        for _ in range(2 if "journal" in options else 1):  # what a journal holds is the answer as well
            try:
                result = parsolve.solve(instance.puzzle, **options)
                yield from (f"solve with {options}: {text}" for text in compared(instance, result))
            except Exception as error:
                if not (isinstance(error, parsolve.BadPuzzle) and instance.may_refuse(str(error), least)):
                    yield f"solve with {options}: {type(error).__name__}: {error}"


def compared(instance: Instance, result: parsolve.Result) -> Iterator[str]:
    """Yield how a result differs from what plain brute force knows."""
    answer = instance.answer
    found = [instance.read(solution) for solution in result.solutions]
    status = "solved" if answer.count else "none"
    if result.want == "any" and status == "none" and result.status == "stopped":
        return  # by its limit
    if result.status != status:
        yield f"{result.status} instead of {status}: {result.message}"
        return
    if result.want == "any":
        if status == "solved":
            yield from _compared_any(instance, result, found)
        return
    if result.cost != answer.cost:
        yield f"cost {result.cost} instead of {answer.cost}"
    if result.want != "first" and result.count != answer.count:
        yield f"count {result.count} instead of {answer.count}"
    if result.want == "count" or answer.solutions is None:
        return
    if result.want == "first":
        right = found == answer.solutions[:1] if instance.is_ordered else not found or found[0] in answer.solutions
        right &= len(found) == min(1, answer.count)
    elif instance.is_ordered:
        right = found == answer.solutions
    else:
        right = Counter(found) == Counter(answer.solutions)
    if not right:
        yield f"solutions {found[:5]} instead of {answer.solutions[:5]}"


def _compared_any(instance: Instance, result: parsolve.Result, found: list[Any]) -> Iterator[str]:
    if len(found) != 1:
        yield f"{len(found)} solutions where any was wanted"
    elif instance.cost_of is not None:
        if instance.cost_of(found[0]) != result.cost:
            yield f"{found[0]} costs {instance.cost_of(found[0])}, not {result.cost}"
    elif result.cost == instance.answer.cost and found[0] not in (instance.answer.solutions or found):
        yield f"{found[0]} is no solution"


def _explored(instance: Instance, random_: random.Random) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        more: dict[str, Any] = {"spill": Path(folder)} if random_.random() < 0.2 else {}
        try:
            watch, threads = Watch(max_memory=_room()), random_.choice((1, 2))
            found = explore(instance.puzzle, watch, threads=threads, supply=partial(supply, watch=watch), **more)
        except parsolve.BadInput as error:
            farthest = max(max(space) for space in instance.spaces.values())
            known = any(limit in str(error) for limit in KNOWN_LIMITS)
            if not known and not instance.may_refuse(str(error), farthest):
                yield f"explore with {more}: {error}"
            return
        except Exception as error:
            yield f"explore with {more}: {type(error).__name__}: {error}"
            return
        if found.depths != sorted(instance.spaces[found.start].items()):
            expected = sorted(instance.spaces[found.start].items())
            yield f"explore with {more}: from the {found.start} {found.depths} instead of {expected}"
        elif found.in_all and found.in_all != [states for _, states in sorted(instance.spaces["in all"].items())]:
            yield f"explore with {more}: {found.in_all} in all instead of {instance.spaces['in all']}"
        elif len(found.rows) != found.depths[-1][1]:
            yield f"explore with {more}: {len(found.rows)} farthest states, not {found.depths[-1][1]}"


def _room() -> int:
    return int(psutil.Process().memory_info().rss) + ROOM
