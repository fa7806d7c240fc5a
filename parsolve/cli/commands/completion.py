"""`parsolve completion`: a script that completes commands, puzzles, options and their values in a shell.

It holds all words itself, so that Tab waits for nothing but the jobs of a journal. `scripts/completion.py` writes it,
so that a new shell waits for nothing either.
"""

from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import opened
from parsolve.errors import BadInput

SHELLS, JOBS = ("bash", "zsh", "fish"), "jobs"

EPILOG = """\
examples:
  parsolve completion bash                                     prints it
  echo 'source <(parsolve completion bash)' >> ~/.bashrc
  echo 'source <(parsolve completion zsh)' >> ~/.zshrc
  parsolve completion fish > ~/.config/fish/completions/parsolve.fish
"""


def completion(arguments: Sequence[str], stops: Stops) -> int:
    """Print a shell's completion script."""
    about = "Print a script that completes commands, puzzles, options and their values in a shell."
    parser = Parser("parsolve completion", about, epilog=EPILOG)
    parser.add_argument(
        "shell", choices=(*SHELLS, JOBS), help="the shell that reads it; jobs: print those of a journal"
    )
    parser.add_argument("journal", nargs="?", metavar="JOURNAL", help="with jobs, which the scripts ask for")
    options = parser.parse_args(arguments)
    shell = options.shell
    if (shell == JOBS) != (options.journal is not None):
        raise BadInput(f"a journal is for {JOBS}, and {JOBS} for a journal")
    if shell == JOBS:
        with opened(options.journal) as journal:
            print(*(job.name for job in journal.jobs()), sep="\n")
        return 0
    if shell == "zsh":
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit")
    suffix = "fish" if shell == "fish" else "bash"
    print(Path(__file__).with_suffix(f".{suffix}").read_text(encoding="utf-8"), end="")
    return 0
