"""A worksheet to print: of each search the start, boxes for the moves, and the answers on a page of their own."""

from collections.abc import Sequence
from itertools import islice, pairwise

from parsolve.problem.replay import Solution
from parsolve.problem.svg import picture
from parsolve.puzzle.shapes import Shape
from parsolve.report.page import escape, page
from parsolve.report.reported import ReportedSearch
from parsolve.text import plural

ANSWERS = 3
"""Maximum number of solutions of a search among the answers."""

COMPARED = 60
"""Maximum number of solutions whose ends are compared."""

LONGEST = 60
"""Maximum number of characters of a parameter that is shown."""

BOARDS = 6
"""Maximum number of empty boards, of a puzzle whose moves only put a solution together."""


def worksheet_page(title: str, entries: Sequence[ReportedSearch]) -> str:
    """Return a worksheet about searches with solutions, in their order."""
    tasks, answers = [], []
    for entry in entries:
        solutions = [*islice(entry.solutions or (), COMPARED)]
        if solutions:
            tasks.append(_task(entry, solutions))
            answers.append(_answer(entry, solutions[:ANSWERS]))
    body = (
        f'<main class="sheet"><h1>{escape(title)}</h1><p class="fields"><span>name</span><span>date</span></p>'
        f'{"".join(tasks)}<section class="answers"><h1>Answers</h1>{"".join(answers)}</section></main>'
    )
    return page(title, body)


def _task(entry: ReportedSearch, solutions: Sequence[Solution]) -> str:
    """Return the task of a search: its start, its end if that gives nothing away, and room for a solution."""
    first = solutions[0]
    drawn = first.pictures
    moves = sum(before["cost"] < after["cost"] for before, after in pairwise(first.states))
    if not moves:
        boards = [(drawn[0], "")] * min(BOARDS, entry.searched.count or 1)
    else:
        ends = {frozenset(_without_marks(solution.pictures[-1])) for solution in solutions}
        boards = [(drawn[0], "start"), *([(_without_marks(drawn[-1]), "end")] if len(ends) == 1 else [])]
    figures = "".join(
        f"<figure>{picture(shapes, name or 'board', style=False)}<figcaption>{name}</figcaption></figure>"
        for shapes, name in boards
    )
    return (
        f'<section><h2>{escape(entry.name)}</h2><p>{escape(entry.about)}</p><p class="soft">{_rules(entry)}</p>'
        f'<p>{escape(_wanted(entry, moves, first.stands_for))}</p><div class="boards">{figures}</div>'
        f'<ol class="boxes">{"<li></li>" * moves}</ol></section>'
    )


def _rules(entry: ReportedSearch) -> str:
    """Return the parameters of a line each: a puzzle's rules, and which of its solutions count; no drawings."""
    rules = [
        name if value is True else f"{name} {value}"
        for name, value in entry.parameters.items()
        if value is not False and value not in ("", "auto", "none")
    ]
    return escape(", ".join(rule for rule in rules if len(rule) <= LONGEST and "\n" not in rule))


def _wanted(entry: ReportedSearch, moves: int, stands_for: int) -> str:
    """Return what to find, in words: a solution of so many moves that cost something, which stands for others."""
    searched = entry.searched
    cost = f" of cost {entry.costs}" if searched.cost else ""
    if searched.cost and searched.cost == moves:
        cost = f" of {entry.costs} moves" if searched.slack else f" of {plural(moves, 'move')}"
    cost += f" in part {searched.part}" if searched.part else ""
    if searched.count is None:
        return f"Find a solution{cost}."
    cost += f" up to {entry.up_to}" if entry.up_to else ""
    if searched.count == 1:
        return f"There is one solution{cost}: find {'it' if stands_for == 1 else f'one of {stands_for}'}."
    find = "find one" if searched.cost else "find as many as you can"
    return f"There are {plural(searched.count, 'solution')}{cost}: {find}."


def _answer(entry: ReportedSearch, solutions: Sequence[Solution]) -> str:
    """Return the answers of a search: solutions as texts, or as boards if moves only put them together."""
    shown = []
    for each in solutions:
        drawn = picture(each.pictures[-1], each.text, style=False)
        stands_for = f"<div>one of {each.stands_for}, up to {escape(entry.up_to)}</div>" if each.stands_for > 1 else ""
        shown.append(f"<li>{f'<code>{escape(each.text)}</code>' if each.cost else drawn}{stands_for}</li>")
    rest = f'<p class="soft">{len(shown):,} of {entry.found:,} solutions</p>' if entry.found > len(shown) else ""
    kind = "texts" if solutions[0].cost else "pictures"
    return f'<h2>{escape(entry.name)}</h2><ol class="{kind}">{"".join(shown)}</ol>{rest}'


def _without_marks(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return shapes without those that point out a move, and without names, which tell equal pieces apart."""
    return tuple(shape._replace(name="") for shape in shapes if shape.tone != "mark")
