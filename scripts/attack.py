"""The attack: random instances, tampered files, kills and wrong declarations must lead to no wrong answer.

Instances: random puzzles of every family, and random graphs with every optional rule, against plain brute force that
shares no code with parsolve. Files: journals, tables, kernels and folders of states that are damaged, exchanged or
written by somebody else must give the right answer or one clear line. Edits: whatever a search reads is changed between
two searches. Kills: searches of every engine are killed at random moments and resumed. Declarations: puzzles that say
what is not true are told so.

    .venv/bin/python scripts/attack.py all --write
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

CACHE = Path(tempfile.gettempdir()) / f"parsolve-attack-{os.getuid()}"
os.environ.setdefault("PARSOLVE_CACHE_DIR", str(CACHE))  # kernels are kept from run to run, not the user's

import attack_declarations  # noqa: E402
import attack_edits  # noqa: E402
import attack_files  # noqa: E402
import attack_instances  # noqa: E402
import attack_kills  # noqa: E402
import benchmark  # noqa: E402
from attack_report import Part  # noqa: E402

PARTS: dict[str, Callable[[argparse.Namespace], Part]] = {
    "instances": attack_instances.attack,
    "files": attack_files.attack,
    "kills": attack_kills.attack,
    "edits": attack_edits.attack,
    "declarations": attack_declarations.attack,
}


def main() -> int:
    """Attack, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "all"], help="what to do")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the random numbers (default: 1)")
    parser.add_argument("--number", type=int, metavar="N", help="instances, tamperings or kills, instead of the usual")
    parser.add_argument("--only", metavar="FAMILY", help="instances of this family alone")
    parser.add_argument("--instance", type=int, metavar="N", help="this instance of the family alone")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    parser.set_defaults(began=benchmark.commit())
    options = parser.parse_args()
    CACHE.mkdir(mode=0o700, exist_ok=True)
    parts: dict[str, Part] = {}
    for name in PARTS if options.part == "all" else [options.part]:
        begin = time.monotonic()
        parts[name] = PARTS[name](options)
        parts[name].seconds = time.monotonic() - begin
    text = "\n\n".join(part.text(name) for name, part in parts.items())
    data: dict[str, Any] = {name: part.data for name, part in parts.items()}
    benchmark.report("attack" if options.part == "all" else f"attack-{options.part}", __doc__, text, data, options)
    return 1 if any(part.differences for part in parts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
