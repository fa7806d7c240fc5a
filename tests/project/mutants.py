"""Edit the built-in puzzles at random, load them beside the true ones and print whose identities have changed.

    python tests/project/mutants.py NUMBER SEED

One JSON object an edit: what was edited, and the names of the classes whose identity of rules, and of each kernel, is
another one, as it is and as it should be.
"""

import ast
import contextlib
import importlib
import importlib.util
import json
import pkgutil
import random
import sys
import tempfile
import types
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from mutation import edits

import parsolve.puzzles
from parsolve.compiler.bytecode import reached
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.rules import Rules, of_rules
from parsolve.puzzle.core import RULES, Puzzle

ROOT = "parsolve.puzzles"

NAMES = [each.name for each in pkgutil.walk_packages(parsolve.puzzles.__path__, f"{ROOT}.")]

KERNELS: dict[str, tuple[str, ...]] = {
    "search": ("expand", "solved", "weight"),
    "restore": ("expand",),
    "search_remembering": ("expand", "solved", "weight", "key"),
}
"""The rules that a kernel uses."""


class Finder:
    """Imports some modules from other files; what is left of the imports of puzzles is as it was."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module is."""
        file = self._files.get(name)
        if file is None:
            return None
        folder = Path(parsolve.__file__).parent.joinpath(*name.split(".")[1:])
        return importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[str(folder)] if folder.is_dir() else None
        )


@contextlib.contextmanager
def loaded(files: dict[str, Path]) -> Iterator[dict[str, types.ModuleType]]:
    """Import all modules of puzzles afresh, some from other files."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(ROOT + ".")}
    finder: Any = Finder(files)
    sys.meta_path.insert(0, finder)
    try:
        yield {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith(ROOT + ".")]:
            del sys.modules[name]
        sys.modules.update(kept)


def classes(modules: dict[str, types.ModuleType]) -> dict[str, type[Puzzle]]:
    """Return the puzzle classes of modules that have rules, by their names."""
    return {
        f"{name}:{cls.__qualname__}": cls
        for name, module in modules.items()
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Puzzle) and cls.__module__ == name
        if hasattr(cls, "expand")
    }


def identities(cls: type[Puzzle], kernels: bool) -> dict[str, str]:
    """Return the identity of a class's rules, and of its kernels."""
    found = {"rules": of_rules(cls).digest}
    if kernels:
        rules = Rules(cls, True)
        for name in KERNELS:
            function = getattr(rules if name == "restore" else rules.kernels(DeepeningKernels), name)
            if function is not None:
                found[name] = function.identity.digest
    return found


@cache
def reached_by(cls: type[Puzzle]) -> dict[str, set[tuple[str, str]]]:
    """Return the modules and names of the functions that each rule of a class reaches."""
    return {
        rule: {(each.__module__, each.__qualname__) for each in reached(getattr(cls, rule, None))} for rule in RULES
    }


def users(cls: type[Puzzle], name: str, function: str) -> set[str]:
    """Return which identities of a class depend on a function of a module."""
    rules = {rule for rule, functions in reached_by(cls).items() if (name, function) in functions}
    return {kind for kind, needed in (*KERNELS.items(), ("rules", RULES)) if rules.intersection(needed)}


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a module and of its classes, with their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef))


def edited(source: str, choose: random.Random) -> tuple[str, str, str] | None:
    """Edit one function so that it does something else: the text, the function and what was done."""
    tree = ast.parse(source)
    name, function = choose.choice([*functions(tree)])
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    found = [*edits(ast.Module(body, []))]
    if not found:
        return None
    line, what, edit = choose.choice(found)
    edit()
    return ast.unparse(ast.fix_missing_locations(tree)), name, f"{what} in line {line}"


def main() -> None:
    """Edit, load and print; see above."""
    number, choose = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    with loaded({}) as modules:
        sources = {name: Path(str(module.__file__)).read_text() for name, module in modules.items()}
        true = classes(modules)
        before = {name: identities(cls, True) for name, cls in true.items()}
    with tempfile.TemporaryDirectory() as folder:
        for edit in range(number):
            where = choose.choice([name for name in NAMES if "def " in sources[name]])
            made = edited(sources[where], choose)
            if made is None:
                continue
            text, function, what = made
            file = Path(folder, f"edited{edit}.py")
            file.write_text(text)
            told: dict[str, Any] = {"where": where, "function": function, "what": what}
            try:
                with loaded({where: file}) as modules:
                    changed, expected = {}, {}
                    for name, cls in classes(modules).items():
                        uses = users(true[name], where, function)
                        after = identities(cls, bool(uses) or choose.random() < 0.1)
                        changed[name] = sorted(each for each in after if after[each] != before[name][each])
                        expected[name] = sorted(each for each in uses if each in after)
            except Exception as error:  # an edited helper may fail while a module is imported
                print(json.dumps({**told, "raises": repr(error)}))
                continue
            wrong = {name: [changed[name], expected[name]] for name in changed if changed[name] != expected[name]}
            print(json.dumps({**told, "used": sum(map(bool, expected.values())), "wrong": wrong}))


if __name__ == "__main__":
    main()
