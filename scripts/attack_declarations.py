#!/usr/bin/env python3
"""Search puzzles whose declarations are wrong, by each command that uses them: none may give a wrong answer, crash or
hang.

Each case of `tests/worlds/declared/wrong.py` replaces one thing that a puzzle says of itself. A command is `told` if it
ends with exit code 2 and one line that names the declaration, and `harmless` if its answer is that of the true puzzle.
Of some cases it is known why no search can tell (`untold`): then `parsolve check` must. Anything else is a fault. Each
command runs several times, because threads meet states in no fixed order. Most of the time goes into compiling.

    scripts/attack.py declarations
    scripts/attack.py declarations --only 'Keyed: key' --number 1
"""

import argparse
import contextlib
import itertools
import json
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, run
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from attack_report import Ended, Part, forked
from worlds.declared.cases import USERS, Case
from worlds.declared.wrong import CASES

FINE = ("told", "harmless", "untold")

SECONDS = 60
"""How long a command may take."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "deepening": ("count", "{}", "--quiet", "--workers", "1"),
    "listed": ("solve", "{}", "--quiet", "--workers", "1"),
    "table": ("count", "{}", "--quiet", "--workers", "1", "--transposition", "1M"),
    "breadth": ("count", "{}", "--engine", "breadth", "--quiet", "--workers", "2"),
    "breadth listed": ("solve", "{}", "--engine", "breadth", "--quiet", "--workers", "2"),
    "both": ("solve", "{}", "--engine", "both", "--quiet", "--workers", "2"),
    "explore": ("explore", "{}", "--json", "--workers", "2"),
    "explore from the start": ("explore", "{}", "--json", "--from", "start", "--workers", "2"),
    "check": ("check", "{}"),
}


DEEPENING = ("deepening", "listed", "table")
BREADTH = ("breadth", "breadth listed")
EXPLORE = ("explore", "explore from the start")

USED: dict[str, Sequence[str]] = {
    **dict.fromkeys(("index", "unindex", "size", "unkey", "graph"), (*BREADTH, *EXPLORE)),
    "key": ("table", *BREADTH, *EXPLORE),
    **dict.fromkeys(("goals", "solved"), EXPLORE),
    **dict.fromkeys(("limits", "steps"), (*DEEPENING, "both")),
}
"""The commands that use a declaration; by default all."""


def commands_for(case: Case) -> list[tuple[str, str]]:
    """Return the commands that use a case's declarations: their names, and of the classes that are searched."""
    check = ["check"] if case.untold else []
    if case.base in USERS:  # the abstraction itself, and what looks it up
        searches = [*DEEPENING[:2], "breadth", *check]
        return [(name, "Wrong") for name in EXPLORE] + [(name, "User") for name in searches]
    if case.base == "Words":
        return [("deepening", "Wrong")]
    rule = next(iter(case.rules), "")
    searches = list(USED.get(rule, [name for name in COMMANDS if name != "check"]))
    return [(name, "Wrong") for name in searches + check]


def answer_of(text: str) -> Any:
    """Return what a command has found, without its times."""
    with contextlib.suppress(ValueError):
        found = json.loads(text)
        if isinstance(found, dict):
            keep = ("start", "depths", "states")
            return {name: found[name] for name in keep} | {"farthest": sorted(found["farthest"])}
    return text


def verdict(done: Ended, case: Case, truth: Any) -> tuple[str, str]:
    """Return what a run is called, and what it says."""
    code, out, errors, hung = done
    lines = [line for line in errors.splitlines() if line.startswith("parsolve: ")]
    said = lines[-1] if lines else (errors.strip().splitlines() or [""])[-1]
    if case.untold and (hung or code in (0, 1)) and (code or answer_of(out) != truth):
        return "untold", case.untold
    if hung:
        return "HANG", said
    if code < 0 or "Traceback" in errors:
        return "CRASH", f"exit code {code}: {said}"
    if code == 2:
        return ("told" if any(name in said for name in case.named) else "UNNAMED"), said
    if code == 4 and "the engines disagree" in said:  # which is what both are run for
        return "told", said
    if code == 0:
        return ("harmless", "") if answer_of(out) == truth else ("SILENT", out.strip()[:200])
    return "OTHER", f"exit code {code}: {said}"


