"""`parsolve completion`: a script that completes commands, puzzles, options and their values in a shell.

It holds all words itself, so that Tab waits for nothing but the jobs of a journal. `scripts/completion.py` writes it,
so that a new shell waits for nothing either.
"""

from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.options import argument
from parsolve.cli.terminal.records import opened
from parsolve.errors import BadInput

SHELLS, JOBS = ("bash", "zsh", "fish"), "jobs"


@command()
def completion(
    shell: str = argument(
        "the shell that reads it; jobs: print those of a journal", "", (*SHELLS, JOBS), is_required=True
    ),
    journal: str | None = argument("with jobs, which the scripts ask for", "JOURNAL"),
) -> int:
    """Print a script that completes commands, puzzles, options and their values in a shell.

    examples:
      parsolve completion bash                                     prints it
      echo 'source <(parsolve completion bash)' >> ~/.bashrc
      echo 'source <(parsolve completion zsh)' >> ~/.zshrc
      parsolve completion fish > ~/.config/fish/completions/parsolve.fish
    """
    if (shell == JOBS) != (journal is not None):
        raise BadInput(f"a journal is for {JOBS}, and {JOBS} for a journal")
    if journal is not None:
        with opened(journal) as kept:
            print(*(job.name for job in kept.jobs()), sep="\n")
        return 0
    if shell == "zsh":
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit")
    suffix = "fish" if shell == "fish" else "bash"
    print(Path(__file__).with_suffix(f".{suffix}").read_text(encoding="utf-8"), end="")
    return 0
