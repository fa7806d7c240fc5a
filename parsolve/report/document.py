"""The report of searches: a page with a table of jobs, and for each its limits, its machine and its solutions; a result
in a notebook."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from parsolve.problem.replay import Solution
from parsolve.problem.svg import CSS, picture
from parsolve.report.page import escape, page
from parsolve.report.player import Player
from parsolve.report.reported import ReportedSearch, reported_result
from parsolve.report.sections import about_machines, charts, overview, section
from parsolve.search.result import Result
from parsolve.text import plural

PAGE_BYTES = 290_000
"""What a page aims at, in bytes; the table of very many searches takes more. Solutions and charts share the rest of the
page: solutions get at least half of it, with one of each search while there is room; charts get the rest, for the
longest searches first."""

SMALL_ROOM = 80_000
"""The same for a page inside another page."""

LEAST = 20_000
"""Minimum bytes for solutions and charts."""

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
    room = max(LEAST, PAGE_BYTES - _size(page(title, body(nothing, nothing), {})))
    drawn = [charts(entry) for entry in entries]
    player = Player()
    usual = max(LEAST, room // 2, room - sum(map(_size, drawn)))
    boxes, jobs = zip(*_players(player, entries, room, usual), strict=True)
    left = room - player.bytes
    for number in sorted(range(len(entries)), key=lambda number: -entries[number].searched.seconds):
        left -= _size(drawn[number])
        drawn[number] = drawn[number] if left >= 0 else ""
    return page(title, f"<main>{body(boxes, drawn)}</main>", player.data(jobs), player.definitions())


def _players(
    player: Player, entries: Sequence[ReportedSearch], room: int, usual: int
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the markup and the data of each search's player: `usual` bytes are shared evenly, `room` is there."""
    waiting = sum(entry.solutions is not None for entry in entries)
    for number, entry in enumerate(entries):
        box, data = "", None
        if entry.solutions is not None and player.bytes >= room:
            box = '<p class="soft">Its solutions are not in this page, which is full.</p>'
        elif entry.solutions is not None:
            data = player.gallery(entry, (usual - player.bytes) // waiting)
            box = f'<div class="player" data-job="{number}"></div>' if data else ""
            waiting -= 1
        yield box, data


def player_page(title: str, entry: ReportedSearch) -> str:
    """Return a page with only the player of one search, for embedding in another page."""
    player = Player()
    data = player.gallery(entry, SMALL_ROOM - _size(page(title, "", {})))
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
    name = type(result.problem.given).__name__
    entry = reported_result(name, result, result.paths[:WINDOW], "the rest is in `solutions`")
    found = entry.counted("solution", f" of cost {entry.costs}" if entry.costs else "")
    lead = f"{name}: {found}, {plural(result.nodes, 'node')}, {result.seconds:.3g} s"
    about = f"<p><b>{escape(lead)}</b> {escape(result.message)}</p>"
    if not result.paths:
        return about
    solution = Solution(result.paths[0], result.problem)
    steps = sorted({0, len(solution.moves) // 2, len(solution.moves)})
    drawn = solution.pictures
    boards = "".join(
        f'<div style="width:9em">{picture(drawn[step], f"step {step}", style=False)}</div>' for step in steps
    )
    playing = escape(player_page(name, entry))
    return (
        f"<style>{CSS}.ps-boards svg{{max-width:100%;height:auto}}</style>{about}"
        f'<div class="ps-boards" style="display:flex;gap:1em">{boards}</div>'
        f'<details><summary>play</summary><iframe title="player" srcdoc="{playing}" width="100%" height="560"'
        ' style="border:0" loading="lazy"></iframe></details>'
    )


def _size(text: str) -> int:
    return len(text.encode())
