"""`parsolve bench`."""

import itertools
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.cli.commands.pages import add_html, require_folder, require_writable, write_page
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import duration, nearest, numbers, plural

if TYPE_CHECKING:
    from parsolve.bench.queens_benchmark import QueensBenchmark

ABOUT = """\
Time how fast this machine counts N queens: methods, sizes and numbers of workers, in turns, with medians; and the bare
kernel, one call of the compiled search without the engine. Prints tables; the same as Markdown, the times as JSON and
two plots go into a folder. `parsolve bench compare` compares the times of two machines or versions.
"""

EPILOG = """\
examples:
  parsolve bench queens --seconds 5                 sizes that take 5 s with one worker: what more workers do
  parsolve bench queens --n 11-14 --methods all --workers 1,2
  parsolve bench queens --n 16,18 --methods quadrants --workers 1-8 --rounds 5 --output mine
  parsolve bench compare mine/queens.json theirs/queens.json

Ctrl-C stops it, and prints and writes what has been timed.
"""

COMPARE_ABOUT = """\
Compare two benchmarks, by the files queens.json that `parsolve bench queens` has written: for each case that both have
timed, how fast the second is where the first is 1.
"""

COMPARE_EPILOG = """\
examples:
  parsolve bench compare before/queens.json after/queens.json
  parsolve bench compare before/queens.json after/queens.json --fail-below 0.9 || echo "slower"
"""

SIZES = [11, 12, 13, 14]

FOLDER = "bench-queens"

LONGER = 4.0
"""Times the seconds of `--seconds` that a count may take: a size is chosen by a prediction."""

SLOWEST = "permutations"
"""The method that is left out by default: it takes as long as all others together."""


