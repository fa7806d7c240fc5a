"""Does a puzzle keep the contract? Runs its rules as plain Python over sampled states.

Compiled code notices no field left unset, no value that does not fit and no index beyond an array. Here the
rules meet stand-ins for states, rows and tables that do, and what they write is compared with what the
compiled rules write. A small breadth-first search then holds the bound against true distances and the key
against the states that it stands for.
"""

import itertools

from parsolve.check.faults import Report
from parsolve.check.graph import Graph
from parsolve.check.rules import Rules
from parsolve.errors import BadPuzzle
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.replay import Solution


def check(puzzle: Puzzle, states: int = 20_000, samples: int = 300) -> Report:
    """Run a puzzle's rules over its first states.

    Args:
        puzzle: the puzzle; an instance with solved states near its root checks the bound best.
        states: how many states the breadth-first search reaches at most.
        samples: how many of them meet the uncompiled rules.

    Raises:
        BadPuzzle: a rule is missing or does not compile.
    """
    problem = Problem(puzzle, "count")
    for name in problem.state.names or ():
        if problem.state[name].subdtype is not None:
            raise BadPuzzle(f"{problem.name}: check cannot look into the array field {name!r} of 'state'")
    rules = Rules(problem)
    graph = Graph(rules, states)
    report = Report([], len(graph.rows))
    # The first states, and evenly spread ones down to the deepest.
    chosen = sorted({*range(min(samples // 3, report.states)), *range(0, report.states, -(-report.states // samples))})
    # What only a search would ask for.
    first = next(problem.limits(), 0)
    problem.steps(first)
    _ = Solution((), problem).text
    faults = itertools.chain(
        graph.faults,
        *(rules.faults_at(graph.rows[number]) for number in chosen),
        graph.bound_faults(report),
        graph.key_faults(report),
    )
    kinds = set()
    for kind, fault in faults:
        if kind not in kinds:
            kinds.add(kind)
            report.faults.append(fault)
    return report
