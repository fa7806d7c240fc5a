"""Parameters are coerced and checked in one place, whoever gives them."""

import ast
import inspect
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import WALK, edited
from shared import Run

from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem import registry
from parsolve.problem.registry import load_class, make, source_of
from parsolve.puzzle.core import CORE, GROUPS, RULES, Puzzle
from parsolve.puzzle.members import MemberGroup
from parsolve.puzzle.parameters import coerce, values_of
from parsolve.puzzles import Crossing, Jugs, Permutations, Queens, Sliding

pytestmark = pytest.mark.plain


TILES = "8 6 7 2 5 4 3 0 1"


@pytest.mark.parametrize(
    ("cls", "given", "same"),
    [
        (Queens, {"n": "8"}, {"n": 8}),
        (Queens, {"n": np.int64(8)}, {"n": 8}),
        (Queens, {"unique": "true", "n": 8}, {"unique": True, "n": 8}),
        (Queens, {"unique": "No"}, {"unique": False}),
        (Sliding, {"start": [8, 6, 7, 2, 5, 4, 3, 0, 1]}, {"start": TILES}),
        (Sliding, {"start": tuple(TILES.split())}, {"start": TILES}),
        (Sliding, {"start": np.array([[8, 6, 7], [2, 5, 4], [3, 0, 1]])}, {"start": TILES}),
        (Sliding, {"start": list(np.array([8, 6, 7, 2, 5, 4, 3, 0, 1]))}, {"start": TILES}),
        (Jugs, {"capacities": [8, 5]}, {"capacities": "8 5"}),
    ],
)
def test_what_is_as_good(cls: Any, given: dict[str, Any], same: dict[str, Any]) -> None:
    puzzle = cls(**given)
    assert puzzle == cls(**same)
    assert values_of(puzzle) == values_of(cls(**same))
    json.dumps(values_of(puzzle))
    assert make(cls.__name__.lower(), given) == puzzle


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (Sliding, {"bound": "None"}, "sliding: there is no bound 'None'; did you mean none?"),
    (Sliding, {"bound": None}, "sliding: there is no bound None"),
    (Crossing, {"kind": 3}, "crossing: there is no kind 3"),
    (Sliding, {"start": {0: 1}}, "sliding: start is a text or a list of numbers, not {0: 1}"),
    (Sliding, {"start": b"1 0"}, "sliding: start is a text or a list of numbers, not b'1 0'"),
    (Sliding, {"start": [1, None]}, "sliding: start is a text or a list of numbers, not None"),
    (Queens, {"n": "eight"}, "queens: n is a whole number, not 'eight'"),
    (Queens, {"n": 8.0}, "queens: n is a whole number, not 8.0"),
    (Queens, {"n": True}, "queens: n is a whole number, not True"),
    (Queens, {"n": None}, "queens: n is a whole number, not None"),
    (Queens, {"n": 1 << 63}, "queens: n is a number of at most 63 bits"),
    (Queens, {"n": 29}, "queens: n is 0 to 28, not 29"),
    (Permutations, {"n": -1}, "permutations: n is 0 to 13, not -1"),
    (Queens, {"unique": 1}, "queens: unique is true or false, not 1"),
    (Queens, {"unique": "maybe"}, "queens: unique is true or false, not 'maybe'"),
]