def bench(arguments: Sequence[str], stops: Stops) -> int:
    """Time the counting of N queens, print and write the results; or compare two results."""
    if arguments[:1] == ["compare"]:
        return _compare(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.subject == "compare":
        parser.error("compare comes first: parsolve bench compare")
    if options.html is not None:
        require_writable(options.html)
    if len(options.rounds) > 1 or not options.time_limit > 0:
        parser.error("--rounds is one number, --time-limit more than 0")
    if options.n and options.seconds:
        parser.error("--seconds chooses the sizes: leave out --n")
    sizes, limit = options.n or SIZES, max(options.time_limit, LONGER * (options.seconds or 0.0))

    from parsolve.bench.queens_benchmark import QueensBenchmark
    from parsolve.bench.queens_tables import tables
    from parsolve.cli.terminal.bar import BatchBar
    from parsolve.cli.terminal.streams import write_line
    from parsolve.system.hardware import machine
    from parsolve.system.resources import default_workers

    methods, workers = _methods(options.methods), options.workers or sorted({1, default_workers()})
    output = options.output or _free_folder()
    require_folder(output)
    cases = len(methods) * (1 if options.seconds else len(sizes)) * (len(workers) + 1) * options.rounds[0]
    bar = BatchBar(cases, 0, "counts", sys.stderr.isatty())

    def check() -> None:
        bar.update(0)
        stops.check()

    def counted() -> None:
        bar.update()

    benchmark = QueensBenchmark(
        *(sizes, methods, workers, options.rounds[0], limit, write_line, check),
        seconds=options.seconds,
        pin=options.pin,
        timed=counted,
    )

    def show() -> None:
        bar.close()
        print(json.dumps(benchmark.as_data(), indent=1) if options.json else tables(benchmark))

    def write() -> None:
        if not benchmark.has_times:
            return
        files = _write(benchmark, output)
        if options.html is not None:
            from parsolve.bench.benched import benched_page

            write_page(options.html, benched_page(benchmark, machine()))
        write_line(f"written to {output}: {', '.join(files)}")

    stops.on_stop, stops.on_page = show, lambda _: write()
    benchmark.run()
    show()
    write()
    return 0


def _free_folder() -> Path:
    """Return the first of the folders `bench-queens`, `bench-queens-2` … without a benchmark: none is overwritten."""
    names = (f"{FOLDER}-{number}" if number > 1 else FOLDER for number in itertools.count(1))
    return next(Path(name) for name in names if not Path(name, "queens.json").exists())


def _write(benchmark: "QueensBenchmark", folder: Path) -> list[str]:
    """Write the tables, times and plots below what is known of the machine; return the names of the files.

    Raises:
        BadInput: they cannot be written.
    """
    from parsolve.bench.queens_tables import write
    from parsolve.cli.terminal.streams import write_line
    from parsolve.system.hardware import machine

    about = machine() | {f"{name} before": value for name, value in benchmark.conditions[0].items()}
    facts = "\n".join(f"- {name}: {value}" for name, value in about.items())
    try:
        return write(benchmark, folder, f"# N queens\n\n{facts}", write_line)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from None


def _parser() -> Parser:
    usage = "parsolve bench queens [options]\n       parsolve bench compare FIRST SECOND [options]"
    parser = Parser("parsolve bench", ABOUT, usage=usage, epilog=EPILOG)
    parser.add_argument("subject", choices=("queens", "compare"), metavar="queens", help="what to time: N queens")
    parser.add_argument("--n", type=_numbers("n", 0, 27), help="sizes (default: 11-14)")
    parser.add_argument(
        "--seconds",
        type=duration,
        metavar="TIME",
        help="instead of --n, for each method the size that takes about so long with the fewest workers",
    )
    parser.add_argument(
        "--methods", default="", help=f"such as bits,quadrants, or all (default: all but {SLOWEST}, which takes long)"
    )
    parser.add_argument(
        "--workers", type=_numbers("workers", 1, 4096), default=None, help="such as 1,2 or 1-4 (default: 1 and all)"
    )
    parser.add_argument("--rounds", type=_numbers("rounds", 1, 1000), default=[3], help="times (default: 3)")
    parser.add_argument(
        "--time-limit", type=float, default=20.0, metavar="SECONDS", help="skip what takes longer (default: 20)"
    )
    parser.add_argument(
        "--pin", action="store_true", help="let a count use as many cores as it has workers, always the same ones"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help=f"for the files (default: {FOLDER}, or the next of {FOLDER}-2, -3 … that has none)",
    )
    parser.add_argument("--json", action="store_true", help="the times as JSON on stdout instead of the tables")
    add_html(parser, "the tables and times")
    return parser


def _methods(text: str) -> list[str]:
    """Return the methods that an option names.

    Raises:
        BadInput: there is no such method.
    """
    from parsolve.bench.queens_benchmark import methods_of_queens

    known = methods_of_queens()
    methods = text.split(",") if text and text != "all" else [each for each in known if text or each != SLOWEST]
    for method in methods:
        if method not in known:
            raise BadInput(f"bench: there is no method {method!r}{nearest(method, known)}")
    return methods


def _compare(arguments: Sequence[str]) -> int:
    parser = Parser("parsolve bench compare", COMPARE_ABOUT, epilog=COMPARE_EPILOG)
    parser.add_argument("first", metavar="FIRST", type=Path, help="the file that the other is compared with")
    parser.add_argument("second", metavar="SECOND", type=Path, help="the other file")
    parser.add_argument(
        "--fail-below", type=float, metavar="RATIO", help="exit code 1 if a case is slower than this, such as 0.9"
    )
    parser.add_argument("--json", action="store_true", help="a list of objects, one a case")
    add_html(parser, "the table")
    options = parser.parse_args(arguments)
    if options.html is not None:
        require_writable(options.html)

    from parsolve.bench.compare import comparison, described, ratios, read, slower

    first, second = read(options.first), read(options.second)
    found = ratios(first, second)
    table = comparison(found, described(first, second, len(found)))
    data = [each._asdict() | {"speed": each.speed._asdict()} for each in found]
    print(json.dumps(data, indent=1) if options.json else table)
    if options.html is not None:
        from parsolve.bench.benched import compared_page

        write_page(options.html, compared_page(table))
    failed = [] if options.fail_below is None else slower(found, options.fail_below)
    for each in failed:
        name = "the bare kernel" if each.workers is None else plural(each.workers, "worker")
        print(
            f"{each.method}, n = {each.n}, {name}: {each.speed.median:.3g} {each.speed.limits} of the first",
            file=sys.stderr,
        )
    return int(bool(failed))


def _numbers(name: str, least: int, most: int) -> Callable[[str], list[int]]:
    """Return a parser of numbers and ranges such as `1,2` and `11-14`, each from `least` to `most`."""

    def parse(text: str) -> list[int]:
        found = numbers(text)
        for number in found:
            if not least <= number <= most:
                raise BadInput(f"{name} is {least} to {most}, not {number}")
        return found

    return parse
