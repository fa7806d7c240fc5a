"""The identity of a puzzle's rules covers what they do, and nothing else: by functions and values."""

import enum
import functools
import math
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numba.typed
import numpy as np
import pytest
from digests import SOURCE, imported, of, of_source
from numba.core import imputils
from numba.core.typing import templates
from samples import WALK, edited
from shared import CACHE

from parsolve.compiler import cache, identity, kernelfile, syntax
from parsolve.compiler.arguments import kind_of
from parsolve.compiler.identity import CodeIdentity
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.errors import BadPuzzle
from parsolve.problem.compiled import rules_of
from parsolve.problem.data import digest_of
from parsolve.problem.registry import load_class
from parsolve.puzzles import Peg, Sliding
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.additive import AdditivePatterns

CONSTANT = 3


def helper(x: int) -> int:
    return x + CONSTANT


def rule(x: int) -> int:
    return helper(x)


def test_it_covers_values(monkeypatch: pytest.MonkeyPatch) -> None:
    before = of(rule)
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 4)
    assert of(rule) != before
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", object())
    assert CodeIdentity({"rule": rule}).opaque
    monkeypatch.undo()
    assert of(rule) == before
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x)
    assert of(rule) != before


REGISTERED: list[Callable[..., int]] = []


def registered(x: int) -> int:
    return x + len(REGISTERED)


def test_a_list_of_functions_that_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "REGISTERED", [registered])
    before = CodeIdentity({"it": registered})
    assert (before.readings.change, before.digest) == ("", of(registered))
    REGISTERED.append(rule)
    assert before.readings.change == "REGISTERED"
    assert of(registered) != before.digest


@functools.cache
def kept(number: int) -> int:
    return number


def test_a_function_that_keeps_its_results_is_seen_through() -> None:
    """Else a kernel of a puzzle whose tables come from one would be compiled in every process."""
    assert of(kept) == of(kept.__wrapped__)


class One(NamedTuple):
    first: int
    second: int


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Other(NamedTuple):
    second: int
    first: int


def test_the_fields_of_a_tuple_are_in_the_name_of_a_kernel() -> None:
    """Else a kernel that reads the first where the second is meant would be taken again."""
    assert str(kind_of(One(1, 2))) != str(kind_of(Other(1, 2)))
    assert str(kind_of((One(1, 2), 1))) != str(kind_of((Other(1, 2), 1)))


def closure(value: Any) -> Callable[..., Any]:
    def inner(x: Any) -> Any:
        return x + value

    return inner


def test_values_by_kind() -> None:
    align = np.dtype([("a", "u1"), ("b", "u8")], align=True)
    values = [
        np.zeros(3, np.uint64),
        np.zeros((3, 1), np.uint64),
        np.zeros(3, np.int64),
        np.arange(3, dtype=np.uint64),
        align,
        np.dtype([("a", "u1"), ("b", "u8")]),
        {"a": 1, "b": 2},
        {"a": 1, "b": 3},
        frozenset({"x", "y"}),
        One,
        Other,
        np.add,
        np.subtract,
        np.argsort,
        partial(rule, 1),
        partial(rule, 2),
        numba.types.int64,
        numba.types.uint64,
    ]
    values += [One(1, 2), Other(1, 2), (1, 2), 1 << 20000, 1 << 20001]
    values += [np.array((1, 2), [(first, "u1"), (second, "u1")])[()] for first, second in ("ab", "ba")]
    values += map(closure, (1, 1.0, True, np.uint64(1), np.int64(1), "1", (1,), [1]))
    values += [types.MethodType(rule, number) for number in (1, 2)]
    values += [types.FunctionType(rule.__code__, rule.__globals__, "rule", (number,)) for number in (1, 2)]  # defaults
    values += [functools.wraps(math.gcd)(function) for function in (lambda: 1, lambda: 2)]  # they say they are standard
    values += [numba.njit(rule_alone), numba.njit(fastmath=True)(rule_alone)]
    assert len(set(map(of, values))) == len(values)
    assert of(closure(1)) == of(closure(1))
    for value in (np.array([1, None]), np.frompyfunc(rule, 1, 1), One(1, 2)._replace):
        assert CodeIdentity({"it": value}).opaque == isinstance(value, np.ndarray | np.ufunc)


def test_what_is_not_seen_is_opaque() -> None:
    def importing(x: Any) -> Any:
        import math

        return math.sqrt(x)

    def empty() -> Callable[..., Any]:
        def inner() -> Any:
            return later

        if not inner:
            later = 1
        return inner

    for value in (importing, empty(), object(), [object()], sys.modules[__name__]):
        assert CodeIdentity({"it": value}).opaque


def test_opaque_kernels_have_names_of_their_own() -> None:
    """An object's id is given to another one after its end; LLVM would find the kernel of the first."""
    files = (kernelfile.KernelFile.of("it", CodeIdentity({"it": object()}), ()) for _ in range(9))
    assert len({file.symbol for file in files}) == 9


