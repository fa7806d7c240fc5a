"""The contract in groups: `Puzzle` derives from each, and each member is documented where it stands."""

import ast
import inspect
from pathlib import Path

import pytest

from parsolve.puzzle.core import CORE, GROUPS, RULES, Puzzle
from parsolve.puzzle.members import Group

pytestmark = pytest.mark.plain


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
def test_each_member_is_documented(group: Group) -> None:
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


def test_a_group_is_given_where_a_class_has_a_member_of_its_own() -> None:
    class Plain(Puzzle):
        pass

    class Keyed(Plain):
        @staticmethod
        def key(tables: object, here: object) -> int:
            return 0

    assert [group.title for group in GROUPS if group.is_given_by(Plain, Puzzle)] == []
    assert [group.title for group in GROUPS if group.is_given_by(Keyed, Puzzle)] == ["keys"]
