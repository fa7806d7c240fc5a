"""`parsolve new`: a file with a small puzzle, commented, to be changed into another one."""

import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.system.files import replaced, require_own

ABOUT = """\
Write a file with a small puzzle of your own: pancakes that are turned over, commented, ready to be changed. It passes
`parsolve check`.
"""

EPILOG = """\
examples:
  parsolve new my_puzzle.py
  parsolve check my_puzzle.py:MyPuzzle
  parsolve solve my_puzzle.py:MyPuzzle --boards
"""


def new(arguments: Sequence[str], stops: Stops) -> int:
    """Write the file."""
    parser = Parser("parsolve new", ABOUT, epilog=EPILOG)
    parser.add_argument("file", metavar="FILE.py", type=Path, help="the file to write; its class is named after it")
    path: Path = parser.parse_args(arguments).file
    name = "".join(word.capitalize() for word in re.split(r"[_\W]+", path.stem))
    if path.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name) or not path.stem.isidentifier():
        raise BadInput(f"{path} is no name for a file of Python that can be imported: such as my_puzzle.py")
    text = Path(__file__).with_name("new_puzzle.txt").read_text(encoding="utf-8")
    require_own(path)
    with replaced(path) as file:
        file.write(text.replace("CLASS", name).replace("FILE", path.name).encode())
    print(f"{path} is written: parsolve check {path}:{name} tests it, parsolve solve {path}:{name} searches it")
    return 0
