"""The command line: every command of the README, what it prints where, and its exit codes."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from conftest import ORACLE, Run, on_terminal, start, workers_of
from samples import WALK, edited

from parsolve.cli import COMMANDS

pytestmark = pytest.mark.cli

HARD = ("sliding", "--goal", "blank-first", "--bound", "none", "--start", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")


def test_solve_hoppers_prints_the_lines_of_the_page(run_process: Run) -> None:
    done = run_process("solve", "hoppers")
    assert done.stdout == (ORACLE / "hoppers_18.txt").read_text()
    assert "limit 7: 18 solutions" in done.stderr
    assert "18 solutions of cost 7" in done.stderr


@pytest.mark.parametrize(
    ("words", "first", "number"),
    [
        (("eight",), "5 6 8 2 3", 40),
        (("eight", "--bound", "none"), "5 6 8 2 3", 40),
        (("five",), "", 4),
        (("sliding", "--shape", "2x3", "--start", "4 5 0 1 2 3"), "", 4),
        (("sliding", "--start", "1,2,3,0", "--goal", "0 1 2 3", "--shape", "2x2"), None, None),
    ],
)
def test_solve_sliding(run_here: Run, words: tuple[str, ...], first: str | None, number: int | None) -> None:
    done = run_here("solve", *words, "--quiet", code=None)
    if number is None:
        assert done.returncode in (0, 2)
        return
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == number
    assert lines[0].startswith(str(first))
    assert done.stderr == "" or "compiling" not in done.stderr


def test_count_prints_the_number_alone(run_here: Run) -> None:
    assert run_here("count", "eight", "--workers", "2").stdout == "40\n"
    assert run_here("solve", "eight", "--want", "count").stdout == "40\n"


def test_first_prints_one(run_here: Run) -> None:
    assert run_here("solve", "hoppers", "--want", "first").stdout == "[0,6][9,3][2,0,6][11,1][10,0,2,6][8,4][12,2,6]\n"


def test_json_has_the_promised_fields(run_here: Run) -> None:
    found = json.loads(run_here("solve", "sliding", "--start", "1 8 2 0 4 3 7 6 5", "--workers", "2", "--json").stdout)
    assert list(found) == [
        "puzzle",
        "parameters",
        "solutions",
        "status",
        "cost",
        "count",
        "found_so_far",
        "iterations",
        "nodes",
        "seconds",
        "setup_seconds",
        "workers",
    ]
    assert found["puzzle"] == "sliding"
    assert found["parameters"]["start"] == "1 8 2 0 4 3 7 6 5"
    assert (found["status"], found["cost"], found["count"], found["workers"]) == ("solved", 9, 1, 2)
    assert found["solutions"] == ["4 8 2 3 5 6 8 5 6"]
    assert found["nodes"] == sum(each["nodes"] for each in found["iterations"])
    assert set(found["iterations"][0]) == {"limit", "nodes", "solutions", "seconds"}
    assert found["seconds"] >= 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("count", "hoppers"), {"count": 18, "cost": 7, "status": "solved"}),
        (("solve", "hoppers", "--want", "first"), {"count": None, "cost": 7, "found_so_far": 1}),
        (("solve", "peg", "--vacancy", "9"), {"count": 0, "cost": None, "status": "none", "solutions": []}),
    ],
)
def test_json_of_other_wants(run_here: Run, words: tuple[str, ...], expected: dict[str, object]) -> None:
    done = run_here(*words, "--json", code=None)
    assert done.returncode == (1 if expected["count"] == 0 else 0)
    found = json.loads(done.stdout)
    assert found.items() >= expected.items()
    assert ("solutions" in found) == (words[0] == "solve")


def test_no_solution_is_exit_1(run_here: Run) -> None:
    done = run_here("solve", "peg", "--vacancy", "9", code=1)
    assert done.stdout == ""
    assert "no solution" in done.stderr
    assert run_here("count", "peg", "--vacancy", "9", code=1).stdout == "0\n"


def test_list_and_describe(run_here: Run) -> None:
    assert {"peg", "hoppers", "sliding", "eight", "five"} <= set(run_here("list").stdout.split())
    assert json.loads(run_here("list", "--json").stdout)["five"]["family"] == "sliding"
    text = run_here("describe", "peg").stdout
    for word in ("--board", "--vacancy", "default 6", "none | corners", "hoppers", "0-6"):
        assert word in text
    assert json.loads(run_here("describe", "eight", "--json").stdout)["parameters"][0]["default"] == "8 6 7 2 5 4 3 0 1"


@pytest.mark.processes
@pytest.mark.parametrize("words", [("--help",), ("list",), ("list", "--json"), ("--version",)])
def test_help_and_list_import_neither_numpy_nor_numba(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "parsolve", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "parsolve" in imported
    assert not imported & {"numpy", "numba", "psutil", "tqdm"}


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("solve", "peg")])
def test_help_has_examples(run_here: Run, command: tuple[str, ...]) -> None:
    text = run_here(*command, "--help").stdout
    assert "usage: parsolve" in text
    assert "examples:\n  parsolve " in text
    assert len(text.splitlines()) > 5


def test_each_command_is_in_a_file_of_its_name_and_in_the_help(run_here: Run) -> None:
    text = run_here("--help").stdout
    for name, command in COMMANDS.items():
        assert command.module.rstrip("_") == {"count": "solve"}.get(name, name)
        assert f"\n  {name:10}{command.summary}\n" in text
    assert run_here(code=2).stdout == text


BAD = {
    "unknown puzzle": (("solve", "hopers"), "did you mean hoppers?"),
    "unknown command": (("sovle", "hoppers"), "invalid choice"),
    "no puzzle": (("solve",), "required"),
    "option first": (("solve", "--json", "hoppers"), "name the puzzle first"),
    "unknown option": (("solve", "hoppers", "--bond", "none"), "unrecognized arguments"),
    "bad choice": (("solve", "eight", "--bound", "euclid"), "there is no bound 'euclid'; there are none, manhattan"),
    "tile missing": (("solve", "eight", "--start", "8 6 7 2 5 4 3 9 1"), "out of range: 9, missing: 0"),
    "tile doubled": (("solve", "eight", "--start", "8 6 7 2 5 4 3 1 1"), "doubled: 1, missing: 0"),
    "no number": (("solve", "eight", "--start", "8 6 x"), "whole numbers"),
    "too few cells": (("solve", "eight", "--start", "0"), "2 to 16"),
    "too many cells": (("solve", "eight", "--start", " ".join(map(str, range(20)))), "2 to 16"),
    "empty start": (("solve", "eight", "--start", ""), "2 to 16"),
    "shape does not fit": (("solve", "eight", "--shape", "4x4"), "does not fit the 9 cells"),
    "shape is no shape": (("solve", "eight", "--shape", "three"), "rows x columns"),
    "goal does not fit": (("solve", "eight", "--goal", "1 2 0"), "goal has 3 cells, start has 9"),
    "goal is no goal": (("solve", "eight", "--goal", "spiral"), "blank-last, blank-first or a list"),
    "goal tiles": (("solve", "eight", "--goal", "1 2 3 4 5 6 7 8 8"), "goal has tiles doubled: 8, missing: 0"),
    "parity": (("solve", "eight", "--start", "8 6 7 2 5 4 1 3 0"), "cannot be reached"),
    "one row": (("solve", "sliding", "--start", "2 1 0", "--shape", "1x3"), "cannot be reached"),
    "no workers": (("solve", "hoppers", "--workers", "0"), "at least 1, not '0'"),
    "fewer workers": (("count", "hoppers", "--workers", "-2"), "at least 1, not '-2'"),
    "workers no number": (("count", "hoppers", "--workers", "two"), "a whole number of at least 1, not 'two'"),
    "vacancy": (("solve", "peg", "--vacancy", "13"), "holes are 0 to 12"),
    "target": (("solve", "peg", "--target", "-1"), "holes are 0 to 12"),
    "board": (("solve", "peg", "--board", "hopper"), "did you mean hoppers?"),
    "first is no jump": (("solve", "peg", "--first", "zero"), "a jump such as 0-6"),
    "first not on board": (("solve", "peg", "--first", "0-7"), "has no jump 0-7"),
    "first not into vacancy": (
        ("solve", "hoppers", "--vacancy", "3"),
        "does not end in the vacancy 3 (--vacancy 3 was given; --board hoppers --target 6 --first 0-6 is what hoppers sets: override it)",
    ),
    "shape of an instance": (
        ("solve", "eight", "--shape", "4x4"),
        "--shape 4x4 was given; --start '8 6 7 2 5 4 3 0 1' is what eight sets",
    ),
    "no file": (("solve", "nothing.py:Nothing"), "there is no file 'nothing.py'"),
    "no module": (("solve", "nothing.at.all:Nothing"), "cannot be imported"),
    "no module name": (("solve", ":"), "cannot be imported"),
    "relative module": (("solve", "..foo:X"), "cannot be imported"),
    "no states": (("check", "five", "--states", "0"), "at least 1, not 0"),
    "describe unknown": (("describe", "slidign"), "did you mean sliding?"),
    "check unknown": (("check", "eigth"), "did you mean eight"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_clear_line(run_here: Run, words: tuple[str, ...], says: str) -> None:
    done = run_here(*words, code=2)
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("usage:", " "))]
    assert len(lines) == 1, done.stderr
    assert says in lines[0]


def test_bad_workers_in_the_environment(run_here: Run) -> None:
    assert "PARSOLVE_WORKERS" in run_here("solve", "hoppers", env={"PARSOLVE_WORKERS": "many"}, code=2).stderr


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (edited("    def expand", "    def expnd"), "the rule 'expand' is missing"),
        (edited("    def solved", "    def slved"), "the rule 'solved' is missing"),
        (edited("    def root", "    def rot"), "'root' is missing"),
        (edited("    @staticmethod\n    def solved", "    def solved"), "must be a staticmethod"),
        (edited("def solved(tables, here)", "def solved(here)"), "must take 2 arguments"),
        (edited("row.cost = here.cost + 1", "row.cost = here.cost + nothing"), "the rule 'expand' does not compile (my_puzzle.py, line 28)"),
        (edited("return here.place * 2", "return here.plaice * 2"), "the rule 'solved' does not compile (my_puzzle.py, line 36)"),
        (edited("    size: int", "    workers: int"), "may not be called 'workers'"),
        (edited("    size: int", "    want: str"), "may not be called 'want'"),
        (edited("size: int = parameter", "size: list = parameter"), "must be int, float, str, bool or Literal"),
        (edited("(frozen=True)", ""), "dataclass(frozen=True)"),
        (edited("class Walk(Puzzle)", "class Walk"), "not a subclass"),
        (edited('("bound", "u2"), ', ""), "lacks the field 'bound'"),
        (edited('("cost", "u2")', '("cost", "f8")'), "must be an unsigned integer"),
        (edited("children = 2", "children = 0"), "'children'"),
        (edited('{"place": 0}', '{"plaice": 0}'), "no field of 'state'"),
        (edited('{"place": 0}', '{"place": -1}'), "does not fit"),
        (edited("return Tables(self.size)", "return 1 // 0"), "'tables' raises ZeroDivisionError"),
        (edited("return Tables(self.size)", "return 5"), "'tables' must return a NamedTuple"),
        (edited("import numpy as np", "import nump as np"), "cannot be loaded: ModuleNotFoundError"),
        (edited("def root(self)", "def root(self"), "cannot be loaded: SyntaxError"),
        (edited("here.cost + 1\n", "here.cost + 1 // (here.place - 2)\n"), "a rule raises ZeroDivisionError"),
        (edited("    def tables", "    def limits(self):\n        return [0, 3, 6]\n\n    def tables"), "its limits skip a value"),
        (edited('return {"place": 0}', "return None"), "'root' must return a dict"),
        (edited("    def tables", "    def limits(self):\n        return None\n\n    def tables"), "'limits' raises TypeError"),
        (edited("    def tables", "    def limits(self):\n        yield 0\n        yield 0\n\n    def tables"), "rising whole numbers"),
        (edited("    def tables", "    def steps(self, limit):\n        return None\n\n    def tables"), "'steps' must return a whole number"),
        (edited("size: int =", "size: 'itn' ="), "a parameter's type is unknown"),
        (edited("children = 2", "children = 10**12"), "below 65536"),
        (edited('("place", "u4")', '("place", "S4")'), "must be of unsigned integers"),
        (edited("row.bound = 0", "row.bound = 3").replace("here.cost + 1 <= limit", "here.cost + 4 <= limit"), "bound is too high"),
        (edited("range(1, 3)", "range(1, 2)").replace('"u2"', '"u1"').replace("parameter(8", "parameter(7"), "nothing found up to cost 255"),
        (edited("    def tables", "    def steps(self, limit):\n        return -90\n\n    def tables").replace("range(1, 3)", "range(1, 40)").replace("parameter(8", "parameter(2000"), "more rows than"),
    ],
)  # fmt: skip
def test_bad_puzzles_of_the_users_own(run_here: Run, puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    puzzle_file(source)
    done = run_here("solve", "my_puzzle.py:Walk", code=2)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("compiling", "limit"))]
    assert len(lines) == 1, done.stderr
    assert says in lines[0]


def test_which_class_of_a_file(run_here: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    assert "one of Walk" in run_here("solve", "my_puzzle.py", code=2).stderr
    assert "did you mean Walk?" in run_here("solve", "my_puzzle.py:Wlk", code=2).stderr


def await_workers(pid: int, number: int) -> list[psutil.Process]:
    until = time.monotonic() + 60
    while len(workers_of(pid)) < number:
        assert time.monotonic() < until
        time.sleep(0.05)
    return workers_of(pid)


@pytest.mark.processes
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_stops_and_says_what_is_known(tmp_path: Path, number: int, code: int, workers: str) -> None:
    process = start("solve", *HARD, "--workers", workers, "--json", cwd=tmp_path)
    workers_before = await_workers(process.pid, 3) if workers == "2" else []
    assert process.stderr is not None
    while "limit 23" not in process.stderr.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code
    found = json.loads(out)
    assert (found["status"], found["count"], found["found_so_far"]) == ("stopped", None, 0)
    assert found["iterations"]
    assert "stopped before the end" in err
    assert "Traceback" not in err
    _, left = psutil.wait_procs(workers_before, timeout=2)
    assert left == []


@pytest.mark.processes
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3, 0.5, 0.8, 1.2, 2.0])
def test_a_signal_while_getting_ready_or_compiling(tmp_path: Path, delay: float) -> None:
    process = start("solve", *HARD, cwd=tmp_path, env={"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")})
    while not psutil.Process(process.pid).children():  # until then it is Python's own start
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err


MOMENTS = 24
"""Moments of a cold start at which Ctrl-C is pressed, evenly from its begin to 1.5 s later."""


@pytest.mark.processes
@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_ctrl_c_at_any_moment_of_a_cold_start(tmp_path: Path, method: str) -> None:
    """To all processes at once, as a terminal sends it: workers that are being started, too."""

    def interrupted(moment: int) -> tuple[int, str]:
        cache = tmp_path / f"cache-{moment}"
        cache.mkdir(mode=0o700)
        process = subprocess.Popen(
            [sys.executable, "-m", "parsolve", "count", *HARD, "--workers", "2", "--start-method", method],
            env=os.environ | ({"PARSOLVE_CACHE_DIR": str(cache)} if moment % 2 else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        while not psutil.Process(process.pid).children():  # until then it is Python's own start
            time.sleep(0.001)
        time.sleep(moment * 1.5 / MOMENTS)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    moments = range(0, MOMENTS, 2) if method == "spawn" else range(MOMENTS)
    with ThreadPoolExecutor(2) as threads:
        for code, err in threads.map(interrupted, moments):
            assert code == 130, err
            assert "Traceback" not in err
            assert "KeyboardInterrupt" not in err


def test_compiling_does_not_count_against_the_timeout(
    run_process: Run, tmp_path: Path, puzzle_file: Callable[..., Path]
) -> None:
    puzzle_file(WALK)
    (tmp_path / "cache").mkdir(mode=0o700)
    env = {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}
    done = run_process("count", "my_puzzle.py:Walk", "--workers", "1", "--timeout", "2s", "--json", env=env)
    assert "compiling" in done.stderr
    found = json.loads(done.stdout)
    assert found["setup_seconds"] > 2 > found["seconds"]


@pytest.mark.processes
@pytest.mark.parametrize(
    ("method", "names"), [("forkserver", {"parsolve-server", "parsolve-worker"}), ("spawn", {"parsolve-worker"})]
)
def test_the_names_of_the_processes(tmp_path: Path, method: str, names: set[str]) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux names processes")
    process = start("count", *HARD, "--workers", "2", "--start-method", method, cwd=tmp_path)
    try:
        until = time.monotonic() + 60
        number = 1 + len(names)  # two workers, and a server where there is one
        while [each.name() for each in workers_of(process.pid)].count("parsolve-worker") < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        workers = workers_of(process.pid)
        assert {each.name() for each in workers} == names
        assert len(workers) == number
        everyone = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        assert all("parsolve" in " ".join(each.cmdline()) for each in everyone)  # what `pgrep -f` reads
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.mark.processes
def test_a_reader_that_has_had_enough(tmp_path: Path) -> None:
    command = f"{sys.executable} -m parsolve solve eight --quiet | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0].startswith("5 6 8 2 3")
    assert "Traceback" not in done.stderr


@pytest.mark.processes
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_signal_while_nobody_reads_the_output(tmp_path: Path, form: list[str]) -> None:
    """Once the end of the output waited for ever for what came before it."""
    row = "B" * 12 + "_"
    process = start(
        "solve", "flipit", "--row", row, "--goal", "W" * 12 + "_", "--engine", "breadth", *form, cwd=tmp_path
    )
    assert process.stdout is not None
    select.select([process.stdout], [], [], 60)
    time.sleep(1.5)  # what nobody reads fills the pipe
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) in (0, 1, 130)
    process.communicate()


@pytest.mark.processes
@pytest.mark.parametrize("target", ["/dev/full", "-"])
def test_output_that_cannot_be_written(tmp_path: Path, target: str) -> None:
    command = f"{sys.executable} -m parsolve solve hoppers --quiet >{'&-' if target == '-' else target}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == (2 if target == "-" else 4)
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "compiling" not in line]) == 1


@pytest.mark.processes
def test_a_terminal_sees_a_bar_and_no_trace_of_it_in_the_results(tmp_path: Path) -> None:
    _, out, shown = on_terminal(tmp_path, "count", "eight", "--bound", "none", "--workers", "1")
    assert out == b"40\n"
    assert b"nodes/s" in shown
    assert b"left" in shown


@pytest.mark.processes
def test_a_terminal_sees_a_bar_over_the_batch(tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\npuzzle = "queens"\nn = [5, 6]\n[[job]]\npuzzle = "permutations"\nn = 11\nname = "{p}"\n'
        'want = "count"\nworkers = 1\n'
    )
    _, out, shown = on_terminal(tmp_path, "run", "jobs.toml", "--journal", "it.sqlite")
    assert b"{p}       solved" in out
    assert b"0 of 3 jobs" in shown
    assert b"2 of 3 jobs" in shown
    assert b"{p} " in shown
    assert b"nodes/s" in shown
