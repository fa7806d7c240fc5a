#!/usr/bin/env python3
"""Run several hundred commands, and compare what they print with what they have printed before (tests/goldens).

For changes that are to change no output: run it after each step. What varies from run to run, such as times, is masked.

    scripts/goldens.py                   # what has changed, as a diff
    scripts/goldens.py readme journal    # of these groups alone
    scripts/goldens.py --accept          # it is meant
"""

import argparse
import difflib
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from golden_commands import FILES, GROUPS
from shared import CACHE, ROOT
from shown import prepare

Rule = tuple[str, str | Callable[[re.Match[str]], str]]
"""A pattern, and what replaces it."""

GOLDENS = ROOT / "tests" / "goldens"

LINES, CHARACTERS = 40, 7000
"""Of a longer output the first lines and a digest are kept."""

RULES: list[Rule] = [
    (r"^(compiling|building the table of) .*\n", ""),  # only where the cache has none
    (r"^continuing (by deepening|with the engine sharing): .*\n", ""),  # only of what takes longer than a moment
    (r"^by the engine sharing: .*\n", ""),  # only if a sample of 0.2 s tells
    (r"(an iteration took .* nodes, and its pattern databases) (are kept|pay)$", r"\1 #"),
    (r"\b\d{4}-\d\d-\d\d(T[\d:]+\+00:00)?", "DATE"),
    (r"\bparsolve \d\S* \(Python .*\)", "VERSIONS"),
    (r'"machine": \{[^}]*\}', '"machine": MACHINE'),
    (r'"conditions": \{[^}]*\}', '"conditions": CONDITIONS'),
    (r"^(machine +)\{.*\}", r"\1MACHINE"),
    (r",[^,\n]*,\d+,(Linux|Darwin) \w+,[\d.]+,[\d.]+,[\d.]+,[\d.]+,", ",MACHINE,"),  # in CSV
    (r"used [\d:]+ ago", "used # ago"),  # a minute and more
    (r"[\d.]+ ([kMG] )?nodes(/s| a second)", r"# nodes\2"),
    # What is measured has a decimal point.
    (r"(?<![\w.])(\d+\.\d+|\d+(\.\d+)?e[+-]?\d+)(?![\w.%])", "#"),
    (r"# [num]s\b", "# s"),
    (r"\S+( [kM])? (rows|jobs|problems)/s", r"# \2/s"),
    (r"# [kMG]B\b", "# MB"),
    (r"(stopped before the end: )[\d,]+ solutions", r"\1# solutions"),
    # Estimates are random.
    (r'("error": #,\s+"solutions": )\d+', r"\1#"),
    (r'"probes": \d+', '"probes": #'),
    (r"some \S+ nodes( \(\S+ – \S+\))?, [\d,]+ solutions", "some # nodes, # solutions"),
    (r"\([\d,]+ probes\)", "(# probes)"),
    (r"^((name +status|.*#) .*)$", lambda found: re.sub(" {2,}", "  ", found[1])),  # columns as wide as their numbers
    (r'\{\n\s+"[^{}\[\]]*\}', lambda found: re.sub(r"\s+", " ", found[0])),  # such as a limit: a line each
]
"""What is replaced in each output, in this order."""

NODES: list[Rule] = [
    (r"\b[\d,]+ nodes?\b", "# nodes"),
    (r'"nodes": \d+', '"nodes": #'),
    (r'"engine": "(deepening|sharing)"', '"engine": #'),
]
"""What else is replaced where a transposition table is used: it is another one in each run; and where the time tells
which engine counts."""

TRANSPOSITION = r"^(count|solve) (peg|hoppers)(?!.*--transposition none)|--transposition \d"
"""The commands that use one."""

CHOICE = r"^count (polyominoes|langford|cover|permutations|sudoku)(?!.*--engine)"
"""The commands that may choose an engine."""

PAGES: list[Rule] = [
    (r'<svg class="chart".*?</svg>', "CHART"),
    (r'( s</td><td class="n" )data-value="[^"]*">[^<]*', r"\1RATE"),  # behind the seconds
    (r"(<dt>(processor|cores|system|python|numpy|numba|parsolve)</dt><dd>)[^<]*", r"\1MACHINE"),
]
"""What else is replaced in a page."""


def masked(text: str, folder: Path, rules: Sequence[Rule] = ()) -> str:
    """Return an output without what varies from run to run."""
    text = text.replace(str(folder), "FOLDER").replace(str(CACHE), "CACHE").replace(str(ROOT), "ROOT")
    for pattern, replacement in [*rules, *RULES]:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text.rstrip("\n") + "\n" if text else ""


def shortened(text: str) -> str:
    """Return the beginning of a long text, and a digest."""
    lines = text.splitlines()
    if len(lines) <= LINES and len(text) <= CHARACTERS:
        return text
    return "\n".join([*(line[:200] for line in lines[:10]), f"[{digest(text)}]\n"])


def digest(text: str) -> str:
    """Return how many lines a text has, and a digest."""
    return f"{len(text.splitlines())} lines, sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def run(command: str, folder: Path) -> str:
    """Run a command in a folder and return the transcript."""
    words = shlex.split(command)
    cache = folder / "cache" if words[0] == "tables" else CACHE
    more = {"PARSOLVE_CACHE_DIR": str(cache), "PARSOLVE_WORKERS": "1", "COLUMNS": "80", "NO_COLOR": "1"}
    before = {*folder.iterdir()}
    done = subprocess.run(
        [sys.executable, "-m", "parsolve", *words],
        cwd=folder,
        env=os.environ | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    rules = NODES if re.search(f"{TRANSPOSITION}|{CHOICE}", command) else []
    out, err = (shortened(masked(text, folder, rules)) for text in (done.stdout, done.stderr))
    parts = [f"$ parsolve {command}\n", out, f"[exit {done.returncode}]\n", err]
    for path in sorted({*folder.iterdir()} - before - {cache}):
        page = f": {digest(masked(path.read_text(), folder, PAGES))}" if path.suffix == ".html" else ""
        parts.append(f"[{path.name}{page}]\n")
    return "".join(parts) + "\n"


def run_session(commands: list[str]) -> str:
    """Run commands one after the other in a folder of their own, and return the transcript."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prepare(folder)
        for file, text in FILES.items():
            (folder / file).write_text(text)
        return "".join(run(command, folder) for command in commands)


def main() -> int:
    """Compare or accept; see above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)} (default: all)")
    parser.add_argument("--accept", action="store_true", help="write them down as they are now")
    options = parser.parse_args()
    if unknown := {*options.groups} - {*GROUPS}:
        parser.error(f"there is no group {', '.join(sorted(unknown))}")
    differs = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = {name: pool.map(run_session, GROUPS[name]) for name in options.groups or GROUPS}
        for name, parts in outputs.items():
            path, now = GOLDENS / f"{name}.txt", "".join(parts)
            before = path.read_text() if path.exists() else ""
            lines = difflib.unified_diff(
                before.splitlines(), now.splitlines(), str(path.relative_to(ROOT)), "now", lineterm=""
            )
            if now != before:
                differs = True
                print("\n".join(lines))
            if options.accept:
                path.write_text(now)
    if not differs:
        print("all outputs are those that were accepted")
    return int(differs and not options.accept)


if __name__ == "__main__":
    sys.exit(main())
