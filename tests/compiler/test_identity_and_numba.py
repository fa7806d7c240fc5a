"""The identity of a rule covers what numba is told and taught: types, overloads, and what its own cache keeps."""

import importlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from digests import SOURCE, imported, of, of_source
from numba.core import imputils
from numba.core.typing import templates

from parsolve.compiler import cache, numba_values

REGISTRIES: list[tuple[Any, str]] = [
    *((templates.builtin_registry, kinds) for kinds in ("functions", "globals", "attributes")),
    (imputils.builtin_registry, "functions"),
]


def rule_alone(x: int) -> int:
    return x + 1


def test_the_types_that_an_author_names_count() -> None:
    """Arguments and results are converted to them."""
    narrow, wide = numba.uint8, numba.int64
    makers: list[Callable[[Any], Any]] = [
        lambda kind: numba.njit([kind(kind)])(rule_alone),
        lambda kind: numba.njit(locals={"x": kind})(rule_alone),
        lambda kind: numba.cfunc(kind(kind))(rule_alone),
        lambda kind: numba.vectorize([kind(kind)])(rule_alone),
    ]
    for made in makers:
        assert of(made(narrow)) == of(made(narrow)) != of(made(wide))
    called = numba.njit(rule_alone)
    before = of(called)
    called(1)
    assert of(called) == before


@pytest.mark.parametrize("imports", ["import numba.extending", "from numba.extending import overload"])
def test_what_numba_is_taught_counts(tmp_path: Path, imports: str) -> None:
    """No name leads from a rule to an overload."""
    overload = "overload" if "from" in imports else "numba.extending.overload"
    source = SOURCE.format(imports=imports) + f"\n@{overload}(np.sinc)\ndef sinc(x):\n    return lambda x: x + 1\n"
    before = of_source(source, tmp_path)
    assert of_source(source.replace("lambda x: x + 1", "lambda x: x + 2"), tmp_path) != before
    assert of_source(source.replace("def sinc", "# comment\ndef sinc"), tmp_path) == before


@pytest.mark.parametrize(
    ("taught", "rule"),
    [
        ("overload(stub)", "import stubs\ndef rule(x): return stubs.stub(x)"),
        ("overload(stub)", "from stubs import stub as own\ndef rule(x): return own(x)"),
        ("overload(max)", "def rule(x): return max(x)"),
        ("overload_method(types.Integer, 'twice')", "def rule(x): return x.twice()"),
        ("lower_builtin(stub, types.Integer)", "import stubs\ndef rule(x): return stubs.stub(x)"),
    ],
)
def test_what_numba_is_taught_elsewhere_counts(
    taught: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module is often imported for this alone: but a rule that does not use it stays what it is."""
    stubs: Any = types.ModuleType("stubs")
    found, others = [], []
    for number in (1, 1, 2):
        with monkeypatch.context() as patch:
            for registry, kinds in REGISTRIES:
                patch.setattr(registry, kinds, getattr(registry, kinds)[:])
            numba_values._teachers_of.cache_clear()  # outside of tests the registries only grow
            patch.setitem(sys.modules, "stubs", stubs)
            stubs.stub = types.FunctionType((lambda x: x).__code__, {"__name__": "stubs"}, "stub")
            imports = "from numba import types\nfrom numba.extending import lower_builtin, overload, overload_method"
            text = f"{imports}\n@{taught}\ndef it(x): return lambda x: {number}"
            with imported(text, tmp_path, "teaching", stub=stubs.stub):
                found.append(of_source(rule, tmp_path))
                others.append(of_source("def rule(x): return min(x)", tmp_path))
    assert found[0] == found[1] != found[2]
    assert len(set(others)) == 1


def test_what_numba_itself_keeps_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own cache does not notice that a function was edited that a kept one calls."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "calls_callee.py").write_text(
        "import numba\nfrom callee import g\n@numba.njit(cache=True)\ndef h(x):\n    return g(x)\n"
        "def rule(x):\n    return h(x)\n"
    )
    found = []
    for more in (1, 2):
        (tmp_path / "callee.py").write_text(
            f"import numba\n@numba.njit\ndef g(x):\n    return x + {more}  # {'-' * more}\n"
        )
        for name in ("callee", "calls_callee"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        found.append(cache.cached(importlib.import_module("calls_callee").rule)(0))
    assert found == [1, 2]
    for name in ("callee", "calls_callee"):
        del sys.modules[name]
