"""Call kernels, and say in one line what is wrong with a puzzle whose rules they cannot run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.arguments import has_kind
from parsolve.compiler.cache import DoesNotCompile, KernelRaised
from parsolve.compiler.uncompiled import is_plain
from parsolve.errors import BadPuzzle, ParsolveError, RuleRaised
from parsolve.puzzle.core import Puzzle
from parsolve.system.activity import doing
from parsolve.text import one_line, shown


def call_kernel(kernel: Callable[..., Any], puzzle: Puzzle, tables: Any, rows: Any, *more: Any, what: str = "") -> Any:
    """Call a kernel; say which rule fails, and where.

    Args:
        kernel: compiled on its first call.
        puzzle: the puzzle whose rules it runs.
        tables, rows, more: its arguments: lookups, an array of states, and whatever else it takes.
        what: what runs, for the supervisor; by default a rule of the puzzle.

    Raises:
        BadPuzzle: a rule does not compile.
        RuleRaised: a rule raises.
    """
    name = type(puzzle).__name__
    try:
        with doing(what or f"a rule of {name} ('expand' or 'solved'; parsolve check finds the state)"):
            return kernel(tables, rows, *more)
    except DoesNotCompile as error:
        from parsolve.problem.explain import explain  # it imports numba

        raise BadPuzzle(explain(puzzle, tables, rows, error.__cause__ or error)) from error
    except KernelRaised as error:
        from parsolve.problem.explain import exception_of

        raised = exception_of(puzzle, tables, rows)
        text = f"{type(raised).__name__}: {one_line(raised)}" if raised else "an exception"
        raise RuleRaised(f"{name}: a rule raises {text} (parsolve check finds the state)") from (raised or error)
    except (ParsolveError, MemoryError):
        raise
    except Exception as error:
        unknown = [value for value in tables if not has_kind(value)]
        if isinstance(error, TypeError) and unknown:
            first = unknown[0]
            held = f"an array of {first.dtype}" if isinstance(first, np.ndarray) else shown(first)
            text = "but compiled code reads only numbers of up to 8 bytes and arrays of them"
            raise BadPuzzle(f"{name}: 'tables' holds {held}, {text}") from error
        if not is_plain():  # a listener or a check, while a kernel is compiled
            raise
        text = f"{name}: a rule raises {type(error).__name__}: {one_line(error)}"
        raise RuleRaised(f"{text} (parsolve check finds the state)") from error