def test_the_lookups_of_a_puzzle_by_kind() -> None:
    """Rules read a NamedTuple by its fields, whatever their order; numba takes each of these as an argument."""
    values = [One(1, 2), Other(1, 2), (1, 2), b"a", b"b", 1j, 2j, {1}, {2}, Colour.RED, Colour.BLUE]
    values += [numba.typed.List([1, number]) for number in (2, 3)]
    assert len({digest_of((value,)) for value in values}) == len(values) - 1  # a typed list is as good as a tuple


def test_no_kernel_of_a_puzzle_is_opaque(puzzle_file: Callable[..., Path]) -> None:
    """Else it is compiled in each process."""
    for cls in (Peg, Sliding, AdditivePatterns, Pattern, load_class(f"{puzzle_file(WALK)}:Walk")):
        rules = rules_of(cls, True)
        kernels = rules.kernels(DeepeningKernels)
        walks = [kernels.walk(remembers) for remembers in ({False, rules.key is not None})]
        assert not any(function.identity.opaque for function in (*walks, rules.restore))


# The identity of a rule goes by what its source means: by syntax, names and modules.


def test_how_it_is_written_does_not_matter(tmp_path: Path) -> None:
    written = '''
"""A module."""
def other(): pass
def rule(x: "a number") -> int:
    """Do it."""

    # twice
    y: int = (x
              *  2)
    z: int
    return helper(y)
import numpy as np  # below
def helper(x): return x + 1
'''
    assert of_source(written, tmp_path, "renamed") == of_source(SOURCE, tmp_path)


FIELDS = """
from typing import NamedTuple
class Inner(NamedTuple):
    b: int
    c: int
class Outer(NamedTuple):
    b: Inner
def rule(): return Outer(Inner(1, 2)).b.b
"""
"""A class of a NamedTuple has attributes of the same names as its objects: what is read of a result is not of it."""

CLASS = "_A__number = 1\nclass A:\n    def rule(): return __number\nrule = A.rule"
"""A class hides a name."""

LONG = f"number = 0x1{'0' * 5000}\ndef rule(): return 1"
"""Python refuses to write the number in decimal."""


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        *((SOURCE, "x + 1", "x + 2"), (SOURCE, "x + 1", "x - 1"), (SOURCE, "x * 2", "x * 2.0")),
        (SOURCE, "helper(y)", "helper(x)"),
        (FIELDS, "b: int\n    c: int", "c: int\n    b: int"),
        (CLASS, "= 1", "= 2"),
        (LONG, "return 1", "return 2"),
    ],
)
def test_what_it_does_matters(tmp_path: Path, source: str, old: str, new: str) -> None:
    assert of_source(edited(old, new, source), tmp_path) != of_source(source, tmp_path)


def test_a_source_that_was_edited_since_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    names: dict[str, Any] = {"__name__": "rules"}
    exec(compile(SOURCE, str(file), "exec"), names)
    file.write_text(SOURCE)
    known = syntax.syntax_of(names["rule"])
    file.write_text(SOURCE.replace("x * 2", "x * 3 "))
    assert syntax.syntax_of(names["rule"]) != known
    file.write_text(SOURCE.replace("x * 2", "x  *  2"))
    assert syntax.syntax_of(names["rule"]) == known


def test_the_same_syntax_from_the_cache_folder(tmp_path: Path) -> None:
    text = SOURCE + f"\nplace = '{tmp_path}'\n"
    parsed = syntax._parsed(text)
    digest = parsed[""]
    assert syntax._syntaxes(text) == parsed
    syntax._syntaxes.cache_clear()
    assert syntax._syntaxes(text) == parsed
    (file,) = (each for each in CACHE.glob("*.syntax") if digest in each.read_text())
    file.write_text(file.read_text().replace(digest, 32 * "0"))
    syntax._syntaxes.cache_clear()
    assert syntax._syntaxes(text) == parsed
    assert kernelfile.of_compiler()


@pytest.mark.parametrize("body", ["def taken(x): return 1", "taken = numba.njit(lambda x: 1)", "taken = 1"])
def test_a_file_with_the_name_of_a_standard_module_is_no_standard_module(body: str, tmp_path: Path) -> None:
    found = set()
    for text in (body, body.replace("1", "2")):
        with imported(text, tmp_path, "turtle", numba=numba):
            found.add(of_source("import turtle\nrule = lambda: turtle.taken", tmp_path))
    assert len(found) == 2


