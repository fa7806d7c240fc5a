"""ARCHITECTURE.md tells the truth about files and dependencies."""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from conftest import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PACKAGE = ROOT / "parsolve"


def unit_of(module: str) -> str:
    """The file or folder of the package that a module is in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__version__" else "parsolve"


def imported(file: Path) -> Iterator[str]:
    """The modules of parsolve that a file imports, but for those that only types need."""
    tree = ast.parse(file.read_text())
    only_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in only_types:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "parsolve":
            modules = [node.module or ""] if node.module != "parsolve" else [f"parsolve.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names if alias.name.split(".")[0] == "parsolve"]
        else:
            continue
        yield from modules


def test_every_arrow_there_is_and_no_other() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        unit = unit_of(module.removesuffix(".__init__"))
        arrows[unit] |= {unit_of(other) for other in imported(file)} - {unit}
    section = TEXT.split("## Dependencies point one way")[1].split("```")[1]
    told = {line.split(":")[0].strip(): set(line.split(":")[1].split()) for line in section.strip().splitlines()}
    arrows = {unit: to for unit, to in arrows.items() if to and unit not in ("parsolve", "__main__")}
    assert told == arrows


def test_the_arrows_go_round_nowhere() -> None:
    section = TEXT.split("## Dependencies point one way")[1].split("```")[1]
    lines = [line.partition(":") for line in section.strip().splitlines()]
    below = {"parsolve", *itertools.chain(*(to.split() for _, _, to in lines))} - {unit for unit, _, _ in lines}
    for unit, _, to in reversed(lines):
        assert set(to.split()) <= below, unit
        below.add(unit)


def test_every_file_is_named_and_no_other() -> None:
    table = TEXT.split("## Files")[1].split("##")[0]
    folders = {"check", "cli", "puzzles", "report", "executors/pool"}  # described as a whole
    named: set[str] = set()
    for cell in re.findall(r"^\| (.*?) \|", table, re.M)[1:]:
        folder = ""
        for name in re.findall(r"`([^`]+)`", cell):
            folder = name.rpartition("/")[0] if "/" in name else folder
            named.add(name if "/" in name or not folder else f"{folder}/{name}")
    files = {
        str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py") if file.stem not in ("__init__", "__main__")
    }
    files = {file for file in files if not any(file.startswith(f"{folder}/") for folder in folders)}
    assert {name for name in named if name.endswith(".py")} == files
    assert {name.rstrip("/") for name in named if name.endswith("/")} == folders
