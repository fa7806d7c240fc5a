"""What may help a search that takes long, from what its puzzle has: a key, a transposition table, bounds."""

from parsolve.catalogue import name_of
from parsolve.cli.named import as_option
from parsolve.parameters import parameters_of
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.request import Request


def on_large(problem: Problem, request: Request) -> str:
    """Return that a transposition table may help a puzzle of the user's own; built-in ones say themselves whether."""
    cls = type(problem.given)
    is_chosen = request.transposition is not None or cls.default_transposition is not Puzzle.default_transposition
    if cls.key is None or is_chosen or request.slack or name_of(cls) is not None:
        return ""
    return "its states have keys: with --transposition 64M, those that several ways lead to may be searched once"


def on_slow(problem: Problem, request: Request) -> str:
    """Return what may help a search for any solution that has found none; empty for nothing."""
    may_help = []
    if problem.has_cost and request.limit is not None:
        may_help.append(f"a larger --limit than {request.limit}, up to which there are more solutions")
    bounds = [row for row in parameters_of(type(problem.given)) if row.choices]
    may_help += [
        f"another {as_option(row.name)}, see --help" for row in bounds if row.only_bounds or row.name == "bound"
    ]
    if problem.key_rule:
        size = problem.puzzle.default_transposition if request.transposition is None else request.transposition
        may_help += [] if size else ["--transposition 64M, which spares states that several ways lead to"]
        may_help.append("for a small puzzle --engine breadth with --want first, as far as memory reaches")
    return f"what may help: {'; '.join(may_help)}" if may_help else ""
