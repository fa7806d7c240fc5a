"""The report of a benchmark: its tables, and the times of each method."""

import re
from collections.abc import Mapping
from itertools import groupby

from parsolve.bench.queens_benchmark import QueensBenchmark
from parsolve.bench.queens_tables import tables
from parsolve.report.charts import bars
from parsolve.report.page import escape, facts, page
from parsolve.text import plural


def benched_page(benchmark: QueensBenchmark, machine: Mapping[str, object]) -> str:
    """Return a page about a benchmark, also of one that was stopped."""
    most = benchmark.workers[-1]
    charts = ""
    for method in benchmark.methods:
        if points := benchmark.medians(method, most):
            charts += bars(f"{method}: seconds by n, {plural(most, 'worker')}", "b", points)
    title = "Counting N queens"
    body = f"<main><h1>{title}</h1>{facts([*machine.items()])}{from_markdown(tables(benchmark))}"
    return page(title, f'{body}<h2>seconds by size</h2><div class="about">{charts}</div></main>')


def from_markdown(text: str) -> str:
    """Return paragraphs and tables that are written in Markdown, as markup."""
    parts: list[str] = []
    for is_table, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        if not is_table:
            parts += [f"<p>{_bold(line)}</p>" for line in lines if line]
            continue
        rows = [line.strip("| ").split(" | ") for line in lines]
        head = "".join(f'<th scope="col">{_bold(cell)}</th>' for cell in rows[0])
        body = "".join(f"<tr>{''.join(f'<td>{_bold(cell)}</td>' for cell in row)}</tr>" for row in rows[2:])
        parts.append(f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')
    return "".join(parts)


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", escape(text.strip()))
