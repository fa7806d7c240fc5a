"""The programs by which `bench_cover.py` counts exact covers with packages that a Python user would pick.

Each is written as its users write it and runs on one thread. `count(items, options)` gets how many items there are, and
of each option the numbers of its items.
"""

from typing import NamedTuple

EXACT_COVER = """
import exact_cover
import numpy as np

def count(items, options):
    matrix = np.zeros((len(options), items), bool)
    for number, option in enumerate(options):
        matrix[number, option] = True
    return exact_cover.get_solution_count(matrix)
"""

# It gives all solutions as a list.
DLX = """
import numpy as np
from dlxsolver import DLXSolver

def count(items, options):
    matrix = np.zeros((len(options), items), np.int32)
    for number, option in enumerate(options):
        matrix[number, option] = 1
    return len(DLXSolver(matrix).solve(find_all=True))
"""

CLINGO = """
import clingo

def count(items, options):
    control = clingo.Control(["0", "--configuration=crafty"])
    facts = " ".join(f"in({number},{item})." for number, option in enumerate(options) for item in option)
    control.add(f"item(0..{items - 1}). option(0..{len(options) - 1}). {facts}"
                "{ taken(O) : in(O, I) } = 1 :- item(I).")
    control.ground()
    control.solve()
    return int(control.statistics["summary"]["models"]["enumerated"])
"""

ORTOOLS = """
from ortools.sat.python import cp_model

class Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self):
        super().__init__()
        self.found = 0

    def on_solution_callback(self):
        self.found += 1

def count(items, options):
    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"option {number}") for number in range(len(options))]
    holders = [[] for _ in range(items)]
    for number, option in enumerate(options):
        for item in option:
            holders[item].append(taken[number])
    for each in holders:
        model.add_exactly_one(each)
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    counter = Counter()
    if solver.solve(model, counter) != cp_model.OPTIMAL:
        raise SystemExit("not searched to the end")
    return counter.found
"""

# The alarm ends the process whatever code it is in.
TIMED = """
import json, signal, sys, time

items, options = json.load(sys.stdin)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
begin = time.process_time()
found = count(items, options)
print(found, time.process_time() - begin)
"""


class Peer(NamedTuple):
    """A package: the program that counts with it, and what pip installs."""

    program: str
    packages: tuple[str, ...]


PEERS = {
    "exact-cover": Peer(EXACT_COVER + TIMED, ("exact-cover", "numpy")),
    "dlx-cython": Peer(DLX + TIMED, ("dlx-cython", "numpy")),
    "clingo": Peer(CLINGO + TIMED, ("clingo",)),
    "ortools CP-SAT": Peer(ORTOOLS + TIMED, ("ortools",)),
}
