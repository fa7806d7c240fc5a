"""What shells complete: every word is one that the commands take, and bash offers the right ones."""

import itertools
import runpy

import pytest
from grammar import options_of, parameters_as_options, takes_puzzle, words_after
from shared import ROOT, Run

from parsolve.cli import COMMANDS
from parsolve.puzzle.catalogue import names

pytestmark = pytest.mark.plain

SCRIPTS = runpy.run_path(str(ROOT / "scripts" / "completion.py"))
"""What writes the scripts."""


def test_all_that_is_offered_is_taken(run: Run) -> None:
    """Each option with choices, of a command or a puzzle, is refused with another value, and that names them."""
    for command in COMMANDS:
        for option in options_of(command):
            if option.choices:
                words = [words_after(command)[0]] if words_after(command) else []
                told = run(command, *words, option.names[-1], "nix", code=2).stderr
                assert all(choice in told for choice in option.choices), told
    for puzzle in names():
        for option in parameters_as_options(puzzle):
            assert run("count", puzzle, option.names[0], "--help", code=None).returncode in (0, 2)


def test_the_scripts_are_those_of_the_commands() -> None:
    """`scripts/completion.py` writes them."""
    for suffix, text in SCRIPTS["scripts"]().items():
        assert SCRIPTS["SCRIPT"].with_suffix(suffix).read_text(encoding="utf-8") == text


def test_every_command_and_puzzle_is_there() -> None:
    assert {command for command in COMMANDS if takes_puzzle(command)} == {
        *("solve", "count", "unique", "explore", "estimate", "describe", "check"),
    }
    lines = list(SCRIPTS["fish_lines"]())
    for name in itertools.chain(COMMANDS, names()):
        assert any(name in line for line in lines), name
