"""Compare the times of two benchmarks, case by case."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parsolve.bench.markdown import Spread, Table
from parsolve.errors import BadInput
from parsolve.system.hardware import busy
from parsolve.text import plural

SAME = "give both the same --n, --methods and --workers"


class Ratio(NamedTuple):
    """How fast a case is in the second benchmark, where the first is 1.

    Attributes:
        method, n, workers: the case; workers is None for the bare kernel.
        speed: the ratio of the medians, and the least and greatest that single rounds give.
        before, after: median seconds.
        all_took_part: whether all workers took part in both; otherwise the count is too short to tell what they do.
    """

    method: str
    n: int
    workers: int | None
    speed: Spread
    before: float
    after: float
    all_took_part: bool


def read(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file that `parsolve bench` has written.

    Raises:
        BadInput: it cannot be read, or is another file.
    """
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases:
            str(case["method"]), int(case["n"]), [float(each) for each in case["seconds"]]
            int(case.get("machine", {}).get("cores") or 0), _all_took_part(case)
            [float(each.get("load", 0)) for each in case.get("conditions", [])]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadInput(f"{path} is not a queens.json of `parsolve bench`") from None
    return list(cases)


def ratios(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> list[Ratio]:
    """Return the ratios of the cases that both benchmarks have timed.

    Raises:
        BadInput: there are none.
    """
    known = {_case(each): each for each in first if each["seconds"]}
    found = []
    for each in second:
        if each["seconds"] and (other := known.get(_case(each))):
            before, after = other["seconds"], each["seconds"]
            medians = statistics.median(before), statistics.median(after)
            speed = Spread(medians[0] / medians[1], min(before) / max(after), max(before) / min(after))
            found.append(Ratio(*_case(each), speed, *medians, _all_took_part(other) and _all_took_part(each)))
    if not found:
        raise BadInput(f"the two benchmarks have no case in common: {SAME}")
    return found


def described(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]], compared: int) -> str:
    """Return where the two were timed, and how many cases of each are not compared."""
    text = ""
    for name, cases in (("First", first), ("Second", second)):
        about, conditions = cases[0].get("machine", {}), cases[0].get("conditions", [])
        cores, date = int(about.get("cores") or 1), conditions[0].get("date") if conditions else None
        load = busy(conditions, cores, max(int(each.get("workers") or 1) for each in cases))
        text += f" {name}: {about.get('processor')}, {plural(cores, 'core')}, parsolve {about.get('parsolve')}"
        text += f", {date}{load and f', busy ({load})'}."
    left = [sum(bool(each["seconds"]) for each in cases) - compared for cases in (first, second)]
    return text + (
        f" Left out: {plural(left[0], 'case')} of the first and {left[1]} of the second; {SAME}." if any(left) else ""
    )


def _all_took_part(data: dict[str, Any]) -> bool:
    workers = int(data.get("workers") or 0)
    return int(data.get("took_part") or workers) >= workers


def _case(data: dict[str, Any]) -> tuple[str, int, int | None]:
    return data["method"], data["n"], data.get("workers")


def comparison(found: Sequence[Ratio], where: str) -> Table:
    """Return the ratios as a table; `where` is what `described` returns."""
    about = "Speed of the second benchmark, where the first is 1: ratio of medians (least – greatest of single rounds)."
    rows: list[list[Spread | str]] = [
        [
            each.method,
            f"n = {each.n}",
            "bare kernel" if each.workers is None else plural(each.workers, "worker"),
            f"{each.before:.3g} s",
            f"{each.after:.3g} s",
            each.speed if each.all_took_part else f"{each.speed}, too short to tell",
        ]
        for each in found
    ]
    return Table(about + where, ["method", "", "", "first", "second", "speed"], rows)


def slower(found: Sequence[Ratio], least: float) -> list[Ratio]:
    """Return the cases whose speed is below a ratio, without those that are too short to tell."""
    return [each for each in found if each.speed.median < least and each.all_took_part]
