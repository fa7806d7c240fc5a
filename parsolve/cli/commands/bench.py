"""`parsolve bench`."""

import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from parsolve.cli.commands.pages import require_folder
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.system.files import require_own
from parsolve.text import duration, numbers

ABOUT = """\
Time how fast this machine counts N queens: methods, sizes and numbers of workers. Workers are started before anything
is timed, and a search is repeated until it has run for 0.2 s. Prints a table; the same as Markdown, the times as JSON
and a plot go into a folder. `parsolve bench compare` compares the times of two machines or versions.
"""

EPILOG = """\
examples:
  parsolve bench queens                                    sizes 11 to 14, in a minute at most
  parsolve bench queens --n 16,18 --methods quadrants --workers 1-8 --rounds 5 --seconds 600 --output mine
  parsolve bench compare mine/queens.json theirs/queens.json

Ctrl-C stops it, and prints and writes what has been timed.
"""

COMPARE_ABOUT = "Compare two files queens.json of `parsolve bench queens`: how fast the second is where the first is 1."

METHODS = "bits,mirror,quadrants"

FOLDER = "bench-queens"


def bench(arguments: Sequence[str], stops: Stops) -> int:
    """Time the counting of N queens, print and write the results; or compare two results."""
    if arguments[:1] == ["compare"]:
        return _compare(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)

    from parsolve.bench.queens_benchmark import LARGEST, QueensBenchmark
    from parsolve.bench.queens_tables import tables, write
    from parsolve.cli.terminal.bar import BatchBar
    from parsolve.cli.terminal.streams import write_line
    from parsolve.system.resources import default_workers

    cores = default_workers()
    workers = options.workers or [*(1 << power for power in range(cores.bit_length())), cores]
    if max(options.n) > LARGEST or min(workers) < 1 or options.rounds < 1:
        parser.error(f"--n is at most {LARGEST}, --workers and --rounds are at least 1")
    output = options.output or _free_folder()
    sizes, workers = sorted({*options.n}), sorted({*workers})
    methods = [*dict.fromkeys(options.methods.split(","))]
    benchmark = QueensBenchmark(methods, sizes, workers, options.rounds, options.seconds)
    require_folder(output)
    require_own(output / "queens.json", b'[\n {\n  "method": ')
    if not (output / "queens.json").exists():
        for each in ("queens.md", "queens.svg"):
            require_own(output / each)
    bar = BatchBar(len(benchmark.measurements) * options.rounds, 0, "rounds", sys.stderr.isatty())

    def check() -> None:
        bar.update(0)
        stops.check()

    def show() -> None:
        bar.close()
        print(json.dumps(benchmark.as_data(), indent=1) if options.json else tables(benchmark))

    def keep() -> None:
        if any(benchmark.measurements.values()):
            write_line(f"written to {output}: {', '.join(write(benchmark, output))}")

    stops.on_stop, stops.on_page = show, lambda _: keep()
    benchmark.run(write_line, check, bar.update)
    show()
    keep()
    return 0


def _free_folder() -> Path:
    """Return the first of the folders `bench-queens`, `bench-queens-2` … without a benchmark: none is overwritten."""
    names = (f"{FOLDER}-{number}" if number > 1 else FOLDER for number in itertools.count(1))
    return next(Path(name) for name in names if not Path(name, "queens.json").exists())


def _parser() -> Parser:
    usage = "parsolve bench queens [options]\n       parsolve bench compare FIRST SECOND [options]"
    parser = Parser("parsolve bench", ABOUT, usage=usage, epilog=EPILOG)
    parser.add_argument("subject", choices=("queens",), metavar="queens", help="what to time: N queens")
    parser.add_argument("--n", type=numbers, default=[11, 12, 13, 14], help="sizes (default: 11-14)")
    parser.add_argument("--methods", default=METHODS, help=f"such as permutations,backtrack (default: {METHODS})")
    parser.add_argument("--workers", type=numbers, help="such as 1,2 or 1-4 (default: 1, 2, 4 … and all)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="times (default: 3)")
    seconds = "end after this time: what it had no room for is skipped (default: 1m)"
    parser.add_argument("--seconds", type=duration, default=60.0, metavar="TIME", help=seconds)
    folder = f"for the files (default: {FOLDER}, or the next of {FOLDER}-2, -3 … that has none)"
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=folder)
    parser.add_argument("--json", action="store_true", help="the times as JSON on stdout instead of the tables")
    return parser


def _compare(arguments: Sequence[str]) -> int:
    parser = Parser("parsolve bench compare", COMPARE_ABOUT, epilog="")
    parser.add_argument("first", metavar="FIRST", type=Path, help="the file that the other is compared with")
    parser.add_argument("second", metavar="SECOND", type=Path, help="the other file")
    parser.add_argument("--json", action="store_true", help="a list of objects, one a case")
    options = parser.parse_args(arguments)

    from parsolve.bench.compare import comparison, ratios

    found = ratios(options.first, options.second)
    data = [case._asdict() | speed._asdict() for case, speed in found.items()]
    print(json.dumps(data, indent=1) if options.json else comparison(found))
    return 0
