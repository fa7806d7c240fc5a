"""The report of searches: a page with a table of jobs, and for each its limits, its machine and its solutions."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parsolve.machine import machine
from parsolve.parameters import values_of
from parsolve.puzzle import SINGLE
from parsolve.replay import Solution
from parsolve.report.charts import Series, bars
from parsolve.report.course import course
from parsolve.report.page import escape, facts, page
from parsolve.report.player import Player
from parsolve.search.result import Iteration, Result
from parsolve.search.samples import Sample
from parsolve.text import clock, one_line, plural, short

LARGEST = 290_000
"""Bytes that a page is to take; its solutions get what the rest leaves."""

LARGEST_SMALL = 80_000
"""The same of a page that is a part of another one."""

LEAST = 20_000
"""Bytes for solutions in any case."""

COURSES = 20
"""How many searches have their course drawn: those that took longest."""

MOMENTS = 320
"""How many moments of them all are drawn, more or less; of one at most `MOST_MOMENTS`."""

MOST_MOMENTS = 60

COLUMNS = (
    ("job", ""),
    ("puzzle", ""),
    ("result", ""),
    ("cost", "n"),
    ("solutions", "n"),
    ("nodes", "n"),
    ("time", "n"),
    ("nodes a second", "n"),
)


@dataclass
class Entry:
    """One search, as a report shows it.

    Attributes:
        name, puzzle, parameters, notes, want: what it was.
        result: how it ended, in words.
        cost, count, found, nodes, seconds, workers, iterations, samples: see `search.result.Result`.
        machine: the processor and versions; empty if not known.
        began, ended: as text; empty if not known.
        solutions: what is drawn of it; read once.
        about_solutions: why none are drawn; where the rest of them is, if some are.
    """

    name: str
    puzzle: str
    parameters: Mapping[str, Any]
    want: str
    result: str
    cost: int | None
    count: int | None
    found: int
    nodes: int
    seconds: float
    workers: int
    iterations: Sequence[Iteration]
    samples: Sequence[Sample] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    began: str = ""
    ended: str = ""
    solutions: Iterable[Solution] | None = None
    about_solutions: str = ""


def entry_of(name: str, result: Result, paths: Sequence[tuple[int, ...]], rest: str) -> Entry:
    """Return the result of a search as an entry.

    Args:
        name: what it is called.
        result: of the search.
        paths: the first solutions, as moves.
        rest: where the other ones are.
    """
    words = {"solved": "solved", "none": "no solution", "stopped": "stopped"}[result.status]
    return Entry(
        name=name,
        puzzle=type(result.problem.given).__name__,
        parameters=values_of(result.problem.given),
        want=result.want,
        result=f"{words}: {result.message}" if result.message else words,
        cost=result.cost,
        count=result.count,
        found=result.found_so_far if result.count is None else result.count,
        nodes=result.nodes,
        seconds=result.seconds,
        workers=result.workers,
        iterations=result.iterations,
        samples=result.samples,
        machine=machine(),
        solutions=[Solution(path, result.problem) for path in paths] or None,
        about_solutions=rest if paths else "",
    )


def jobs_page(title: str, entries: Sequence[Entry], small: bool = False) -> str:
    """Return a page about searches.

    Args:
        title: of the page.
        entries: the searches, in their order.
        small: whether it is a part of another page: the player alone, of one search.
    """
    machines = list({json.dumps(entry.machine): entry.machine for entry in entries if entry.machine}.values())
    head = [] if small else [f"<h1>{escape(title)}</h1>", *_overview(entries)]
    tail = [] if small else _machines(machines)
    longest = sorted(range(len(entries)), key=lambda number: -entries[number].seconds)[:COURSES]
    moments = dict.fromkeys(longest, min(MOST_MOMENTS, MOMENTS // max(1, len(longest))))
    sections = [
        _section(number, entry, machines, len(entries) == 1, moments.get(number, 0))
        for number, entry in enumerate(entries)
    ]
    used = len(page(title, "".join([*head, *tail]), {})) + (0 if small else sum(map(len, sections)))
    player = Player()
    room = max(LEAST, (LARGEST_SMALL if small else LARGEST) - used)
    jobs: list[dict[str, Any] | None] = []
    waiting = sum(entry.solutions is not None for entry in entries)
    for number, entry in enumerate(entries):
        drawn = None
        if entry.solutions is not None:
            single = entry.want in SINGLE
            so_far = entry.count is None and not single
            total = None if single else entry.found
            share = room // waiting
            gallery = player.gallery(entry.name, entry.solutions, total, entry.about_solutions, share, so_far)
            waiting -= 1
            drawn = gallery.data if gallery.solutions else None
            room -= gallery.size
        box = f'<div class="player" data-job="{number}"></div>' if drawn else ""
        sections[number] = sections[number].replace(_PLAYER, box)
        jobs.append(drawn)
    if small:
        sections = [f'<details class="job" open data-job="0" data-name="{escape(entries[0].name)}"><summary>solutions']
        sections += ['</summary><div class="player" data-job="0"></div></details>']
    body = "<main>" + "".join([*head, *sections, *tail]) + "</main>"
    return page(title, body, player.data(jobs), player.definitions(), small)  # type: ignore[arg-type]


_PLAYER = "<!--player-->"


def _overview(entries: Sequence[Entry]) -> list[str]:
    seconds = sum(entry.seconds for entry in entries)
    nodes = sum(entry.nodes for entry in entries)
    lead = "1 search" if len(entries) == 1 else f"{len(entries):,} searches"
    about = f"{lead}, {plural(nodes, 'node')}, {_time(seconds)} of searching"
    if len(entries) == 1:
        return [f'<p class="lead">{about}</p>']
    heads = "".join(
        f'<th scope="col" aria-sort="none"{f" class={tone}" if tone else ""}><button type="button">{name}</button></th>'
        for name, tone in COLUMNS
    )
    rows = "".join(map(_row, entries))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return [f'<p class="lead">{about}</p><div class="wide">{table}</div>']


def _row(entry: Entry) -> str:
    rate = entry.nodes / entry.seconds if entry.seconds else 0.0
    link = f'<a href="#{escape(_fragment(entry.name))}">{escape(entry.name)}</a>'
    numbers: list[tuple[object, str]] = [
        ("" if entry.cost is None else entry.cost, "" if entry.cost is None else f"{entry.cost:,}"),
        (entry.found, f"{entry.found:,}" if entry.count is not None else f"{entry.found:,} so far"),
        (entry.nodes, f"{entry.nodes:,}"),
        (f"{entry.seconds:.6g}", _time(entry.seconds)),
        (f"{rate:.6g}", short(rate)),
    ]
    cells = "".join(f'<td class="n" data-value="{value}">{text}</td>' for value, text in numbers)
    return f"<tr><td>{link}</td><td>{escape(entry.puzzle)}</td><td>{escape(entry.result)}</td>{cells}</tr>"


def _fragment(name: str) -> str:
    from urllib.parse import urlencode

    return urlencode({"job": name})


def _section(number: int, entry: Entry, machines: Sequence[Mapping[str, Any]], is_open: bool, moments: int) -> str:
    """Return the markup of one search, with a mark where its player goes."""
    rate = entry.nodes / entry.seconds if entry.seconds else 0.0
    parameters = ", ".join(f"{name} {one_line(value, 200)}" for name, value in entry.parameters.items() if value != "")
    rows: list[tuple[str, object]] = [("puzzle", entry.puzzle), ("parameters", parameters or "none")]
    rows += [("result", entry.result)]
    if entry.cost is not None:
        rows.append(("cost", f"{entry.cost:,}"))
    rows.append(("solutions", f"{entry.found:,}" if entry.count is not None else f"{entry.found:,} found so far"))
    rows.append(("nodes", f"{entry.nodes:,}"))
    rows.append(("time", f"{_time(entry.seconds)}, {short(rate)} nodes a second, {plural(entry.workers, 'worker')}"))
    if entry.began:
        rows.append(("when", f"{entry.began} to {entry.ended}" if entry.ended else f"from {entry.began}"))
    if entry.machine:
        rows.append(("machine", f"{1 + machines.index(entry.machine)}: {entry.machine.get('processor', '')}"))
    rows += [(str(name), one_line(value, 200)) for name, value in entry.notes.items()]
    charts = ""
    for title, tone, points in (
        ("nodes by limit", "b", [(each.limit, float(each.nodes)) for each in entry.iterations]),
        ("seconds by limit", "c", [(each.limit, each.seconds) for each in entry.iterations]),
    ):
        if len(points) > 1 and any(value > 0 for _, value in points):
            charts += bars(Series(title, tone, points))
    if moments:
        charts += course(entry.samples, entry.workers, moments)
    why = f'<p class="soft">{escape(entry.about_solutions)}</p>' if entry.solutions is None else ""
    name = escape(entry.name)
    return (
        f'<details class="job" data-job="{number}" data-name="{name}"{" open" if is_open else ""}><summary>{name}'
        f'</summary>{_PLAYER}{why}<div class="about">{facts(rows)}<div>{charts}</div></div></details>'
    )


def _machines(machines: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [f"<h2>machine {1 + number}</h2>{facts([*each.items()])}" for number, each in enumerate(machines)]
    return found if len(machines) != 1 else [f"<h2>machine</h2>{facts([*machines[0].items()])}"]


def _time(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 10 else clock(seconds)
