"""ARCHITECTURE.md tells the truth about files and dependencies."""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PACKAGE = ROOT / "parsolve"


def unit_of(module: str) -> str:
    """The file or folder of the package that a module is in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__version__" else "parsolve"


def modules() -> dict[str, Path]:
    """Return the files of the package, by module."""
    files = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in PACKAGE.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


MODULES = modules()


def imported(module: str) -> Iterator[str]:
    """Yield the modules of parsolve that a module imports, in functions and for types too."""
    file = MODULES[module]
    package = module.split(".")[: None if file.stem == "__init__" else -1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                if name in MODULES or base in MODULES:
                    yield name if name in MODULES else base


def test_every_arrow_there_is_and_no_other() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        arrows[unit_of(module)] |= {unit_of(other) for other in imported(module)} - {unit_of(module)}
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


@pytest.mark.parametrize("folder", ["compiler", "puzzles"])
def test_no_files_import_each_other_in_a_circle(folder: str) -> None:
    left = {module: {*imported(module)} for module in MODULES if module.startswith(f"parsolve.{folder}.")}
    while last := {module for module, others in left.items() if others.isdisjoint(left.keys() - {module})}:
        left = {module: others for module, others in left.items() if module not in last}
    assert left == {}


FAMILIES = {module for module in MODULES if module.startswith("parsolve.puzzles.")}


def test_only_puzzles_name_puzzles() -> None:
    for module in MODULES.keys() - FAMILIES - {"parsolve.puzzles"}:
        assert not FAMILIES & set(imported(module)), module


def test_a_family_imports_the_contract_and_no_other_family() -> None:
    allowed = {"compiler", "errors", "puzzle", "puzzles", "text", "values"}
    folders = {module.split(".")[2] for module in FAMILIES} - {"exact_cover"}  # what several families are built on
    for module in FAMILIES:
        others = {other.split(".")[2] for other in imported(module) if other in FAMILIES}
        assert others & folders <= {module.split(".")[2]}, module
        assert {unit_of(other) for other in imported(module)} <= allowed, module


def test_no_constructor_returns_another_class() -> None:
    for module in FAMILIES:
        nodes = ast.walk(ast.parse(MODULES[module].read_text()))
        assert "__new__" not in {node.name for node in nodes if isinstance(node, ast.FunctionDef)}, module


AS_A_WHOLE = {"bench", "check", "report", "puzzles", "executors/pool", "cli"}
AS_A_WHOLE |= {"cli/commands", "cli/process", "cli/searches", "cli/terminal"}
"""Folders whose files the map does not name."""


def test_every_file_is_named_and_no_other() -> None:
    """An item names a folder and the stems of its files."""
    named, whole = set[str](), set[str]()
    for item in TEXT.split("## Files")[1].split("## ")[0].split("\n- ")[1:]:
        folder, *names = re.findall(r"`([^`]+?)/?`", item)
        place = "" if folder == "parsolve" else f"{folder}/"
        if folder in AS_A_WHOLE:
            whole.add(folder)
        else:
            named |= {f"{place}{stem}" for stem in names}
    stems = {str(file.relative_to(PACKAGE).with_suffix("")) for file in PACKAGE.rglob("[!_]*.py")}
    assert named == {stem for stem in stems if not any(stem.startswith(f"{folder}/") for folder in AS_A_WHOLE)}
    assert whole == AS_A_WHOLE


def test_the_house_stands() -> None:
    """Each unit is in one row of the picture, and imports from its row and those below."""
    picture = TEXT.split("## The house")[1].split("```")[1].strip().splitlines()
    rows = [re.split(r" · ", re.split(r"  +", line)[1]) for line in picture]
    height = {unit: len(rows) - number for number, row in enumerate(rows) for unit in row}
    assert len(height) == sum(map(len, rows))
    assert height.keys() == {unit_of(module) for module in MODULES} - {"parsolve", "__main__"}
    for module in MODULES:
        for unit in {unit_of(other) for other in imported(module)} & height.keys():
            assert height.get(unit_of(module), len(rows)) >= height[unit], f"{module} imports {unit}"
