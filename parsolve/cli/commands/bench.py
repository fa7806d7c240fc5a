"""`parsolve bench`."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from parsolve.cli.commands.pages import add_html, require_folder, require_writable, write_page
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import nearest, numbers

ABOUT = """\
Time how fast this machine counts N queens: every method, size and number of workers, in turns, with medians. Prints
tables; the same as Markdown, the times as JSON and two plots go into a folder.
"""

EPILOG = """\
examples:
  parsolve bench queens
  parsolve bench queens --n 11-14 --methods all --workers 1,2
  parsolve bench queens --n 16,18 --methods quadrants --workers 1-8 --rounds 5 --output mine

Ctrl-C stops it and prints the tables of the rounds that are done.
"""


def _parser() -> Parser:
    parser = Parser("parsolve bench", ABOUT, usage="parsolve bench queens [options]", epilog=EPILOG)
    parser.add_argument("subject", choices=("queens",), metavar="queens", help="what to time: N queens")
    parser.add_argument("--n", type=_numbers("n", 0, 27), default=[11, 12, 13, 14], help="sizes (default: 11-14)")
    parser.add_argument("--methods", default="all", help="such as bits,quadrants (default: all)")
    parser.add_argument(
        "--workers", type=_numbers("workers", 1, 4096), default=None, help="such as 1,2 or 1-4 (default: 1 and all)"
    )
    parser.add_argument("--rounds", type=_numbers("rounds", 1, 1000), default=[3], help="times (default: 3)")
    parser.add_argument(
        "--time-limit", type=float, default=20.0, metavar="SECONDS", help="skip what takes longer (default: 20)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("bench-queens"),
        metavar="FOLDER",
        help="for the files (default: bench-queens)",
    )
    parser.add_argument("--json", action="store_true", help="the times as JSON on stdout instead of the tables")
    add_html(parser, "the tables and times")
    return parser


def bench(arguments: Sequence[str], stops: Stops) -> int:
    """Time the counting of N queens, print and write the results."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.html is not None:
        require_writable(options.html)
    if len(options.rounds) > 1 or not options.time_limit > 0:
        parser.error("--rounds is one number, --time-limit more than 0")

    from parsolve.bench.queens_benchmark import QueensBenchmark, methods_of_queens
    from parsolve.bench.queens_tables import tables, write
    from parsolve.system.hardware import machine
    from parsolve.system.resources import default_workers

    known = methods_of_queens()
    methods = known if options.methods == "all" else options.methods.split(",")
    for method in methods:
        if method not in known:
            raise BadInput(f"bench: there is no method {method!r}{nearest(method, known)}")
    require_folder(options.output)
    workers = options.workers or sorted({1, default_workers()})

    def log(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    benchmark = QueensBenchmark(options.n, methods, workers, options.rounds[0], options.time_limit, log, stops.check)

    def show() -> None:
        print(json.dumps(benchmark.as_data(), indent=1) if options.json else tables(benchmark))

    def draw() -> None:
        if options.html is not None:
            from parsolve.bench.benched import benched_page

            write_page(options.html, benched_page(benchmark, machine()))

    stops.on_stop, stops.on_page = show, lambda _: draw()
    benchmark.run()
    show()
    facts = "\n".join(f"- {name}: {value}" for name, value in machine().items())
    try:
        files = write(benchmark, options.output, f"# N queens\n\n{facts}", log)
    except OSError as error:
        raise BadInput(f"{options.output} cannot be written: {error.strerror}") from None
    draw()
    log(f"written to {options.output}: {', '.join(files)}")
    return 0


def _numbers(name: str, least: int, most: int) -> Callable[[str], list[int]]:
    """Return a parser of numbers and ranges such as `1,2` and `11-14`, each from `least` to `most`."""

    def parse(text: str) -> list[int]:
        found = numbers(text)
        for number in found:
            if not least <= number <= most:
                raise BadInput(f"{name} is {least} to {most}, not {number}")
        return found

    return parse
