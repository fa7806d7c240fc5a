"""`parsolve new`: a file with a small puzzle, commented, to be changed into another one."""

import keyword
import re
from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.options import argument
from parsolve.errors import BadInput
from parsolve.system.userfiles import replaced, require_own


@command()
def new(file: Path = argument("the file to write; its class is named after it", "FILE.py", is_required=True)) -> int:
    """Write a file with a small puzzle of your own: pancakes that are turned over, commented, ready to be changed. It
    passes `parsolve check`.

    examples:
      parsolve new my_puzzle.py
      parsolve check my_puzzle.py:MyPuzzle
      parsolve solve my_puzzle.py:MyPuzzle --boards
    """
    name = "".join(word.capitalize() for word in re.split(r"[_\W]+", file.stem))
    if file.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name) or not file.stem.isidentifier():
        raise BadInput(f"{file} is no name for a file of Python that can be imported: such as my_puzzle.py")
    text = Path(__file__).with_name("new_puzzle.txt").read_text(encoding="utf-8")
    require_own(file)
    with replaced(file) as opened:
        opened.write(text.replace("CLASS", name).replace("FILE", file.name).encode())
    print(f"{file} is written: parsolve check {file}:{name} tests it, parsolve solve {file}:{name} searches it")
    return 0
