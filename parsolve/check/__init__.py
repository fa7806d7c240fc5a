"""Check whether a puzzle keeps the contract: run its rules as plain Python over sampled states.

Compiled code does not notice a field left unset, a value that does not fit or an index beyond an array. Here the rules
get stand-ins for states, rows and tables that do, and the results are compared with those of the compiled rules. A
small breadth-first search then compares the bound with true distances, and states that share a key with each other.

    plain rules at the first states ─▶ compile ─▶ small breadth-first search ─▶ plain and compiled rules compared
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from parsolve.check.compared import ComparedRules
from parsolve.check.declared import declared_faults
from parsolve.check.endless import METHOD_SECONDS, on_time
from parsolve.check.faults import CheckReport, Fault
from parsolve.check.graph import SmallGraph
from parsolve.check.others import batch_faults, elsewhere_faults, reads_faults
from parsolve.errors import BadPuzzle, RuleRaised
from parsolve.problem.hooks import images_from, text_from
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import Puzzle
from parsolve.tables.databases import supply
from parsolve.text import shown

LIMITS = 1000
"""Number of a puzzle's limits that are checked."""


def check(puzzle: Puzzle, states: int = 20_000, samples: int = 300, seeds: Sequence[int] = ()) -> CheckReport:
    """Run a puzzle's rules over its first states and report what is wrong.

    Args:
        puzzle: the puzzle; an instance with solved states near its root checks the bound best.
        states: maximum number of states that the breadth-first search reaches.
        samples: how many of them the uncompiled rules get (`solved` gets all); fewer if these take long.
        seeds: hash seeds of fresh interpreters that also build the lookups, each with another order of sets of texts.

    Raises:
        BadInput: it is known to have no solution.
        BadPuzzle: nothing can be run: a rule is missing, `root` or `tables` fails.
    """
    problem = supply(Problem(puzzle, "count"))
    problem.require_solvable()
    rules = ComparedRules(problem)
    report = CheckReport(states=1, has_bound=problem.has_bound)
    _add(report, rules.plain.walk(rules.state(rules.root), samples // 3))
    if report.stopped:
        return report
    try:
        rules.compile()
    except BadPuzzle as error:
        # A fault found as Python is the same here, or is reported later.
        report.faults = [Fault("compile", str(error))]
        return report
    graph = SmallGraph(rules, states)
    goals, goal_faults = _goals(rules)
    report.states = len(graph.rows)
    # The first states, and evenly spaced ones down to the deepest.
    chosen = sorted({*range(min(samples // 3, report.states)), *range(0, report.states, -(-report.states // samples))})
    in_time = functools.partial(itertools.takewhile, lambda _: not rules.plain.has_run())
    faults = itertools.chain(
        graph.faults,
        itertools.chain.from_iterable(rules.faults_at(graph.rows[number]) for number in in_time(chosen)),
        # A sample hardly meets the few states that are solved.
        itertools.chain.from_iterable(map(rules.solved_faults, in_time(graph.rows))),
        goal_faults,
        declared_faults(graph, goals, report),
    )
    _add(report, faults)
    if report.stopped:
        return report
    whole = graph
    if problem.key_rule and not graph.is_whole and not report.faults:  # a wrong key merges what is not one
        # All states, if these are few: a state may be reached in many ways.
        merged = SmallGraph(rules, states, by_key=True)
        _add(report, merged.faults)
        whole = merged if merged.is_whole else graph
    report.all_states = len(whole.rows) if whole.is_whole else None
    faults = itertools.chain(
        whole.bound_faults(report),
        _method_faults(whole),
        batch_faults(problem),
        elsewhere_faults(problem, seeds),
        reads_faults(problem),  # the last check: its changes are not undone
    )
    _add(report, faults)
    return report


def _add(report: CheckReport, faults: Iterable[Fault]) -> None:
    """Report faults, up to one that prevents running the compiled rules."""
    try:
        for fault in faults:
            report.add(fault)
            if report.stopped:
                return
    except RuleRaised as error:
        report.add(Fault("raises", f"a rule raises {error.__cause__!r}"))


def _goals(rules: ComparedRules) -> tuple[list[Any], list[Fault]]:
    """Return the rows of the goal states, and what is wrong with them."""
    try:
        goals = list(on_time(f"'goals' of {rules.problem.name}", rules.problem.goals, METHOD_SECONDS))
        wrong = [goal for goal in goals if not rules.solved(goal)]
    except BadPuzzle as error:
        return [], [Fault("goals", str(error))]
    text = "'goals' gives this state, which is not solved:"
    return goals, [Fault("goals", text, rules.state(goal)) for goal in wrong]


def _method_faults(graph: SmallGraph) -> Iterator[Fault]:
    """Yield the faults of the methods that only a search would call, for a solution if one was found."""
    rules, problem, path = graph.rules, graph.problem, graph.path_to_solved()
    solution = Solution([int(row["move"]) for row in path[1:]], problem)
    solution.states = [problem.state_of(row) for row in path]  # replaying it by a search's kernel would take seconds

    def limits() -> None:
        first = [*itertools.islice(problem.limits(), LIMITS)][:1]
        if not first:
            raise BadPuzzle(f"{problem.name}: 'limits' gives no limit at all")
        problem.costs.steps(*first)

    def images() -> None:
        for image in images_from(problem.puzzle, [*solution.moves]):
            rows = [rules.root]
            for move in image:
                rows = [child for row in rows for child in rules.children(row) if child["move"] == move]
            if not any(map(rules.solved, rows)):
                where = "to a state that is not solved" if rows else "nowhere"
                text = f"'images_of' gives {shown(image)} for the moves {shown(solution.moves)}: these lead {where}"
                raise BadPuzzle(f"{problem.name}: {text}")

    calls: dict[str, Callable[[], Any]] = {
        "limits": limits,
        "show": lambda: solution.text,
        "render": lambda: solution.boards,
    }
    if rules.solved(path[-1]) and not text_from(problem.puzzle, "up_to"):  # else the others are no solutions
        calls["images_of"] = images
    if type(problem.puzzle).picture is not Puzzle.picture:  # otherwise it shows what `render` returns
        calls["picture"] = lambda: solution.pictures
    for name, function in calls.items():
        try:
            on_time(f"{name!r} of {problem.name}", function, METHOD_SECONDS)
        except BadPuzzle as error:
            yield Fault(name, str(error))
