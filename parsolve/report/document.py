"""The report of searches: a page with a table of jobs, and for each its limits, its machine and its solutions; a result
in a notebook."""

import json
from collections.abc import Sequence
from typing import Any

from parsolve.problem.svg import CSS, picture
from parsolve.report.page import escape, page
from parsolve.report.player import Player
from parsolve.report.reported import ReportedSearch, reported_result
from parsolve.report.sections import about_machines, charts, overview, section
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


def jobs_page(title: str, entries: Sequence[ReportedSearch]) -> str:
    """Return a page about searches, in their order."""
    machines = list({json.dumps(entry.machine): entry.machine for entry in entries if entry.machine}.values())

    def body(boxes: Sequence[str], drawn: Sequence[str]) -> str:
        each = zip(entries, boxes, drawn, strict=True)
        sections = (section(number, *of, machines, len(entries) == 1) for number, of in enumerate(each))
        return "".join(["<h1>", escape(title), "</h1>", *overview(entries), *sections, *about_machines(machines)])

    nothing = [""] * len(entries)
    room = LARGEST - _size(page(title, body(nothing, nothing), {}))
    drawn = [charts(entry) for entry in entries]
    room_of_solutions = max(LEAST, room // 2, room - sum(map(_size, drawn)))
    room, used = max(LEAST, room), 0
    waiting = sum(entry.solutions is not None for entry in entries)
    player, jobs, boxes = Player(), list[dict[str, Any] | None](), list[str]()
    for number, entry in enumerate(entries):
        box, data = "", None
        if entry.solutions is not None and used >= room:
            box = f'<p class="soft">{escape(NO_ROOM)}</p>'
        elif entry.solutions is not None:
            gallery, size = player.gallery(entry, (room_of_solutions - used) // waiting)
            waiting -= 1
            used += size
            if gallery["solutions"]:
                box, data = f'<div class="player" data-job="{number}"></div>', gallery
        boxes.append(box)
        jobs.append(data)
    for number in sorted(range(len(entries)), key=lambda number: -entries[number].searched.seconds):
        used += _size(drawn[number])
        if used > room:
            drawn[number] = ""
    return page(title, f"<main>{body(boxes, drawn)}</main>", player.data(jobs), player.definitions())


def player_page(title: str, entry: ReportedSearch) -> str:
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
    about = f"<p><b>{escape(lead)}</b> {escape(result.message)}</p>"
    if not result.paths:
        return about
    solution = result.solutions[0]
    steps = sorted({0, len(solution.moves) // 2, len(solution.moves)})[:BOARDS]
    drawn = solution.pictures
    boards = "".join(
        f'<div style="width:9em">{picture(drawn[step], f"step {step}", style=False)}</div>' for step in steps
    )
    entry = reported_result(name, result, result.paths[:WINDOW], "the rest is in `solutions`")
    playing = escape(player_page(name, entry))
    return (
        f"<style>{CSS}.ps-boards svg{{max-width:100%;height:auto}}</style>{about}"
        f'<div class="ps-boards" style="display:flex;gap:1em">{boards}</div>'
        f'<details><summary>play</summary><iframe title="player" srcdoc="{playing}" width="100%" height="560"'
        ' style="border:0" loading="lazy"></iframe></details>'
    )


def _size(text: str) -> int:
    return len(text.encode())
