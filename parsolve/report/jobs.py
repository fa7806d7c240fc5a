"""The report of searches: a page with a table of jobs, and for each its limits, its machine and its solutions; a result
in a notebook."""

import json
from collections.abc import Sequence
from typing import Any

from parsolve.problem.svg import CSS, picture
from parsolve.report.page import escape, page
from parsolve.report.player import Player
from parsolve.report.reported import Reported, reported_result
from parsolve.report.sections import CHARTS, PLAYER, about_machines, charts, overview, section
from parsolve.search.result import Result
from parsolve.text import plural

LARGEST = 290_000
"""Maximum size of a page in bytes. Solutions and charts share the rest of the page: solutions get at least half of it,
and always one of each search; charts get the rest, for the longest searches first."""

LARGEST_SMALL = 80_000
"""The same for a page inside another page."""

LEAST = 20_000
"""Minimum bytes for solutions."""

NO_ROOM = "Its solutions are not in this page, which is full."

BOARDS = 3
"""Boards that are drawn without a script."""

WINDOW = 200
"""Solutions in the player."""

HEIGHT = 560
"""Pixels of the player."""


def jobs_page(title: str, entries: Sequence[Reported]) -> str:
    """Return a page about searches, in their order."""
    machines = list({json.dumps(entry.machine): entry.machine for entry in entries if entry.machine}.values())
    sections = [section(number, entry, machines, len(entries) == 1) for number, entry in enumerate(entries)]
    head = [f"<h1>{escape(title)}</h1>", *overview(entries)]
    tail = about_machines(machines)
    room = LARGEST - _size(page(title, "".join([*head, *sections, *tail]), {}))
    drawn = dict(enumerate(map(charts, entries)))
    longest = sorted(drawn, key=lambda number: -entries[number].seconds)
    room_of_solutions = max(LEAST, room // 2, room - sum(map(_size, drawn.values())))
    room = max(LEAST, room)
    waiting = sum(entry.solutions is not None for entry in entries)
    player = Player()
    jobs: list[dict[str, Any] | None] = []
    boxes: list[str] = []
    for number, entry in enumerate(entries):
        box, data = "", None
        if entry.solutions is not None and room <= 0:
            box = f'<p class="soft">{escape(NO_ROOM)}</p>'
        elif entry.solutions is not None:
            gallery, size = player.gallery(entry, room_of_solutions // waiting)
            waiting -= 1
            room_of_solutions -= size
            room -= size
            if gallery["solutions"]:
                box, data = f'<div class="player" data-job="{number}"></div>', gallery
        boxes.append(box)
        jobs.append(data)
    for number in longest:
        room -= _size(drawn[number])
        if room < 0:
            drawn[number] = ""
    for number, box in enumerate(boxes):
        sections[number] = sections[number].replace(PLAYER, box).replace(CHARTS, drawn[number])
    body = "<main>" + "".join([*head, *sections, *tail]) + "</main>"
    return page(title, body, player.data(jobs), player.definitions())


def player_page(title: str, entry: Reported) -> str:
    """Return a page with only the player of one search, for embedding in another page."""
    player = Player()
    data, _ = player.gallery(entry, LARGEST_SMALL - _size(page(title, "", {})))
    body = (
        f'<main><details class="job" open data-job="0" data-name="{escape(entry.name)}"><summary>solutions</summary>'
        '<div class="player" data-job="0"></div></details></main>'
    )
    return page(title, body, player.data([data]), player.definitions(), small=True)


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
    entry = reported_result(name, result, result.paths[:WINDOW], "the rest is in `solutions`")
    page = escape(player_page(name, entry))
    return (
        f"<style>{CSS}.ps-boards svg{{max-width:100%;height:auto}}</style>{parts[0]}"
        f'<div class="ps-boards" style="display:flex;gap:1em">{boards}</div>'
        f'<details><summary>play</summary><iframe title="player" srcdoc="{page}" width="100%" height="{HEIGHT}"'
        ' style="border:0" loading="lazy"></iframe></details>'
    )


def _size(text: str) -> int:
    return len(text.encode())
