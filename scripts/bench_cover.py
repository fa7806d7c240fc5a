"""Cheapest covers: parsolve, clingo and CP-SAT count all of them, in turns.

Queens that guard a board, each at cost 1; and rosters, random covers of items that are covered once to three times, by
options whose costs lie between 100 and 999. Each count begins with the problem as data and includes finding the least
cost: clingo with `--opt-mode=optN`, CP-SAT by a minimisation, and then all solutions of that cost. One thread each.
Seconds are the processor's, around the count in a process of its own; parsolve has counted once before, so that its
kernels are loaded. What is out of time is not tried again. What `pip install clingo ortools` has not installed is left
out.

    .venv/bin/python scripts/bench_cover.py
"""

import functools
import importlib
import importlib.util
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import benchmark
from benchmark import HERE

import parsolve
from parsolve.bench.markdown import spread, table
from parsolve.puzzles import Cover, Domination
from parsolve.puzzles.exact_cover.instance import Builder, Instance

QUEENS, ROSTERS = (5, 6, 7, 8, 9), (20, 30)


def roster(items: int) -> Instance:
    """A random problem: three options for each item and more, of three items each."""
    chosen = random.Random(items)
    builder = Builder([f"1:3|{item}" for item in range(items)])
    for _ in range(5 * items):
        builder.add([str(item) for item in chosen.sample(range(items), 3)], chosen.randrange(100, 1000))
    return builder.finish()


def instance_of(name: str) -> Instance:
    """Return a problem by its name."""
    kind, number = name.split()
    return Domination(n=int(number)).problem if kind == "queens" else roster(int(number))


def by_parsolve(problem: Instance) -> tuple[int, int]:
    """Return the least cost and the number of covers that have it."""
    options = [problem.words(option) for option in range(len(problem.options))]
    items = [f"{low}:{high}|{name}" for name, (low, high) in zip(problem.primary, problem.bounds, strict=True)]
    found = parsolve.solve(Cover(items=items, options=options, costs=problem.costs), want="count", workers=1)
    return found.cost or 0, found.count or 0


def by_clingo(problem: Instance) -> tuple[int, int]:
    """The same."""
    clingo: Any = importlib.import_module("clingo")

    control = clingo.Control(["--opt-mode=optN", "--project=show", "0"])
    lines = ["#show take/1."]
    for option, cost in enumerate(problem.costs):
        lines.append(f"{{take({option})}}. :~ take({option}). [{cost},{option}]")
        lines += [f"covers({option},{item})." for item in problem.primary_of(option)]
    for item, (low, high) in enumerate(problem.bounds):
        lines.append(f":- not {low} {{take(O) : covers(O,{item})}} {high}.")
    control.add("base", [], "\n".join(lines))
    control.ground([("base", [])])
    found: list[int] = []
    control.solve(on_model=lambda model: found.append(model.cost[0]) if model.optimality_proven else None)
    return found[0], len(found)


def by_cp_sat(problem: Instance) -> tuple[int, int]:
    """The same."""
    cp_model: Any = importlib.import_module("ortools.sat.python.cp_model")

    model = cp_model.CpModel()
    taken = [model.new_bool_var(str(option)) for option in range(len(problem.options))]
    for item, (low, high) in enumerate(problem.bounds):
        covering = [take for option, take in enumerate(taken) if item in problem.primary_of(option)]
        model.add_linear_constraint(sum(covering), low, high)
    cost = cp_model.LinearExpr.weighted_sum(taken, problem.costs)
    solver, found = cp_model.CpSolver(), []
    note = {"on_solution_callback": lambda _: found.append(1)}
    callback = type("Callback", (cp_model.CpSolverSolutionCallback,), note)()
    solver.parameters.num_workers = 1
    cheapest = model.clone()
    cheapest.minimize(cost)
    solver.solve(cheapest)
    least = round(solver.objective_value)
    model.add(cost == least)
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, callback)
    return least, len(found)


PROGRAMS: dict[str, tuple[str, Callable[[Instance], tuple[int, int]]]] = {
    "parsolve": ("parsolve", by_parsolve),
    "clingo": ("clingo", by_clingo),
    "CP-SAT": ("ortools", by_cp_sat),
}


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3, seconds={"type": float, "default": 60.0, "help": "at most, for one"})
    names = [*(f"queens {n}" for n in QUEENS), *(f"roster {items}" for items in ROSTERS)]
    programs = [each for each, (package, _) in PROGRAMS.items() if importlib.util.find_spec(package)]
    late: set[tuple[str, str]] = set()
    measures = {
        (name, program): functools.partial(measure, name, program, options.seconds, late)
        for name in names
        for program in programs
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    rows: list[list[object]] = []
    for name in names:
        answers = {tuple(answer) for each in rounds for program in programs if (answer := each[name, program][0])}
        if len(answers) != 1:
            raise SystemExit(f"wrong: {answers} for {name}")
        (cost, count), *_ = answers
        cells: list[object] = [
            f"> {options.seconds:g}" if (name, program) in late else spread([each[name, program][1] for each in rounds])
            for program in programs
        ]
        rows.append([name, cost, f"{count:,}", *cells])
    versions = ", ".join(f"{PROGRAMS[each][0]} {metadata.version(PROGRAMS[each][0])}" for each in programs[1:])
    text = f"{table(['problem', 'least cost', 'covers', *(f'{each}, s' for each in programs)], rows)}\n\n{versions}"
    data = [{" ".join(key): seconds for key, (_, seconds) in each.items()} for each in rounds]
    benchmark.report("cheapest", __doc__, text, data, options)


def measure(name: str, program: str, seconds: float, late: set[tuple[str, str]]) -> tuple[list[int] | None, float]:
    """Count in a process of its own; return the answer, None if it takes too long, and processor seconds."""
    if (name, program) in late:
        return None, seconds
    call = f"from bench_cover import count; count({name!r}, {program!r})"
    words = [sys.executable, "-c", f"import sys; sys.path[:0] = [{str(HERE)!r}]; {call}"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        late.add((name, program))
        return None, seconds
    answer, taken = json.loads(done.stdout)
    return answer, taken


def count(name: str, program: str) -> None:
    """Count in this process, and print the answer and the processor's seconds."""
    _, function = PROGRAMS[program]
    problem = instance_of(name)
    if program == "parsolve":
        function(problem)
    began = time.process_time()
    print(json.dumps([function(problem), time.process_time() - began]))


if __name__ == "__main__":
    main()
