"""What the commands about a journal share: their parser, and a job as plain data."""

from typing import TYPE_CHECKING, Any

from parsolve.cli.parser import Parser

if TYPE_CHECKING:
    from parsolve.journal.records import Job

HIDDEN = ("id", "fingerprint", "meaning", "digest", "seal")
"""What a journal knows of a job for itself alone."""


def journal_parser(command: str, about: str, epilog: str) -> Parser:
    """Return the parser of a command about a journal."""
    parser = Parser(f"parsolve {command}", about, epilog=epilog)
    parser.add_argument("journal", metavar="JOURNAL", help="the file that --journal named")
    return parser


def record_of(job: "Job") -> dict[str, Any]:
    """Return a job as plain data."""
    return {key: value for key, value in vars(job).items() if key not in HIDDEN}
