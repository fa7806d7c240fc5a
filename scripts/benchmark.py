"""What the benchmarks share: 15-puzzles, fresh processes, taking turns, and results with the facts of the machine."""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from parsolve.system.hardware import machine

HERE = Path(__file__).resolve().parent

T = TypeVar("T")


class Instance(NamedTuple):
    """A 15-puzzle, its goal blank-first: what IDA* with Manhattan distance visits, and the cheapest solutions."""

    tiles: str
    nodes: int
    solutions: int


KORF = {
    1: Instance("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", 347_229_935, 1),
    2: Instance("13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", 41_910_395, 17),
    3: Instance("14 7 8 2 13 11 10 4 9 12 5 0 3 6 1 15", 1_186_526_090, 91),
    4: Instance("5 12 10 7 15 11 14 0 8 2 1 13 3 4 9 6", 139_126_169, 5),
}
"""By their number in R. E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27 (1985) 97–109."""


@dataclass(frozen=True)
class Run:
    """One search of a 15-puzzle."""

    nodes: int
    solutions: int
    seconds: float

    @property
    def rate(self) -> float:
        """Million nodes a second."""
        return self.nodes / self.seconds / 1e6


# What is measured in fresh processes.


def bare(tiles: str, source: str) -> Run:
    """The kernel on its own, one thread: limit after limit, all of the first one that has solutions. Seconds are the
    processor's, as in C: other programs take none of those.

    Args:
        tiles: the 15-puzzle.
        source: its class, as `parsolve.problem.registry.load_class` reads it.
    """
    from parsolve.deepening.searcher import Searcher, Sought
    from parsolve.problem.problem import Problem
    from parsolve.problem.registry import make

    problem = Problem(make(source, {"start": tiles, "goal": "blank-first", "bound": "manhattan"}))
    searcher = Searcher(problem)
    searcher.warm_up()
    nodes, begin = 0, time.process_time()
    for limit in problem.limits():
        outcome = searcher.run(searcher.whole(), Sought(limit), 1 << 60)
        nodes += outcome.nodes
        if outcome.weight:
            break
    return Run(nodes, outcome.weight, time.process_time() - begin)


def start(function: Callable[..., Run], *arguments: Any) -> subprocess.Popen[str]:
    """Begin a function of this file in a fresh process."""
    call = f"vars(benchmark.{function.__name__}(*json.loads(sys.argv[1])))"
    command = [sys.executable, "-c", f"import benchmark, json, sys; print(json.dumps({call}))", json.dumps(arguments)]
    return subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True)


def result(process: subprocess.Popen[str]) -> Run:
    """What a process that was started has to say, once it has ended."""
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the measured process ended with exit code {process.returncode}")
    return Run(**json.loads(output))


def checked(instance: Instance, run: Run) -> Run:
    """Return the run, if its result is the known one of its 15-puzzle; else the benchmark ends here."""
    if (run.nodes, run.solutions) != (instance.nodes, instance.solutions):
        raise SystemExit(f"wrong: {run} is not what is known, {instance}")
    return run


# Rounds and results.


def options(about: str, rounds: int, **more: Mapping[str, Any]) -> argparse.Namespace:
    """The command line of a benchmark: `--rounds`, `--write`, and `--NAME` with the settings given in `more`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds, metavar="N", help="times that each is measured")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    for name, settings in more.items():
        parser.add_argument(f"--{name}", **settings)
    parser.set_defaults(began=commit())
    return parser.parse_args()


def in_turns(rounds: int, measures: Mapping[Any, Callable[[], T]]) -> list[dict[Any, T]]:
    """Measure everything once a round, every other round backwards: what slows the machine down slows down all."""
    results = []
    for number in range(1, rounds + 1):
        print(f"round {number} of {rounds}", file=sys.stderr)
        order = [*measures] if number % 2 else [*reversed(measures)]
        results.append({name: measures[name]() for name in order})
    return results


def report(name: str, about: str, text: str, data: Any, options: argparse.Namespace) -> None:
    """Print a benchmark's Markdown; with `--write` keep it in `results/`, and the figures of each round beside it.

    Args:
        name: of the files.
        about: the script's docstring: a title, paragraphs, the command.
        text: the tables.
        data: the figures of each round.
        options: the command line.
    """
    made = facts()
    made["commit"] = " to ".join(dict.fromkeys((options.began, made["commit"])))  # should be one: nobody else at work
    made["command"] = shlex.join(["python", f"scripts/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    title, *paragraphs, _ = about.split("\n\n")
    sections = [f"# {title.rstrip('.')}", *paragraphs, text, "\n".join(f"- {key}: {made[key]}" for key in made)]
    page = "\n\n".join(map(str.strip, sections)) + "\n"
    print(page)
    if options.write:
        folder = results_folder()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(page)
        (folder / f"{name}.json").write_text(json.dumps({"made": made, "rounds": data}, indent=1, default=vars) + "\n")


def results_folder() -> Path:
    """Where this machine's results are kept, such as `amd-epyc-2-cores`."""
    made = machine()
    words = re.findall("[a-z0-9]+", re.sub(r"\((r|tm)\)", "", made["processor"].lower()))
    return HERE.parent / "results" / "-".join([*words, str(made["cores"]), "cores"])


# The machine.


def facts() -> dict[str, Any]:
    """What a figure depends on besides the code that is measured, and which code that was."""
    return {**machine(), "gcc": said("gcc", "-dumpfullversion") if shutil.which("gcc") else "none", "commit": commit()}


def commit() -> str:
    """The commit that is checked out, and whether the code differs from it; `unknown` outside a repository."""
    if not (HERE.parent / ".git").exists():
        return "unknown"
    changed = said("git", "status", "--porcelain", "--", "parsolve", "scripts", "pyproject.toml")
    return said("git", "rev-parse", "--short", "HEAD") + (" and changes" if changed else "")


def said(*command: str) -> str:
    """What a command prints, run in the project's folder."""
    return subprocess.run(command, cwd=HERE.parent, check=True, capture_output=True, text=True).stdout.strip()
