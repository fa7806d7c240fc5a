"""Compare the times of two benchmarks, case by case."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parsolve.bench.markdown import Spread, Table
from parsolve.errors import BadInput
from parsolve.text import plural


class Ratio(NamedTuple):
    """How fast a case is in the second benchmark, where the first is 1.

    Attributes:
        method, n, workers: the case; workers is None for the bare kernel.
        speed: the ratio of the medians, and the least and greatest that single rounds give.
        before, after: median seconds.
    """

    method: str
    n: int
    workers: int | None
    speed: Spread
    before: float
    after: float


def read(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file that `parsolve bench` has written.

    Raises:
        BadInput: it cannot be read, or is another file.
    """
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases:
            str(case["method"]), int(case["n"]), [float(each) for each in case["seconds"]]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise BadInput(f"{path} is not a queens.json of `parsolve bench`") from None
    return list(cases)


def ratios(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Ratio]:
    """Return the ratios of the cases that both benchmarks have timed.

    Raises:
        BadInput: there are none.
    """
    known = {_case(each): each["seconds"] for each in first if each["seconds"]}
    found = []
    for each in second:
        before, after = known.get(_case(each)), each["seconds"]
        if before and after:
            medians = statistics.median(before), statistics.median(after)
            speed = Spread(medians[0] / medians[1], min(before) / max(after), max(before) / min(after))
            found.append(Ratio(*_case(each), speed, *medians))
    if not found:
        raise BadInput("the two benchmarks have no case in common: give both the same --n, --methods and --workers")
    return found


def _case(data: dict[str, Any]) -> tuple[str, int, int | None]:
    return data["method"], data["n"], data.get("workers")


def comparison(found: Sequence[Ratio]) -> Table:
    """Return the ratios as a table."""
    about = "Speed of the second benchmark, where the first is 1: ratio of medians (least – greatest of single rounds)."
    rows: list[list[Spread | str]] = [
        [
            each.method,
            f"n = {each.n}",
            "bare kernel" if each.workers is None else plural(each.workers, "worker"),
            f"{each.before:.3g} s",
            f"{each.after:.3g} s",
            each.speed,
        ]
        for each in found
    ]
    return Table(about, ["method", "", "", "first", "second", "speed"], rows)


def slower(found: Sequence[Ratio], least: float) -> list[Ratio]:
    """Return the cases whose speed is below a ratio."""
    return [each for each in found if each.speed.median < least]
