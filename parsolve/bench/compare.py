"""Compare the times of two benchmarks, case by case."""

import json
from pathlib import Path

from parsolve.bench.markdown import Spread, spread, table
from parsolve.bench.queens_benchmark import Case
from parsolve.errors import BadInput
from parsolve.text import plural


def ratios(first: Path, second: Path) -> dict[Case, Spread]:
    """Return the speeds of the second benchmark, where the first is 1, in the cases that both have timed.

    Raises:
        BadInput: there are none, or a file is not that of a benchmark.
    """
    old, new = _seconds(first), _seconds(second)
    both = [(case, was, new[case]) for case, was in old.items() if case in new]
    if not both:
        raise BadInput("the two benchmarks have no case in common: give both the same --n, --methods and --workers")
    return {case: Spread(was.median / now.median, was.low / now.high, was.high / now.low) for case, was, now in both}


def comparison(found: dict[Case, Spread]) -> str:
    """Return speeds as Markdown."""
    about = "Speed of the second benchmark, where the first is 1: ratio of medians (least – greatest of single rounds)."
    rows = [[case.method, case.n, plural(case.workers, "worker"), speed] for case, speed in found.items()]
    return f"{about}\n\n{table(['method', 'n', '', 'speed'], rows)}"


def _seconds(path: Path) -> dict[Case, Spread]:
    try:
        return {
            Case(str(each["method"]), int(each["n"]), int(each["workers"])): spread(seconds)
            for each in json.loads(path.read_text(encoding="utf-8"))
            if (seconds := [max(float(taken), 1e-9) for taken in each["seconds"]])
        }
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        raise BadInput(f"{path} is not a queens.json of `parsolve bench`") from None
