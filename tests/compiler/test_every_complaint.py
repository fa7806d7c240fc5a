"""Every mistake that numba finds, compiled; and what it says, recorded again."""

import json
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from mistakes import RULES, TEXTS, Said, complaint_of, line_of, load, recorded

pytestmark = pytest.mark.nightly

pytest_plugins = ["mistakes"]


@pytest.mark.parametrize("command", ["solve", "check"])
@pytest.mark.parametrize("mistake", RULES)
def test_mistakes(said: Said, mistake: str, command: str) -> None:
    source, place, says = RULES[mistake]
    (line,) = said(command, source).splitlines()
    assert says.format(line_of(source, place) if place else "") in line


def test_the_recorded_texts_are_numbas(tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    linecache.clearcache()  # other tests have had other sources in the same place
    found = {mistake: complaint_of(load(puzzle_file(source))) for mistake, (source, _, _) in RULES.items()}
    now: dict[str, Any] = {"numba": numba.__version__, "python": sys.version_info[:2]}
    now["complaints"] = {mistake: complaint for mistake, complaint in found.items() if complaint}
    new = tmp_path / TEXTS.name
    new.write_text(json.dumps(now, indent=1) + "\n")
    if any(recorded()[each] != json.loads(new.read_text())[each] for each in ("numba", "python")):
        pytest.skip("another numba or Python may say it in other words")
    assert in_any_order(recorded()["complaints"]) == in_any_order(now["complaints"]), (
        f"look at the difference, then: cp {new} {TEXTS}"
    )


def in_any_order(complaints: dict[str, dict[str, str]]) -> dict[str, list[str]]:
    """Return the lines of each: numba lists what it has tried in no fixed order and indents it in several ways."""
    return {
        mistake: sorted(line.strip() for line in "\n".join(each.values()).splitlines())
        for mistake, each in complaints.items()
    }
