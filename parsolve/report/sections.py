"""The sections of a report: for each search a row of the table, facts and charts."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from parsolve.report.charts import bars
from parsolve.report.page import escape, facts
from parsolve.report.reported import ReportedSearch
from parsolve.text import clock, one_line, plural, short

COLUMNS = (
    *((name, "") for name in ("job", "puzzle", "result")),
    *((name, "n") for name in ("cost", "solutions", "nodes", "time", "nodes a second")),
)


def overview(entries: Sequence[ReportedSearch]) -> list[str]:
    """Return the totals of all searches, and a table of them if there are several."""
    seconds = sum(entry.searched.seconds for entry in entries)
    nodes = sum(entry.searched.nodes for entry in entries)
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


def _row(entry: ReportedSearch) -> str:
    link = f'<a href="#{escape(urlencode({"job": entry.name}))}">{escape(entry.name)}</a>'
    searched = entry.searched
    numbers: list[tuple[object, str]] = [
        ("" if searched.cost is None else searched.cost, entry.costs),
        (entry.found, entry.counted()),
        (searched.nodes, f"{searched.nodes:,}"),
        (f"{searched.seconds:.6g}", _time(searched.seconds)),
        (f"{entry.rate:.6g}", short(entry.rate)),
    ]
    cells = "".join(f'<td class="n" data-value="{value}">{escape(text)}</td>' for value, text in numbers)
    return f"<tr><td>{link}</td><td>{escape(entry.puzzle)}</td><td>{escape(entry.result)}</td>{cells}</tr>"


def section(
    number: int, entry: ReportedSearch, player: str, drawn: str, machines: Sequence[Mapping[str, Any]], is_open: bool
) -> str:
    """Return the markup of one search around that of its player and its charts; `machines` has the machines of all
    searches, each once."""
    parameters = ", ".join(f"{name} {one_line(value, 200)}" for name, value in entry.parameters.items() if value != "")
    about = f": {entry.about}" if entry.about else ""  # it says how a solution prints
    searched = entry.searched
    rows: list[tuple[str, object]] = [("puzzle", f"{entry.puzzle}{about}"), ("parameters", parameters or "none")]
    rows.append(("result", entry.result))
    if entry.costs:
        rows.append(("cost", entry.costs))
    time = f"{_time(searched.seconds)}, {short(entry.rate)} nodes a second, {plural(searched.workers, 'worker')}"
    rows += [("solutions", entry.counted()), ("nodes", f"{searched.nodes:,}"), ("time", time)]
    if entry.when:
        rows.append(("when", entry.when))
    if entry.machine:
        rows.append(("machine", f"{1 + machines.index(entry.machine)}: {entry.machine.get('processor', '')}"))
    rows += [(str(name), one_line(value, 200)) for name, value in entry.notes.items()]
    why = f'<p class="soft">{escape(entry.why_none)}</p>' if entry.solutions is None else ""
    name = escape(entry.name)
    return (
        f'<details class="job" data-job="{number}" data-name="{name}"{" open" if is_open else ""}><summary><h2>{name}'
        f'</h2></summary>{player}{why}<div class="about">{facts(rows)}<div>{drawn}</div></div></details>'
    )


def charts(entry: ReportedSearch) -> str:
    """Return the charts of one search."""
    drawn = ""
    for title, tone, points in (
        ("nodes by limit", "b", [(each.limit, float(each.nodes)) for each in entry.iterations]),
        ("seconds by limit", "c", [(each.limit, each.seconds) for each in entry.iterations]),
    ):
        if len(points) > 1 and any(value > 0 for _, value in points):
            drawn += bars(title, tone, points)
    return drawn


def about_machines(machines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the markup of the machines, in their order."""
    found = [f"<h2>machine {1 + number}</h2>{facts([*each.items()])}" for number, each in enumerate(machines)]
    return found if len(machines) != 1 else [f"<h2>machine</h2>{facts([*machines[0].items()])}"]


def _time(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 10 else clock(seconds)
