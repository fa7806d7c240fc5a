"""Puzzle files that travel as text, and what a machine gives back."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import WALK

from parsolve.deepening.prefixes import Prefix
from parsolve.errors import ParsolveError
from parsolve.problem.problem import Problem
from parsolve.problem.registry import Spec, spec_of
from parsolve.problem.shipping import install, puzzle_file_of
from parsolve.puzzles import Jugs
from parsolve.system import cachefolder

pytestmark = pytest.mark.plain


def test_a_file_and_what_it_imports_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cachefolder, "folder", lambda: tmp_path / "cache")
    home = tmp_path / "home"
    home.mkdir()
    (home / "shipped.py").write_text(f"\ufeffimport shipped_aid\nfrom numpy import array\n{WALK}")
    (home / "shipped_aid.py").write_text("import shipped\nimport shipped_more\n")
    (home / "shipped_more.py").write_text("X = 1\n")
    (home / "unused.py").write_text("")
    spec = Spec(f"{home / 'shipped.py'}:Walk", {})
    file = puzzle_file_of(spec)
    assert file is not None
    assert [name for name, _ in file.contents] == ["shipped.py", "shipped_aid.py", "shipped_more.py"]
    there = install(file, spec)
    place = Path(there.source.rpartition(":")[0])
    assert place.parent == tmp_path / "cache" / "puzzles" / file.digest
    assert sorted(each.name for each in place.parent.iterdir()) == [name for name, _ in file.contents]
    # A damaged one, or one that others can write, is written again.
    place.write_text("something else")
    place.with_name("shipped_more.py").chmod(0o666)
    assert install(file, spec) == there
    assert place.read_text() == (home / "shipped.py").read_text()
    assert place.with_name("shipped_more.py").stat().st_mode & 0o077 == 0


def test_its_identity_is_the_same_there(puzzle_file: Callable[..., Path]) -> None:
    spec = Spec(f"{puzzle_file(WALK)}:Walk", {"size": 2})
    file = puzzle_file_of(spec)
    assert file is not None
    there = install(file, spec)
    assert there.source != spec.source
    assert Problem(there.make()).identity == Problem(spec.make()).identity


class Outer:
    class Inner(Jugs):
        """No other process finds it by a name."""


def test_a_puzzle_of_a_package_is_named() -> None:
    assert spec_of(Outer.Inner()) is None
    assert puzzle_file_of(Spec("parsolve.puzzles:Sliding", {})) is None


def test_without_a_cache_folder(puzzle_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = Spec(f"{puzzle_file(WALK)}:Walk", {})
    file = puzzle_file_of(spec)
    assert file is not None
    monkeypatch.setattr(cachefolder, "folder", lambda: None)
    with pytest.raises(ParsolveError, match="set PARSOLVE_CACHE_DIR"):
        install(file, spec)


def test_counts_by_prefix_are_all_nodes_however_few() -> None:
    prefix, random_ = Prefix(), random.Random(3)
    for _ in range(500):
        prefix.add([random_.randrange(3) for _ in range(random_.randrange(9))], random_.randrange(100))
    for most in (1, 2, 10, 100, 10**6):
        parts = prefix.parts(most)
        assert sum(nodes for _, nodes in parts) == prefix.nodes
        assert len(parts) <= most + 3
        again = Prefix()
        for path, nodes in parts:
            again.add(path, nodes)
        assert again.nodes == prefix.nodes
