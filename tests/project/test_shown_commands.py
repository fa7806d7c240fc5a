"""Every command that README and docs/ show is one that parsolve takes."""

import doctest
import shlex
from pathlib import Path

import pytest
from cases import some
from conftest import ROOT
from grammar import parser_of
from shown import shown, tutorial

from parsolve.cli import COMMANDS


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


@pytest.mark.parametrize("page", some(["cover", "listing"], 2))
def test_the_examples_of_a_page(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / f"{page}.md"), module_relative=False)
    assert failed == 0
    assert tried
