"""The report of a whole space: states by distance, and the hardest positions drawn."""

from parsolve.levels.explore import Explored
from parsolve.problem.hooks import picture_from
from parsolve.problem.svg import picture
from parsolve.report.charts import bars
from parsolve.report.page import escape, facts, page
from parsolve.text import clock, plural

MOST = 60
"""Maximum number of farthest states that are drawn."""

LARGEST = 200_000
"""Bytes of pictures above which no more are drawn."""


def explored_page(title: str, parameters: dict[str, object], explored: Explored) -> str:
    """Return a page about the states of a puzzle."""
    depth = explored.depths[-1][0]
    problem = explored.problem
    cards: list[str] = []
    size = 0
    for row, text in zip(explored.rows[:MOST], explored.farthest, strict=False):
        drawn = picture(picture_from(problem.puzzle, problem.state_of(row), ()), text, style=False)
        cards.append(f"<li>{drawn}<code>{escape(text)}</code></li>")
        size += len(cards[-1])
        if size > LARGEST:
            break
    settings = ", ".join(f"{name} {value}" for name, value in parameters.items() if value != "")
    about = [
        ("parameters", settings or "none"),
        ("states", f"{explored.states:,}"),
        (f"greatest distance from the {explored.start}", f"{depth:,}"),
        ("time", f"{explored.seconds:.3f} s" if explored.seconds < 10 else clock(explored.seconds)),
    ]
    rows = "".join(f'<tr><td class="n">{at:,}</td><td class="n">{states:,}</td></tr>' for at, states in explored.depths)
    few = f"; the first {len(cards)} are drawn" if len(cards) < explored.depths[-1][1] else ""
    body = (
        f"<main><h1>{escape(title)}</h1>{facts(about)}"
        f"{bars('states by distance', 'b', explored.depths, 220)}"
        f"<h2>{escape(plural(explored.depths[-1][1], 'hardest position'))}, at distance {depth:,}{few}</h2>"
        f'<ul class="cards">{"".join(cards)}</ul><details><summary>states by distance as a table</summary>'
        '<div class="wide"><table><thead><tr><th scope="col" class="n">distance</th><th scope="col" class="n">states'
        f"</th></tr></thead><tbody>{rows}</tbody></table></div></details></main>"
    )
    return page(title, body)