def verdict_of_check(done: Ended) -> tuple[str, str]:
    """Return what a run of `check` is called that must find a fault, and what it says."""
    code, out, errors, _ = done
    said = (out.splitlines() or [errors.strip()[-200:]])[0]
    return ("told" if code == 2 and not errors else "SILENT" if code == 0 else "OTHER"), said


def run_case(file: Path, commands: Sequence[str], repeat: int) -> None:
    """Run commands several times, and print what each has come to; called in a process of its own.

    Args:
        file: of the puzzle.
        commands: their names, each with a class's, as `NAME:CLASS`.
        repeat: how often each is run.
    """

    from parsolve.cli import main

    for name in commands:
        command, _, cls = name.partition(":")
        words = [word.format(f"{file}:{cls}") for word in COMMANDS[command]]
        seconds = 4 * SECONDS if command == "check" else SECONDS
        print(json.dumps([name, [forked(partial(main, words), seconds) for _ in range(repeat)]]), flush=True)


Outcomes = dict[str, list[Ended]]
"""By command: the exit code of each run, and what it prints."""


def outcomes(case: Case, commands: Sequence[str], folder: Path, repeat: int) -> Outcomes:
    """Return what commands come to, in a process of its own; without those that it does not survive.

    Args:
        case: the case.
        commands, repeat: see `run_case`.
        folder: made for its file.
    """
    folder.mkdir(parents=True)
    file = folder / "puzzles.py"
    file.write_text(case.source)
    words = [sys.executable, __file__, str(file), str(repeat), *commands]
    done = run(words, stdout=PIPE, stderr=DEVNULL, text=True, cwd=folder, check=False)
    return {name: [Ended(*each) for each in found] for name, found in map(json.loads, done.stdout.splitlines())}


class Attack:
    """The cases, with the answers of the true puzzles.

    Args:
        folder: for files.
        repeat: how often each command is run.
    """

    def __init__(self, folder: Path, repeat: int) -> None:
        self._folder, self._repeat = folder, repeat
        self._truths: dict[str, Outcomes] = {}
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._numbers = itertools.count()

    def rows(self, case: Case) -> list[dict[str, Any]]:
        """Run a case, and return the result of each command."""
        true, names = case.true, [":".join(each) for each in commands_for(case)]
        with self._locks[true.name]:
            if true.name not in self._truths:
                every = [":".join(each) for each in commands_for(true)]
                self._truths[true.name] = outcomes(true, every, self._folder / str(next(self._numbers)), 1)
        truths = self._truths[true.name]
        found = outcomes(case, names, self._folder / str(next(self._numbers)), self._repeat)
        rows: list[dict[str, Any]] = []
        for name in names:
            runs = found.get(name, [Ended(-1, "", "the process that ran it ended")])
            truth = truths.get(name, [Ended(-1, "", "")])[0]
            if name.startswith("check"):
                verdicts = [verdict_of_check(each) for each in runs]
            elif truth.code:  # what is true is refused as well
                verdicts = [("told" if each.code == truth.code else "UNKNOWN", each.errors[-200:]) for each in runs]
            else:
                verdicts = [verdict(each, case, answer_of(truth.output)) for each in runs]
            kind, says = min(verdicts, key=lambda each: each[0] in FINE)
            rows.append({"command": name, "verdict": kind, "says": says, "runs": dict(Counter(k for k, _ in verdicts))})
        return rows


def attack(options: argparse.Namespace) -> Part:
    """Search puzzles that say what is not true; `--only` chooses some."""
    part = Part(("case", "commands", "told", "harmless", "told by check alone", "differences"))
    cases = [case for case in CASES if (options.only or "") in case.name]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        made = Attack(Path(folder), options.number or 3)
        for case, rows in zip(cases, pool.map(made.rows, cases), strict=True):
            tally = Counter(row["verdict"] for row in rows)
            good = tuple(tally[kind] for kind in FINE)
            part.rows.append((case.name, len(rows), *good, len(rows) - sum(good)))
            for row in rows:
                if row["verdict"] not in FINE:
                    part.differ(f"attack.py declarations --only '{case.name}': {row}")
    return part


if __name__ == "__main__":
    run_case(Path(sys.argv[1]), sys.argv[3:], int(sys.argv[2]))
