"""Cases of a test that are many: some are tried each time, the others among the nightly tests."""

from collections.abc import Iterable
from typing import Any

import pytest


def nightly(case: Any) -> Any:
    """Return a case as one that only `scripts/test nightly` tries."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.nightly)


def some(cases: Iterable[Any], step: int) -> list[Any]:
    """Return all cases, of which each time only one in `step` is tried, from the first on."""
    return [case if number % step == 0 else nightly(case) for number, case in enumerate(cases)]
