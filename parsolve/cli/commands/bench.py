"""`parsolve bench`."""

import itertools
import json
import sys
import time
from pathlib import Path

from parsolve.cli.command import command
from parsolve.cli.options import argument, numbers, option
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.system.userfiles import require_own

METHODS = "bits,mirror,quadrants"

FOLDER = "bench-queens"


@command(name="bench compare")
def compare(
    first: str = argument("the file that the other is compared with", "FIRST", is_required=True),
    second: str = argument("the other file", "SECOND", is_required=True),
    as_json: bool = option("a list of objects, one a case", name="--json"),
) -> int:
    """Compare two files queens.json of `parsolve bench queens`: how fast the second is where the first is 1."""
    from parsolve.bench.compare import comparison, ratios

    found = ratios(Path(first), Path(second))
    data = [case._asdict() | speed._asdict() for case, speed in found.items()]
    print(json.dumps(data, indent=1) if as_json else comparison(found))
    return 0


@command(
    usage="bench queens [options]\n       parsolve bench compare FIRST SECOND [options]", below={"compare": compare}
)
def bench(
    stops: Stops,
    subject: str = argument("what to time: N queens", "queens", ("queens",), is_required=True),
    n: list[int] = option("sizes (default: 11-14)", "N", numbers, default=[11, 12, 13, 14]),
    methods: str = option(f"such as permutations,backtrack (default: {METHODS})", "METHODS", default=METHODS),
    workers: list[int] | None = option("such as 1,2 or 1-4 (default: 1, 2, 4 … and all)", "WORKERS", numbers),
    rounds: int = option("times (default: 3)", "N", int, default=3),
    seconds: float = option(
        "end after this time: what it had no room for is skipped (default: 1m)", "TIME", default=60.0
    ),
    output: Path | None = option(
        f"for the files (default: {FOLDER}, or the next of {FOLDER}-2, -3 … that has none)", "FOLDER", Path
    ),
    as_json: bool = option("the times as JSON on stdout instead of the tables", name="--json"),
) -> int:
    """Time how fast this machine counts N queens: methods, sizes and numbers of workers. Workers are started before
    anything is timed, and a search is repeated until it has run for 0.2 s. Prints a table; the same as Markdown, the
    times as JSON and a plot go into a folder. `parsolve bench compare` compares the times of two machines or versions.

    examples:
      parsolve bench queens                                    sizes 11 to 14, in a minute at most
      parsolve bench queens --n 16,18 --methods quadrants --workers 1-8 --rounds 5 --seconds 600 --output mine
      parsolve bench compare mine/queens.json theirs/queens.json

    Ctrl-C stops it, and prints and writes what has been timed.
    """
    from parsolve.bench.queens_benchmark import LARGEST, QueensBenchmark
    from parsolve.bench.queens_tables import as_data, tables, write
    from parsolve.cli.terminal.streams import status_line, write_line
    from parsolve.system.resources import MOST_WORKERS, default_workers

    cores = default_workers()
    workers = sorted({*(workers or (*(1 << power for power in range(cores.bit_length())), cores))})
    if max(n) > LARGEST or min(workers) < 1 or max(workers) > MOST_WORKERS or rounds < 1:
        raise BadInput(f"--n is at most {LARGEST}, --workers 1 to {MOST_WORKERS}, --rounds at least 1")
    folders = map(Path, itertools.chain([FOLDER], (f"{FOLDER}-{number}" for number in itertools.count(2))))
    folder = output or next(each for each in folders if not (each / "queens.json").exists())  # none is overwritten
    names = [*dict.fromkeys(methods.split(","))]
    benchmark = QueensBenchmark(names, sorted({*n}), workers, rounds, seconds)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from None
    require_own(folder / "queens.json", b'[\n {\n  "method": ')
    if not (folder / "queens.json").exists():
        for each in ("queens.md", "queens.svg"):
            require_own(folder / each)
    total, began, has_status_line = len(benchmark.measurements) * rounds, time.monotonic(), sys.stderr.isatty()

    def check() -> None:
        if has_status_line:
            status_line.show_batch(sum(map(len, benchmark.measurements.values())), total, "rounds", began)
        stops.check()

    def show() -> None:
        status_line.close()
        print(json.dumps(as_data(benchmark), indent=1) if as_json else tables(benchmark))
        if any(benchmark.measurements.values()):
            write_line(f"written to {folder}: {', '.join(write(benchmark, folder))}")

    stops.on_stop = show
    benchmark.run(write_line, check)
    stops.complete(show)
    return 0
