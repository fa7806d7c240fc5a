"""A walk whose code misbehaves, as $MODE says; what the tests of foreign code share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from samples import edited

_MISBEHAVE = """
import os, re, sys, time
from parsolve import Counting

def mode():  # no global value: that would make another puzzle of it
    return os.environ.get("MODE", "")

class Odd(BaseException):
    pass

def misbehave(where):
    if not mode().startswith(where + " "):
        return
    how = mode().removeprefix(where + " ")
    if how == "loops":
        while True:
            pass
    if how == "sleeps":
        time.sleep(1000)
    if how in ("holds the lock", "cannot be ended"):
        open("begun", "w").close()  # a test waits for it
    if how == "holds the lock":  # of the interpreter, for ever: no thread of this process runs
        re.match("(a+)+b", "a" * 100)
    if how == "cannot be ended":  # by a thread of this process, once that has said why
        os._exit = lambda code: time.sleep(1000)
        time.sleep(1000)
    if how == "exits":
        sys.exit(0)
    if how == "ends the process":
        os._exit(0)
    if how == "crashes":
        os.abort()
    if how == "raises":
        raise Odd("odd")
    if how == "fails":
        raise RuntimeError("no")

misbehave("import")

"""

_RETURNS = {
    "root(self)": '{"place": 0}',
    "tables(self)": 'Tables(self.size, mode() == "rule loops")',
    "limits(self)": "range(100)",
    "steps(self, limit)": "limit",
    "counting(self, want)": "Counting(self, self.total, self.warning)",
    "total(self, weights)": "weights",
    "warning(self, workers)": '""',
    "show(self, solution)": r'"\ud800" if mode() == "show gives half a character" else "shown"',
}
"""What each method returns where it does not misbehave."""

HOOKS = tuple(method.partition("(")[0] for method in _RETURNS)


def _method(signature: str, returns: str) -> str:
    name = signature.partition("(")[0]
    nothing = 3 if name == "counting" else None  # where None is an answer
    given = f'{nothing} if mode() == "{name} gives nothing" else {returns}'
    return f'    def {signature}:\n        misbehave("{name}")\n        return {given}\n\n'


def _source() -> str:
    walk = edited("class Tables(NamedTuple):\n    size: int", "class Tables(NamedTuple):\n    size: int\n    trap: int")
    walk = edited("class Tables", _MISBEHAVE + "class Tables", walk)
    walk = edited(
        "        for step in",
        "        while tables.trap and here.place >= 2:\n            top += 0\n        for step in",
        walk,
    )
    methods = walk.index("    def root(self)"), walk.index("    @staticmethod\n    def expand")
    made = '    def __post_init__(self):\n        misbehave("__post_init__")\n\n'
    made += "".join(_method(signature, returns) for signature, returns in _RETURNS.items())
    return walk[: methods[0]] + made + walk[methods[1] :]


SOURCE = _source()

WORDS = ("solve", "foreign.py:Walk", "--quiet")


@pytest.fixture
def foreign_file(puzzle_file: Callable[..., Path]) -> Path:
    """The walk's file, `foreign.py`."""
    return puzzle_file(SOURCE, "foreign.py")


def lines_of(text: str) -> list[str]:
    """What a command says, but for where it was stopped."""
    return [line for line in text.splitlines() if not line.startswith("stopped before the end")]
