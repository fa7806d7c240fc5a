"""The examples of README, docs/library.md and docs/your-own-puzzle.md are true: files, changes and commands."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cases import nightly, some
from environments import environment
from grammar import options_of, parameters_as_options, parser_of
from shared import ROOT, Run
from shown import PAGES, changed, runs, shown, tutorial

from parsolve.cli import COMMANDS, main
from parsolve.puzzle.catalogue import families

DOC = ROOT / "docs" / "your-own-puzzle.md"
README = (ROOT / "README.md").read_text()

BLOCK = re.compile(r"^```(python|diff)\n(.*?)^```|((?:^    [^\n]*\n)+)", re.M | re.S)
"""A block of code or a change, or one of commands and their output."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each block, `python`, `diff` or `commands`, and its text."""
    for kind, code, commands in BLOCK.findall(text):
        yield kind or "commands", code or commands


@pytest.mark.nightly
def test_a_puzzle_of_your_own(
    tmp_path: Path,
    puzzle_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    files: dict[str, str] = {}
    name = pending = ""
    ran = 0
    for kind, text in blocks(DOC.read_text()):
        if kind == "python" and text.startswith("# "):
            name, _, source = text.removeprefix("# ").partition("\n")
            files[name] = source
        elif kind == "python":
            files[name] += f"\n{text}"
        elif kind == "diff":
            pending = text
        else:
            for file, source in files.items():
                puzzle_file(changed(source, pending) if pending and file == "my_puzzle.py" else source, file)
            for command, output in runs(text):
                main(shlex.split(command)[1:])
                out, err = capsys.readouterr()
                assert out + err == output, command
                ran += 1
            pending = ""
    assert ran > 20


def test_it_starts_from_the_readme() -> None:
    assert next(text for kind, text in blocks(DOC.read_text()) if kind == "python") == f"# my_puzzle.py\n{tutorial()}"


def test_the_python_examples() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried) == (0, 4)


def test_the_tutorial(run: Run, puzzle_file: Callable[..., Path]) -> None:
    source = tutorial()
    assert len(source.splitlines()) <= 40
    puzzle_file(source)
    examples = re.findall(r"\$ parsolve (\w+) (my_puzzle\.py:LightsOut) --size (\d)\n    (.*)\n", README)
    assert len(examples) == 2
    # The four solutions on 5 × 5 are known: M. Anderson and T. Feil, Turning lights out with linear algebra, 1998.
    for command, name, size, answer in examples:
        assert run(command, name, "--size", size).stdout == answer + "\n"
    assert run("check", "my_puzzle.py:LightsOut").stdout.startswith("0 faults")


# CONTRIBUTING.md is true: its changes are made in a copy of parsolve, and its commands are run there.


TEXT = (ROOT / "CONTRIBUTING.md").read_text()

SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))

FILES = re.compile(r"^`([\w./]+)`:\n\n```(\w+)\n(.*?)^```", re.M | re.S)
"""The name of a file, and its text or how it changes."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the package."""
    folder = tmp_path / "copy"
    shutil.copytree(ROOT / "parsolve", folder / "parsolve")
    return folder


def install(folder: Path, added: str) -> None:
    """Write what tells Python of a package's entry points: those of pyproject.toml, and those that are added."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("entry-points", {})
    for group, more in tomllib.loads(added)["project"]["entry-points"].items():
        points[group] = points.get(group, {}) | more
    about = folder / "parsolve-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parsolve\nVersion: 0\n")
    lines = (
        f"[{group}]\n" + "".join(f"{name} = {it}\n" for name, it in each.items()) for group, each in points.items()
    )
    (about / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.processes
@pytest.mark.parametrize("title", ["Add a command", nightly("Add a family of puzzles"), nightly("Add an engine")])
def test_the_example(copy: Path, title: str) -> None:
    for name, kind, text in FILES.findall(SECTIONS[title]):
        file = copy / name
        if kind == "python":
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        elif kind == "diff":
            file.write_text(changed(file.read_text(), text))
        else:
            install(copy, text)
    ran = 0
    for command, output in runs(SECTIONS[title]):
        *settings, words = command.rpartition("parsolve ")
        environment = dict(each.split("=") for each in settings[0].split())
        done = subprocess.run(
            [sys.executable, "-m", "parsolve", *shlex.split(words)],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout == f"{output.splitlines()[0]}\n", done.stderr
        ran += 1
    assert ran


@pytest.mark.processes
def test_what_it_names_exists() -> None:
    names = re.findall(r"(?<![\w./])(?:\./)?((?:scripts|tests|docs|parsolve)/[\w./-]*\w|[A-Z]+\.md)", TEXT)
    made = {name for name, kind, _ in FILES.findall(TEXT) if kind == "python"}
    assert {name for name in names if not (ROOT / name).exists()} <= made


# docs/packages.md is true: its package is installed into a fresh environment, and its commands are run.


PACKAGES = ROOT / "docs" / "packages.md"


@pytest.mark.nightly
def test_the_package(tmp_path: Path) -> None:
    text = PACKAGES.read_text()
    package = tmp_path / "package"
    package.mkdir()
    for name, code in re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", text, re.M | re.S):
        (package / name).write_text(code)
    python = environment(tmp_path / "environment", package, ROOT)

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [python, "-m", "parsolve", *words], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
        )

    ran = 0
    for block in re.findall(r"(?:^    [^\n]*\n)+", text, re.M):
        for command, output in runs(block):
            if command.startswith("parsolve"):
                done = run(*shlex.split(command)[1:])
                assert done.stdout == output, done.stderr
                ran += 1
    assert ran == 3
    assert "Walk around a ring to the opposite place, in steps of 1 and 2 (of the package ring-puzzles)" in (
        run("list").stdout
    )
    assert "ring:large" in run("list").stdout


# Every command and option that README, CHANGELOG and docs/ show is one that parsolve takes; what it prints is kept.


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


def test_the_pages_name_no_other_option_or_command() -> None:
    known = {"--version", *OTHERS}
    known.update(*(option.names for command in COMMANDS for option in options_of(command)))
    known.update(*(option.names for family in families() for option in parameters_as_options(family)))
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "ARCHITECTURE.md"):
        text = page.read_text()
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]+", text)) <= known, page
        assert set(re.findall(r"`parsolve ([a-z]+)\b", text)) <= {*COMMANDS}, page


@pytest.mark.parametrize("page", some(["cover", "listing", "library"], 3))
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
