"""The report of a benchmark: its tables, and the times of each method."""

from collections.abc import Mapping

from parsolve.bench.markdown import Spread, Table
from parsolve.bench.queens_benchmark import QueensBenchmark
from parsolve.bench.queens_tables import tables_of
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
    body = f"<main><h1>{title}</h1>{facts([*machine.items()])}{''.join(map(markup, tables_of(benchmark)))}"
    return page(title, f'{body}<h2>seconds by size</h2><div class="about">{charts}</div></main>')


def compared_page(compared: Table) -> str:
    """Return a page that compares two benchmarks."""
    title = "Two benchmarks of N queens"
    return page(title, f"<main><h1>{title}</h1>{markup(compared)}</main>")


def markup(shown: Table) -> str:
    """Return a table as markup."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in shown.head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown.rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<p>{escape(shown.about)}</p><div class="wide">{table}</div>'


def _cell(figure: Spread | str) -> str:
    if isinstance(figure, Spread):
        return f"<td><b>{figure.median:.3g}</b> {figure.limits}</td>"
    return f"<td>{escape(figure)}</td>"
