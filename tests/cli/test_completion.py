"""What shells complete: every word is one that the commands take, and bash offers the right ones."""

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from grammar import options_of, parameters_as_options, words_after
from shared import ROOT, Run

from parsolve.cli import COMMANDS
from parsolve.cli.commands.completion import SHELLS
from parsolve.puzzle.catalogue import names

pytestmark = pytest.mark.plain


SCRIPTS = runpy.run_path(str(ROOT / "scripts" / "completion.py"))
"""What writes the scripts, and the schema of job files."""


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


def test_the_files_are_those_of_the_commands() -> None:
    """`scripts/completion.py` writes them."""
    for path, text in SCRIPTS["files"]().items():
        assert path.read_text(encoding="utf-8") == text


BASH = shutil.which("bash")


@pytest.mark.processes
@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_it(run: Run, tmp_path: Path, shell: str, compiled: None) -> None:
    text = run("completion", shell).stdout
    assert all(name in text for name in (*COMMANDS, *names(), "max-memory", "vacancy", "manhattan"))
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(text)
    subprocess.run([program, "-n", script], check=True)


@pytest.mark.processes
@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (("so",), {"solve"}),
        (("solve", "hop"), {"hoppers"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("help", "sl"), {"sliding"}),
        (("count", "peg", "--engine", ""), {"deepening", "breadth", "both", "sharing"}),
        (("solve", "eight", "--bound", "m"), {"manhattan"}),
        (("solve", "hoppers", "--va"), {"--vacancy"}),
        (("solve", "peg", "--board", "tri"), {"triangle10", "triangle15", "triangle21", "triangle21_modified"}),
        (("tables", "b"), {"build"}),
        (("solve", "hoppers", "--timeout", ""), set()),
    ],
)
def test_bash_offers(line: tuple[str, ...], offered: set[str], compiled: None) -> None:
    words = " ".join(f"'{word}'" for word in ("parsolve", *line))
    asked = (
        f'{SCRIPTS["bash_script"]()}COMP_WORDS=({words}); COMP_CWORD={len(line)}; _parsolve; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run([str(BASH), "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered
