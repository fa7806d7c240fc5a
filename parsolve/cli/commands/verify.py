"""`parsolve verify`: check the certificate of a search in parts."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.cli.options import add_workers, whole
from parsolve.cli.parser import Parser
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.records import add_puzzle, is_installed
from parsolve.errors import BadInput
from parsolve.text import plural, shown

if TYPE_CHECKING:
    from parsolve.certify.verify import Header, Report
    from parsolve.problem.problem import Problem

ABOUT = """\
Check the certificate of a search in parts: expand the tree, and compare its branches with those of the certificate;
compare the sums; and search a random sample of the branches again. The exit code is 0 only if all agree, and else 1.
"""

EPILOG = """\
examples:
  parsolve verify queens22.json.gz                    no search: branches, sums and seal
  parsolve verify queens22.json.gz --sample 20        and 20 branches searched again
  parsolve verify queens22.json.gz --sample 5% --seed 7
"""

MOST_FAULTS = 20
"""How many faults are printed."""


def verify(arguments: Sequence[str], stops: Stops) -> int:
    """Check a certificate, and print what is wrong with it."""
    parser = Parser("parsolve verify", ABOUT, epilog=EPILOG)
    parser.add_argument(
        "certificate", type=Path, metavar="FILE", help="what `parsolve merge --certificate` has written"
    )
    parser.add_argument(
        "--sample", type=_sample, default=(0, None), metavar="N|P%", help="search N units again, or P percent of them"
    )
    parser.add_argument("--seed", type=whole("seed"), default=0, metavar="S", help="another sample (default: 0)")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    add_puzzle(parser)
    add_workers(parser)
    options = parser.parse_args(arguments)

    from parsolve.certify.verify import Verification, header_of
    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.search.watch import Watch
    from parsolve.tables.databases import supply

    watch = Watch(GettingReady(options.certificate.name), stops.check)
    problem = _problem(header_of(options.certificate), options)
    supply(problem, watch)
    verification = Verification(options.certificate, problem)
    verification.check_structure()
    number, percent = options.sample
    verification.sample(number, percent, options.seed, watch, options.workers)
    report = verification.report
    if options.json:
        print(json.dumps(vars(report) | {"agrees": not report.faults}, indent=2))
    else:
        _print(report)
    return 1 if report.faults else 0


def _print(report: "Report") -> None:
    """Print a report."""
    for fault in report.faults[:MOST_FAULTS]:
        print(fault)
    if len(report.faults) > MOST_FAULTS:
        print(f"and {len(report.faults) - MOST_FAULTS:,} more")
    if not report.faults:
        print("all agree")
    share = f" ({report.searched / report.nodes:.2%})" if report.nodes else ""
    again = f"{plural(report.sampled, 'unit')} searched again, {report.searched:,} of {report.nodes:,} nodes"
    print(f"{plural(report.units, 'unit')}, {again}{share}", file=sys.stderr)


def _problem(header: "Header", options: argparse.Namespace) -> "Problem":
    """Return what a certificate is about: an installed puzzle, or the one that the command line names."""
    from parsolve.problem.problem import Problem
    from parsolve.problem.registry import make

    if options.puzzle is None and not is_installed(header.puzzle):
        raise BadInput(
            f"{options.certificate} is of {shown(header.puzzle)}, and verifying runs no code that only the certificate"
            " names: add --puzzle FILE.py:CLASS"
        )
    if header.want not in ("count", "all"):
        raise BadInput(f"{options.certificate} is not a certificate: its want is {shown(header.want)}")
    return Problem(make(options.puzzle or header.puzzle, dict(header.parameters)), header.want)


def _sample(text: str) -> tuple[int | None, float | None]:
    """Return how many branches, or which percentage of them."""
    number = text.removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not number.isascii() or not 0 <= value < 10**12 or (number == text and not number.isdecimal()):
        raise BadInput(f"a number of branches, or a percentage such as 5%, not {shown(text)}")
    if number == text:
        return int(number), None
    if value > 100:
        raise BadInput(f"a percentage is at most 100%, not {shown(text)}")
    return None, value
