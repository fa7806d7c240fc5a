"""What may help a search that takes long, from what its puzzle has: a key, a transposition table, bounds."""

from parsolve.cli.options import as_option
from parsolve.parameters import parameters_of
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.puzzles import name_of


def on_large(puzzle: Puzzle, table: int | None) -> str:
    """Return that a transposition table may help a puzzle of the user's own; built-in ones say themselves whether.

    Args:
        puzzle: what is searched.
        table: bytes of the table that the user has chosen; None for the puzzle's own choice.
    """
    cls = type(puzzle)
    chosen = table is not None or cls.default_table is not Puzzle.default_table or name_of(cls) is not None
    if cls.key is None or chosen:
        return ""
    return "its states have keys: with --table 64M, those that several ways lead to may be searched once"


def on_slow(puzzle: Puzzle, table: int | None, limit: int | None) -> str:
    """Return what may help a search for any solution that has found none; empty for nothing.

    Args:
        puzzle, table: see `on_large`.
        limit: the cost up to which is searched.
    """
    problem = Problem(puzzle, "any")
    may_help = []
    if problem.has_cost and limit is not None:
        may_help.append(f"a larger --limit than {limit}, up to which there are more solutions")
    bounds = [row for row in parameters_of(type(puzzle)) if row.choices and (row.only_bounds or row.name == "bound")]
    may_help += [f"another {as_option(row.name)}, see --help" for row in bounds]
    if problem.key_rule:
        size = problem.puzzle.default_table if table is None else table
        may_help += [] if size else ["--table 64M, which spares states that several ways lead to"]
        may_help.append("for a small puzzle --engine breadth with --want first, as far as memory reaches")
    return f"what may help: {'; '.join(may_help)}" if may_help else ""
