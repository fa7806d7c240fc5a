"""What shells complete: every word is one that the commands take, and bash offers the right ones."""

import itertools
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

from parsolve.cli import COMMANDS
from parsolve.cli.completion import SHELLS
from parsolve.cli.grammar import options_of, parameters_as_options, takes_puzzle, words_after
from parsolve.puzzles import CATALOGUE

BASH = shutil.which("bash")

SCRIPTS = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "completion.py"))
"""What writes the scripts."""


@pytest.mark.processes
@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_it(run: Run, tmp_path: Path, shell: str) -> None:
    text = run("completion", shell).stdout
    assert all(name in text for name in (*COMMANDS, *CATALOGUE, "max-memory", "vacancy", "manhattan"))
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
        (("count", "peg", "--engine", ""), {"deepening", "breadth", "both"}),
        (("solve", "eight", "--bound", "m"), {"manhattan"}),
        (("solve", "hoppers", "--va"), {"--vacancy"}),
        (("solve", "eight", "--va"), set()),
        (("tables", "b"), {"build"}),
        (("solve", "hoppers", "--timeout", ""), set()),
        (("run", ""), set()),
    ],
)
def test_bash_offers(line: tuple[str, ...], offered: set[str]) -> None:
    words = " ".join(f"'{word}'" for word in ("parsolve", *line))
    asked = (
        f'{SCRIPTS["bash_script"]()}COMP_WORDS=({words}); COMP_CWORD={len(line)}; _parsolve; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run([str(BASH), "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


def test_all_that_is_offered_is_taken(run: Run) -> None:
    """Each option with choices, of a command or a puzzle, is refused with another value, and that names them."""
    for command in COMMANDS:
        for option in options_of(command):
            if option.choices:
                words = [words_after(command)[0]] if words_after(command) else []
                told = run(command, *words, option.names[-1], "nix", code=2).stderr
                assert all(choice in told for choice in option.choices), told
    for puzzle in CATALOGUE:
        for option in parameters_as_options(puzzle):
            assert run("count", puzzle, option.names[0], "--help", code=None).returncode in (0, 2)


def test_the_scripts_are_those_of_the_commands() -> None:
    """`scripts/completion.py` writes them."""
    for suffix, text in SCRIPTS["scripts"]().items():
        assert SCRIPTS["SCRIPT"].with_suffix(suffix).read_text(encoding="utf-8") == text


def test_every_command_and_puzzle_is_there() -> None:
    assert {command for command in COMMANDS if takes_puzzle(command)} == {
        *("solve", "count", "table", "explore", "estimate", "describe", "check", "play"),
    }
    lines = list(SCRIPTS["fish_lines"]())
    for name in itertools.chain(COMMANDS, CATALOGUE):
        assert any(name in line for line in lines), name


def test_the_manual_page_is_that_of_the_commands() -> None:
    """`scripts/man_page.py` writes it."""
    script = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "man_page.py"))
    assert script["PAGE"].read_text() == script["page"]()


@pytest.mark.processes
def test_a_shell_that_starts_waits_for_no_compiler() -> None:
    """`source <(parsolve completion bash)` stands in a file that every new shell reads."""
    words = "import sys; from parsolve.cli import main; main(['completion', 'bash']); sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", words], check=True, stdout=subprocess.DEVNULL)
