"""Every command and option that README, CHANGELOG and docs/ show is one that parsolve takes; what it prints is kept."""

import argparse
import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import some
from conftest import ROOT
from grammar import parameters_as_options, parser_of
from shown import PAGES, shown, tutorial

from parsolve.cli import COMMANDS
from parsolve.puzzle.catalogue import families

OTHERS = {
    *("--size", "--hole", "--rows"),  # of the puzzles in these pages
    *("--array", "--cpus-per-task", "--exclusive", "--nodes", "--ntasks-per-node", "--requeue", "--signal"),  # Slurm
    *("--hostfile", "--nthreads", "--nworkers", "--scheduler-file"),  # dask
    *("--rm", "--strict"),  # podman, mypy
}
"""Options in the pages that are none of parsolve's."""


def test_the_parsers_take_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_puzzle.py").write_text(tutorial())
    taken = 0
    for command, _ in shown():
        name, *words = shlex.split(command)
        assert name in COMMANDS, command
        parser = parser_of(name, words)
        subcommands = len(parser.prog.split()) - 2
        assert parser.parse_known_args(words[subcommands:])[1] == [], command
        taken += 1
    assert taken > 45


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and of its subcommands."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from options_of(each)


def test_the_pages_name_no_other_option_or_command() -> None:
    known = {"--version", *OTHERS}
    known.update(*(options_of(parser_of(command)) for command in COMMANDS))
    known.update(*(option.names for family in families() for option in parameters_as_options(family)))
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "ARCHITECTURE.md"):
        text = page.read_text()
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]+", text)) <= known, page
        assert set(re.findall(r"`parsolve ([a-z]+)\b", text)) <= {*COMMANDS}, page


@pytest.mark.parametrize("page", some(["cover", "listing"], 2))
def test_the_examples_of_a_page(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False)
    assert failed == 0
    assert tried


def test_the_numbers_that_comments_tell_are_printed() -> None:
    """The goldens have what each command prints."""
    kept = (ROOT / "tests" / "goldens" / "readme.txt").read_text()
    printed = dict(re.findall(r"^\$ parsolve (.*)\n((?:(?!\$ ).*\n)*)", kept, re.M))
    told = 0
    for command, comment in shown():
        if number := re.match(r"([\d,]+)(?: solutions? of (\d+) moves)?", comment):
            line = rf"^{number[1]} solutions of cost {number[2]}:" if number[2] else rf"\A{number[1]}$"
            assert re.search(line, printed[command], re.M), command
            told += 1
    assert told > 5


@pytest.mark.nightly
def test_outputs_are_those_that_were_accepted() -> None:
    words = [ROOT / "scripts" / "goldens.py", "rows", "machine"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
