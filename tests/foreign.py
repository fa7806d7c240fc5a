"""A puzzle whose code misbehaves, as $MODE says; what the tests of foreign code share."""

SOURCE = """
import os, re, sys, time
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from parsolve import Counting, Puzzle, parameter

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
    if how == "holds the lock":  # of the interpreter, for ever: no thread of this process runs
        re.match("(a+)+b", "a" * 100)
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

class Tables(NamedTuple):
    size: int
    trap: int

@dataclass(frozen=True)
class Walk(Puzzle):
    size: int = parameter(8, "places")
    state = np.dtype([("place", "u4"), ("cost", "u2"), ("bound", "u2"), ("move", "u1")])
    children = 2

    def __post_init__(self):
        misbehave("__post_init__")

    def root(self):
        misbehave("root")
        return None if mode() == "root gives nothing" else {"place": 0}

    def tables(self):
        misbehave("tables")
        return None if mode() == "tables gives nothing" else Tables(self.size, mode() == "rule loops")

    def limits(self):
        misbehave("limits")
        return None if mode() == "limits gives nothing" else range(100)

    def steps(self, limit):
        misbehave("steps")
        return None if mode() == "steps gives nothing" else limit

    def counting(self, want):
        misbehave("counting")
        return 3 if mode() == "counting gives nothing" else Counting(self, self.total, self.warning)

    def total(self, weights):
        misbehave("total")
        return None if mode() == "total gives nothing" else weights

    def warning(self, workers):
        misbehave("warning")
        return None if mode() == "warning gives nothing" else ""

    def show(self, solution):
        misbehave("show")
        if mode() == "show gives half a character":
            return "\\ud800"
        return None if mode() == "show gives nothing" else " ".join(map(str, solution.moves))

    @staticmethod
    def expand(tables, here, limit, rows, top):
        while tables.trap and here.place >= 2:
            top += 0
        for step in range(1, 3):
            row = rows[top]
            row.place = (here.place + step) % tables.size
            row.cost = here.cost + 1
            row.bound = 0
            row.move = step
            top += here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.place * 2 == tables.size
"""

HOOKS = ("root", "tables", "limits", "steps", "counting", "total", "warning", "show")
