"""`parsolve completion`: a script that completes commands, puzzles, options and their values in a shell.

It holds all words itself, so that Tab waits for nothing. `scripts/completion.py` writes it, so that a new shell waits
for nothing either.
"""

from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.options import argument

SHELLS = ("bash", "zsh", "fish")


@command()
def completion(shell: str = argument("the shell that reads it", "", SHELLS, is_required=True)) -> int:
    """Print a script that completes commands, puzzles, options and their values in a shell.

    examples:
      parsolve completion bash                                     prints it
      echo 'source <(parsolve completion bash)' >> ~/.bashrc
      echo 'source <(parsolve completion zsh)' >> ~/.zshrc
      parsolve completion fish > ~/.config/fish/completions/parsolve.fish
    """
    if shell == "zsh":
        print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit")
    suffix = "fish" if shell == "fish" else "bash"
    print(Path(__file__).with_suffix(f".{suffix}").read_text(encoding="utf-8"), end="")
    return 0
