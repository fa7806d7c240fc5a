#!/usr/bin/env python3
"""Edit lines of the engine's core at random, and tell which edits no test notices.

Each edit is made in a copy of the project: of a comparison, a sign, a number, a condition or a statement. Then the
plain tests of its subject run until one fails. One that survives is shown: a test is missing, or it changes nothing.

    .venv/bin/python scripts/mutation.py --edits 40 --seed 1
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

DEEPENING = ("tests/deepening/test_frontier.py", "tests/deepening/test_frontier_states.py", "tests/deepening")
JOURNAL = ("tests/journal/test_journal.py", "tests/journal")
LEVELS = ("tests/levels",)

CORE = {
    "deepening/frontier.py": DEEPENING,
    "deepening/heap.py": DEEPENING,
    "deepening/driver.py": DEEPENING,
    "deepening/remote.py": DEEPENING,
    "search/checkpoint.py": ("tests/deepening/test_frontier_states.py", *JOURNAL),
    "journal/checkpoints.py": JOURNAL,
    "journal/jobstore.py": JOURNAL,
    "journal/journal.py": JOURNAL,
    "levels/store.py": LEVELS,
    "levels/templates/merging.py": LEVELS,
}
"""By file of the package: the tests that must notice, the quickest first."""

PATIENCE = 240
"""Seconds after which tests count as hanging: the edit was noticed."""

OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.And: ast.Or,
    ast.Or: ast.And,
}

Edit = Callable[[], object]


def edits(tree: ast.Module) -> Iterator[tuple[int, str, Edit]]:
    """Yield the edits of a module that can be made: the line, what is edited, and what makes the edit."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Compare(ops=[_]):
                yield line, "comparison", partial(setattr, node, "ops", [OTHER[type(node.ops[0])]()])
            case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.BoolOp():
                yield line, "operator", partial(setattr, node, "op", OTHER[type(node.op)]())
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                yield line, "number", partial(setattr, node, "value", number + 1)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield line, "condition", partial(setattr, node, "test", ast.UnaryOp(ast.Not(), test))
        for name in ("body", "orelse"):
            statements: Any = getattr(node, name, None)
            for at, statement in enumerate(statements if isinstance(statements, list) else ()):
                is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                if is_call or isinstance(statement, ast.AugAssign):
                    yield statement.lineno, "statement", partial(statements.__setitem__, at, ast.Pass())


def edited(file: str, random_: random.Random) -> tuple[str, str]:
    """Return a source after one edit, and what was edited."""
    tree = ast.parse((ROOT / "parsolve" / file).read_text())
    line, what, edit = random_.choice([*edits(tree)])
    before = ast.unparse(copy.deepcopy(tree)).splitlines()
    edit()
    after = ast.unparse(ast.fix_missing_locations(tree))
    changed = [(old, new) for old, new in zip(before, after.splitlines(), strict=False) if old != new]
    old, new = changed[0] if changed else ("", "")
    return after, f"{file}:{line}: {what}: {old.strip()}  ->  {new.strip()}"


def is_noticed(project: Path, tests: tuple[str, ...], ignored: list[str]) -> bool:
    """Return whether a test fails or hangs."""
    left_out = [word for name in ignored for word in ("--deselect", name)]
    command = [sys.executable, "-m", "pytest", "-m", "plain", "-x", "-q", "-p", "no:cacheprovider", *left_out, *tests]
    try:
        done = subprocess.run(
            command,
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(project)},
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Edit and test, and print what survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=20, metavar="N", help="how many (default: 20)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the choice (default: 1)")
    parser.add_argument("--without", nargs="*", default=[], metavar="FILE", help="files of tests that are tried last")
    options = parser.parse_args()
    random_, counts = random.Random(options.seed), {"edits": 0, "without": 0, "survive": 0}
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".*", "__pycache__", "results", "goldens"))
        for _ in range(options.edits):
            file = random_.choice([*CORE])
            place = project / "parsolve" / file
            source, what = edited(file, random_)
            kept = place.read_text()
            place.write_text(source)
            counts["edits"] += 1
            if not is_noticed(project, CORE[file], options.without):
                counts["without"] += 1
                if not options.without or not is_noticed(project, tuple(options.without), []):
                    counts["survive"] += 1
                    print(what, flush=True)
            place.write_text(kept)
            print(counts, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