@pytest.mark.parametrize(("cls", "given", "says"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_the_same_line_everywhere(cls: Any, given: dict[str, Any], says: str) -> None:
    for construct in (lambda: cls(**given), lambda: make(cls.__name__.lower(), given)):
        with pytest.raises(BadInput) as error:
            construct()
        assert str(error.value).startswith(says)


def test_arguments_that_do_not_fit_the_constructor() -> None:
    with pytest.raises(BadInput, match="sliding has no parameter 'strat'; did you mean start"):
        Sliding(strat="1 0")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Queens(8, n=8)  # type: ignore[misc]
    with pytest.raises(TypeError):
        Queens(8, "bits", False, 1)  # type: ignore[call-arg]
    with pytest.raises(BadInput, match="queens has no parameter 'm'"):
        coerce(Queens, {"m": 8})


def test_parameters_of_a_class_of_ones_own(puzzle_file: Callable[..., Path]) -> None:
    path = puzzle_file(edited('size: int = parameter(8, "places")', 'size: float = parameter(8, "p", least=2, most=9)'))
    cls = load_class(f"{path}:Walk")
    assert cls(size="4").size == 4.0  # type: ignore[call-arg]
    for value, says in (
        (1, "Walk: size is 2 to 9, not 1"),
        (9.5, "is 2 to 9, not 9.5"),
        *((value, "size is a number, not") for value in ("inf", float("nan"), 10**400, True, None)),
    ):
        with pytest.raises(BadInput, match=says):
            cls(size=value)  # type: ignore[call-arg]
    path = puzzle_file(edited('size: int = parameter(8, "places")', 'size: str = parameter("", "p", most=3)'))
    cls = load_class(f"{path}:Walk")
    with pytest.raises(BadInput, match="Walk: size has more than 3 bytes"):
        cls(size="ää")  # type: ignore[call-arg]
    for kind, says in (
        ("list", "parameter 'size' must be int, float, str, bool or Literal of str"),
        ("__import__('typing').Literal[8, 9]", "bool or Literal of str"),
        ("'np.Size'", "type is unknown: module 'numpy' has no attribute 'Size'"),
    ):
        with pytest.raises(BadPuzzle, match=says):
            load_class(f"{puzzle_file(edited('size: int', f'size: {kind}', WALK), 'other.py')}:Walk")


INSTANCES = """
    @classmethod
    def instances(cls):
        return {"small": {"size": 4}, "large": {"size": 12}}
"""


def test_instances_of_a_puzzle_of_ones_own(run: Run, tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + INSTANCES)
    assert run("count", "my_puzzle.py:Walk:small").stdout == run("count", "my_puzzle.py:Walk", "--size", "4").stdout
    assert (
        run("count", "my_puzzle.py:Walk:small", "--size", "12").stdout == run("count", "my_puzzle.py:Walk:large").stdout
    )
    described = run("describe", "my_puzzle.py:Walk").stdout
    assert "my_puzzle.py:Walk:small\n    --size 4" in described
    assert "my_puzzle.py:Walk:large\n    --size 12" in described
    assert "default 12" in run("describe", "my_puzzle.py:Walk:large").stdout
    assert "has no instance 'smal'; did you mean small" in run("count", "my_puzzle.py:Walk:smal", code=2).stderr
    run("count", "my_puzzle.py:Walk:small", "--journal", "it.sqlite")
    assert json.loads(run("show", "it.sqlite", "--json").stdout)["parameters"] == {"size": 4}
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "my_puzzle.py:Walk:large"\nwant = "count"\n')
    run("run", "jobs.toml", "--journal", "jobs.sqlite")
    assert "has no instance 'x'" in run("count", "peg:x", code=2).stderr


def test_instances_that_are_none(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + INSTANCES.replace('{"small"', '1 / 0, {"small"'))
    assert "Walk: 'instances' raises ZeroDivisionError" in run("describe", "my_puzzle.py:Walk", code=2).stderr
    puzzle_file(WALK + INSTANCES.replace("return {", "{"))
    assert "'instances' must return" in run("count", "my_puzzle.py:Walk:small", code=2).stderr
    for wrong in ("5", "parsolve.Instance(5)", "{5: 4}", "parsolve.Instance({}, 5)"):
        puzzle_file("import parsolve\n" + WALK + INSTANCES.replace('{"size": 4}', wrong))
        for command in ("count", "describe"):
            assert "'instances' must return" in run(command, "my_puzzle.py:Walk:small", code=2).stderr
    puzzle_file(WALK + INSTANCES.replace('"size": 4', '"sice": 4'))
    assert "no parameter 'sice'" in run("count", "my_puzzle.py:Walk:small", code=2).stderr


def test_a_file_in_a_folder_with_a_colon(puzzle_file: Callable[..., Path], tmp_path: Path) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    path = puzzle_file(WALK + INSTANCES).rename(folder / "my_puzzle.py")
    assert make(f"{path}:Walk:small", {}) == make(source_of(load_class(f"{path}:Walk")), {"size": 4})
    with pytest.raises(BadInput, match=f"which class of {path}[?] Say {path}:CLASS, one of Walk"):
        load_class(str(path))


def test_an_error_without_a_text_is_named() -> None:
    class Silent(Jugs):
        def __init__(self, **given: Any) -> None:
            raise ValueError

    with pytest.raises(BadInput, match="Silent: ValueError"):
        registry.construct(Silent, {})


@pytest.fixture
def run_with(run_process: Run, tmp_path: Path) -> Run:
    """Run the command where a package of puzzles is installed, whose files are in `tmp_path`."""
    about = tmp_path / "their_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}

    def run(*words: str, points: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        (about / "entry_points.txt").write_text(f"[parsolve.puzzles]\n{points}")
        return run_process(*words, code=code, env=env)

    return run


def test_puzzles_of_installed_packages(run_with: Run, tmp_path: Path, compiled: None) -> None:
    """A package that offers one as an entry point."""
    (tmp_path / "their_package.py").write_text(WALK)
    points = "walk = their_package:Walk\nqueens = their_package:Walk\nlost = no_such_module:Walk\n"

    def run(*words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        return run_with(*words, points=points, code=code)

    assert run("count", "walk", "--size", "6", "--workers", "2").stdout == "2\n"
    listed = run("list")
    assert "(of the package their-package)" in listed.stdout
    assert "parsolve: the puzzle lost of the package their-package cannot be used: the module" in listed.stderr
    assert json.loads(run("list", "--json").stdout)["walk"]["package"] == "their-package"
    assert run("count", "queens", "--n", "6").stdout == "4\n"  # built-in names are the built-in ones
    solved = run("solve", "walk", "--size", "6", "--journal", "it.sqlite").stdout
    assert run("show", "it.sqlite", "--solutions").stdout == solved  # its user has installed that code
    assert "no_such_module" in run("count", "lost", code=2).stderr
    assert "did you mean walk" in run("count", "wallk", code=2).stderr


@pytest.mark.nightly
def test_a_package_says_what_its_puzzle_is_without_loading_it(run_with: Run, tmp_path: Path, compiled: None) -> None:
    folder = tmp_path / "their_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        '"""walk to the end"""\nfrom parsolve import Instance\n'
        'INSTANCES = {"short": Instance({"size": 4}, "of 4", "it is short"), "eight": Instance({"size": 8})}\n'
    )
    (folder / "walk.py").write_text("raise ImportError('it was loaded')\n")
    points = "walk = their_package.walk:Walk\n"
    listed = run_with("list", points=points)
    assert "walk            walk to the end (of the package their-package)\n  short         of 4\n" in listed.stdout
    assert "  walk:eight    size 8\n" in listed.stdout  # eight alone is another family's
    assert listed.stderr == ""
    own = "\n    @classmethod\n    def instances(cls):\n        return their_package.INSTANCES\n"
    (folder / "walk.py").write_text(f"import their_package\n{WALK}{own}")
    for name in ("short", "walk:short"):
        counted = run_with("count", name, points=points)
        assert counted.stdout == run_with("count", "walk", "--size", "4", points=points).stdout
        assert "it is short" in counted.stderr
    assert "it is short" not in run_with("count", "short", "--size", "6", points=points).stderr
    assert "walk:eight" in run_with("describe", "walk", points=points).stdout


# The contract in groups: `Puzzle` derives from each, and each member is documented where it stands.


def test_a_puzzle_has_the_members_of_each_group_and_of_no_other() -> None:
    assert [group.members for group in GROUPS] == [cls for cls in Puzzle.__mro__[2:] if cls is not object]
    names = [name for group in GROUPS for name in vars(group.members) if not name.startswith("_")]
    assert len(names) == len(set(names))
    assert not set(names) & {name for name in vars(Puzzle) if not name.startswith("_")}


def test_each_rule_is_a_member_of_its_group() -> None:
    for group in GROUPS:
        assert set(group.rules) <= set(vars(group.members))
    assert set(RULES) == {*CORE, *(name for group in GROUPS for name in group.rules)}


def test_what_is_needed_with_a_member_is_a_member() -> None:
    for group in GROUPS:
        for what, needed, why in group.needs:
            assert what in vars(group.members)
            assert hasattr(Puzzle, needed)
            assert why


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.title)
def test_each_member_is_documented(group: MemberGroup) -> None:
    source = inspect.getsource(group.members)
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)
    for at, member in enumerate(node.body):
        if isinstance(member, ast.FunctionDef):
            assert ast.get_docstring(member), member.name
        elif isinstance(member, ast.AnnAssign):
            after = node.body[at + 1]
            assert isinstance(after, ast.Expr), ast.unparse(member)
            assert isinstance(after.value, ast.Constant), ast.unparse(member)


def test_the_core_is_one_screen() -> None:
    """What a first puzzle needs: its members and their documentation."""
    text = (Path(inspect.getfile(Puzzle))).read_text()
    assert len(text.splitlines()) < 200
