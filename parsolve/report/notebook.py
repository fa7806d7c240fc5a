"""A result in a notebook: a summary, the first boards, and the player."""

from parsolve.problem.svg import CSS, picture
from parsolve.report.entry import entry_of
from parsolve.report.jobs import player_page
from parsolve.report.page import escape
from parsolve.search.result import Result
from parsolve.text import plural

BOARDS = 3
"""Boards that are drawn without a script."""

WINDOW = 200
"""Solutions in the player."""

HEIGHT = 560
"""Pixels of the player."""


def result_html(result: Result) -> str:
    """Return a result as markup.

    The player is a page of its own in a frame, so that nothing in it interferes with the notebook's styles, scripts or
    other players.
    """
    cost = "" if result.cost is None else f" of cost {result.cost:,}"
    found = "no solution" if result.status == "none" else f"{plural(result.found_so_far, 'solution')}{cost}"
    if result.status == "more":
        found = f"at least {found}"
    elif result.count is None and result.status != "none":
        found = f"{found} so far" if result.status == "stopped" else f"the first solution{cost}"
    name = type(result.problem.given).__name__
    lead = f"{name}: {found}, {plural(result.nodes, 'node')}, {result.seconds:.3g} s"
    parts = [f"<p><b>{escape(lead)}</b> {escape(result.message)}</p>"]
    if not result.paths:
        return "".join(parts)
    solution = result.solutions[0]
    steps = sorted({0, len(solution.moves) // 2, len(solution.moves)})[:BOARDS]
    drawn = solution.pictures
    boards = "".join(
        f'<div style="width:9em">{picture(drawn[step], f"step {step}", style=False)}</div>' for step in steps
    )
    entry = entry_of(name, result, result.paths[:WINDOW], "the rest is in `solutions`")
    page = escape(player_page(name, entry))
    return (
        f"<style>{CSS}.ps-boards svg{{max-width:100%;height:auto}}</style>{parts[0]}"
        f'<div class="ps-boards" style="display:flex;gap:1em">{boards}</div>'
        f'<details><summary>play</summary><iframe title="player" srcdoc="{page}" width="100%" height="{HEIGHT}"'
        ' style="border:0" loading="lazy"></iframe></details>'
    )
