"""Edit the built-in puzzles at random, load them beside the true ones and print whose identities have changed.

    python tests/project/mutants.py neutral|telling NUMBER SEED

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
import re
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import parsolve.puzzles
from parsolve.compiler.bytecode import reached
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.rules import Rules, of_rules
from parsolve.puzzle import RULES, Puzzle

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


def telling(source: str, choose: random.Random) -> tuple[str, str, str] | None:
    """Edit one function so that it does something else: the text, the function and what was done."""
    tree = ast.parse(source)
    every = list(functions(tree))
    if not every:
        return None
    name, function = choose.choice(every)
    edits: list[tuple[str, Callable[[], None]]] = []

    def change(what: str, node: Any, field: str, value: Any) -> None:
        edits.append((f"{what} in line {getattr(node, 'lineno', 0)}", lambda: setattr(node, field, value)))

    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and type(node.value) is int:
                change(f"{node.value} to {node.value + 1}", node, "value", node.value + 1)
            if isinstance(node, ast.BinOp):
                change("an operator", node, "op", ast.Add() if isinstance(node.op, ast.Sub) else ast.Sub())
            if isinstance(node, ast.BoolOp):
                change("an operator", node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())
            if isinstance(node, ast.Compare):
                other = ast.Eq() if isinstance(node.ops[0], ast.NotEq) else ast.NotEq()
                change("a comparison", node, "ops", [other, *node.ops[1:]])
    if len(body) > 2:
        place = choose.randrange(len(body) - 1)
        order = [*body[:place], body[place + 1], body[place], *body[place + 2 :]]
        if ast.dump(body[place]) != ast.dump(body[place + 1]):
            change("the order of statements", function, "body", order)
    if not edits:
        return None
    what, edit = choose.choice(edits)
    edit()
    return ast.unparse(tree), name, what


def neutral(source: str, choose: random.Random) -> tuple[str, str]:
    """Write a module in another way: the text, and what was done."""
    tree = ast.parse(source)
    every = [node for _, node in functions(tree)]
    match choose.choice(("docstring", "unparse", "annotation", "order", "statement")):
        case "docstring" if every:
            function = choose.choice(every)
            if ast.get_docstring(function) is None:
                function.body.insert(0, ast.Expr(ast.Constant("Something else.")))
            else:
                function.body[0] = ast.Expr(ast.Constant("Something else."))
            return ast.unparse(tree), f"docstring of {function.name}"
        case "annotation" if every:
            function = choose.choice(every)
            for argument in function.args.args:
                argument.annotation = None if argument.annotation else ast.Constant("something")
            function.returns = ast.Constant("anything") if function.returns is None else None
            return ast.unparse(tree), f"annotations of {function.name}"
        case "order":
            pairs = [
                place
                for place, (one, other) in enumerate(zip(tree.body, tree.body[1:], strict=False))
                if isinstance(one, ast.FunctionDef)
                and isinstance(other, ast.FunctionDef)
                and not one.decorator_list
                and not other.decorator_list
            ]
            if pairs:
                place = choose.choice(pairs)
                tree.body[place : place + 2] = tree.body[place + 1], tree.body[place]
            return ast.unparse(tree), "order of functions"
        case "statement" if every:
            function = choose.choice(every)
            function.body.append(ast.Expr(ast.Constant("a text that stands alone")))
            return ast.unparse(tree), f"a text in {function.name}"
    return ast.unparse(tree), "formatting"  # without comments and blank lines


def moved(source: str, name: str, choose: random.Random) -> tuple[str, str, str] | None:
    """Move a function that needs nothing of its module but constants to another module: both texts and its name."""
    tree = ast.parse(source)
    constants = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {alias.asname or alias.name.split(".")[0] for node in imports for alias in node.names}
    known |= {target.id for node in constants for target in node.targets if isinstance(target, ast.Name)}
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    defined |= {
        each.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    free = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.decorator_list
        and not ({each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & (defined - known))
    ]
    if not free:
        return None
    function = choose.choice(free)
    there = f"{name}_elsewhere"
    place = tree.body.index(function)
    tree.body[place] = ast.ImportFrom(there, [ast.alias(function.name)], 0)
    future = [node for node in imports if getattr(node, "module", "") == "__future__"]
    elsewhere = ast.Module([*future, *(node for node in imports if node not in future), *constants, function], [])
    return (
        ast.unparse(ast.fix_missing_locations(tree)),
        ast.unparse(ast.fix_missing_locations(elsewhere)),
        function.name,
    )


def main() -> None:
    """Edit, load and print; see above."""
    kind, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    choose = random.Random(seed)
    with loaded({}) as modules:
        sources = {name: Path(str(module.__file__)).read_text() for name, module in modules.items()}
        true = classes(modules)
        before = {name: identities(cls, True) for name, cls in true.items()}
    with tempfile.TemporaryDirectory() as folder:
        for edit in range(number):
            where = choose.choice([name for name in NAMES if "def " in sources[name]])
            file = Path(folder, f"edited{edit}.py")
            files = {where: file}
            function, what = "", ""
            if kind == "telling":
                made = telling(sources[where], choose)
                if made is None:
                    continue
                text, function, what = made
            elif choose.random() < 0.2 and (both := moved(sources[where], where, choose)):
                text, other, function = both
                what = f"{function} moved"
                files[f"{where}_elsewhere"] = Path(folder, f"elsewhere{edit}.py")
                files[f"{where}_elsewhere"].write_text(other)
            else:
                text, what = neutral(sources[where], choose)
            file.write_text(text)
            try:
                with loaded(files) as modules:
                    changed, expected = {}, {}
                    for name, cls in classes(modules).items():
                        uses = users(true[name], where, function) if kind == "telling" else set()
                        after = identities(cls, bool(uses) or choose.random() < 0.1)
                        changed[name] = sorted(each for each in after if after[each] != before[name][each])
                        expected[name] = sorted(each for each in uses if each in after)
            except Exception as error:  # an edited helper may fail while a module is imported
                if kind == "neutral":
                    raise
                print(json.dumps({"where": where, "function": function, "what": what, "raises": repr(error)}))
                continue
            wrong = {name: [changed[name], expected[name]] for name in changed if changed[name] != expected[name]}
            used = sum(map(bool, expected.values()))
            where = re.sub("^parsolve.puzzles.", "", where)
            print(json.dumps({"where": where, "function": function, "what": what, "used": used, "wrong": wrong}))


if __name__ == "__main__":
    main()