@pytest.mark.nightly
@pytest.mark.processes
def test_a_python_without_asserts_has_its_own_identities(tmp_path: Path) -> None:
    """A kernel that was compiled without them is not that with them; a rule may ask for it, too."""
    file = tmp_path / "asks.py"
    file.write_text(
        'def rule():\n    "It asks."\n    return 1 if __debug__ else 2\n\ndef other():\n    "It."\n    return 1\n'
    )
    code = (
        "import asks; from parsolve.compiler.kernelfile import *;"
        "print(*(CodeIdentity({'it': each}).digest for each in (asks.rule, asks.other)), of_compiler(), sep='|')"
    )
    found = [
        subprocess.run(
            [sys.executable, *flags, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.split("|")
        for flags in ([], ["-O"], ["-OO"])
    ]
    assert [len({each[column] for each in found}) for column in range(3)] == [2, 1, 2]


def test_where_something_is_opaque_its_whole_module_counts(tmp_path: Path) -> None:
    """A job goes by it: nobody could tell what a rule gets out of an object."""
    source = "class Unknown:\n    value = 1\nthing = Unknown()\ndef rule(x):\n    return x + thing.value\n"
    found = []
    for text in (source, source.replace("value = 1", "value = 2"), source + "# edited\n"):
        with imported(text, tmp_path, "opaque_rules") as module:
            found.append(CodeIdentity({"rule": module.rule}))
    assert all(each.opaque for each in found)
    assert found[0].digest == found[2].digest != found[1].digest


# The identity of a rule covers what numba is told and taught: types, overloads, and what its own cache keeps.


@contextmanager
def own_registries() -> Iterator[None]:
    """Have numba forget what it is taught in the body."""
    with pytest.MonkeyPatch.context() as patch:
        for registry in (templates.builtin_registry, imputils.builtin_registry):
            for kind, known in vars(registry).items():
                patch.setattr(registry, kind, known[:])
        identity._extended_by.clear()  # outside of tests the registries only grow
        yield


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


TEACHING = """
import numba.extending, os
def teach(more):
    @numba.extending.overload(np.sinc)
    def sinc(x): return lambda x: x + more
teach(int(os.environ["MORE"]))
"""


def test_what_numba_is_taught_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No name leads from a rule to an overload, nor from a module to what an overload has of a closure."""
    found = []
    for more, way in (("1", "+"), ("1", "+  "), ("2", "+"), ("1", "-")):
        monkeypatch.setenv("MORE", more)
        with own_registries():
            found.append(of_source(SOURCE + edited("x + more", f"x {way} more", TEACHING), tmp_path))
    assert found[0] == found[1]
    assert len(set(found)) == 3


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
    found, later, others = [], [], []
    for number in (1, 1, 2):
        with own_registries():
            monkeypatch.setitem(sys.modules, "stubs", stubs)
            stubs.stub = types.FunctionType((lambda x: x).__code__, {"__name__": "stubs"}, "stub")
            text = f"from numba.extending import *\n@{taught}\ndef it(x): return lambda x: {number}"
            with imported(text, tmp_path, "teaching", stub=stubs.stub) as teaching:
                found.append(of_source(rule, tmp_path))
                others.append(of_source("def rule(x): return min(x)", tmp_path))
                (tmp_path / "teaching.py").write_text("it = 1")  # numba has been taught another source
                later.append(of_source(rule, tmp_path))
                del teaching.__file__  # as in a notebook, whose cells may teach anything
                with imported(rule, tmp_path, "rules") as rules:
                    assert CodeIdentity({"rule": rules.rule}).opaque
    assert (found[0], later[0]) == (found[1], later[1])
    assert len({*found, *later}) == 4
    assert len(set(others)) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "import callee\ndef rule(x): return callee.g(x)",
        "import callee\ndef rule(x): return g(x) + callee.g(x) - callee.g(x)",
        "import caller\ndef rule(x): return caller.callee.g(x)\nimport callee",
        "make = lambda h: lambda x: h(x)\nrule = make(g)",
        "def rule(x): return by_default(x)\ndef by_default(x, h=g): return h(x)",
        "several = g, g\ndef rule(x): return several[1](x)",
        "def rule(x):\n    inner = lambda y: g(y)\n    return inner(x)",
    ],
)
@pytest.mark.filterwarnings("ignore:First-class function type:numba.NumbaExperimentalFeatureWarning")
def test_what_numba_itself_keeps_is_compiled_again(rule: str, tmp_path: Path) -> None:
    """Neither it nor its own cache notices that something has changed that a function reads."""
    callee = "import numba\nMORE = 1\n@numba.njit(cache=True)\ndef g(x): return x + MORE\n"
    with (
        imported(callee, tmp_path, "callee") as module,
        imported(f"from callee import g\n{rule}", tmp_path, "caller") as caller,
    ):
        for module.MORE in (1, 2):
            assert cache.cached(caller.rule)(0) == module.MORE


def test_what_has_changed_between_two_kernels_of_a_function(tmp_path: Path) -> None:
    """The second would be kept under the identity of the first."""
    with imported("TIMES = 1\ndef look(x): return x * TIMES", tmp_path, "looks") as module:
        look = cache.cached(module.look)
        assert look(1) == 1
        module.TIMES = 2
        with pytest.raises(BadPuzzle, match="TIMES, which 'look' reads, has changed since its first call"):
            look(1.5)


def test_an_authors_function_that_calls_itself_is_refused(tmp_path: Path) -> None:
    """numba would call the one that it keeps."""
    source = "import numba\n@numba.njit\ndef rule(x):\n    return rule(x - 1) if x else 0\ndef calls(x): return rule(x)"
    with imported(source, tmp_path, "recursive") as module, pytest.raises(BadPuzzle, match="'rule' calls 'rule' in a"):
        cache.cached(module.calls)(1)
