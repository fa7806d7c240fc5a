"""The identity of a rule goes by what its source means: by syntax, names and modules."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from digests import SOURCE, imported, of_source
from shared import CACHE

from parsolve.compiler import identity, syntax
from parsolve.compiler.identity import CodeIdentity


def test_how_it_is_written_does_not_matter(tmp_path: Path) -> None:
    plain = of_source(SOURCE.format(imports=""), tmp_path)
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
    assert of_source(written, tmp_path, "renamed") == plain
    for old, new in (("x + 1", "x + 2"), ("x + 1", "x - 1"), ("x * 2", "x * 2.0"), ("helper(y)", "helper(x)")):
        assert of_source(SOURCE.format(imports="").replace(old, new), tmp_path) != plain


def test_a_source_that_was_edited_since_is_not_believed(tmp_path: Path) -> None:
    text = SOURCE.format(imports="")
    file = tmp_path / "rules.py"
    names: dict[str, Any] = {"__name__": "rules"}
    exec(compile(text, str(file), "exec"), names)
    file.write_text(text)
    known = syntax.syntax_of(names["rule"])
    file.write_text(text.replace("x * 2", "x * 3 "))
    unknown = syntax.syntax_of(names["rule"])
    assert known.digest != unknown.digest
    assert known.names == unknown.names
    file.write_text(text.replace("x * 2", "x  *  2"))
    assert syntax.syntax_of(names["rule"]) == known


def test_the_same_syntax_from_the_cache_folder(tmp_path: Path) -> None:
    text = SOURCE.format(imports="") + f"\nplace = '{tmp_path}'\n"
    parsed = syntax._parsed(text)
    digest = parsed[syntax.MODULE].digest
    assert syntax._syntaxes(text) == parsed
    syntax._syntaxes.cache_clear()
    assert syntax._syntaxes(text) == parsed
    (file,) = (each for each in CACHE.glob("*.syntax") if digest in each.read_text())
    file.write_text(file.read_text().replace(digest, 32 * "0"))
    syntax._syntaxes.cache_clear()
    assert syntax._syntaxes(text) == parsed
    assert identity.of_compiler()


@pytest.mark.parametrize("body", ["def taken(x): return 1", "taken = numba.njit(lambda x: 1)", "taken = 1"])
def test_a_file_with_the_name_of_a_standard_module_is_no_standard_module(body: str, tmp_path: Path) -> None:
    found = set()
    for text in (body, body.replace("1", "2")):
        with imported(text, tmp_path, "turtle", numba=numba):
            found.add(of_source("import turtle\nrule = lambda: turtle.taken", tmp_path))
    assert len(found) == 2


def test_a_name_that_a_class_hides(tmp_path: Path) -> None:
    text = "_A__number = 1\nclass A:\n    def rule(): return __number\nrule = A.rule"
    assert of_source(text, tmp_path) != of_source(text.replace("= 1", "= 2"), tmp_path)


def test_what_is_read_of_a_result_is_not_read_of_the_function(tmp_path: Path) -> None:
    """A class of a NamedTuple has attributes of the same names as its objects."""
    text = """
from typing import NamedTuple
class Inner(NamedTuple):
    b: int
    c: int
class Outer(NamedTuple):
    b: Inner
def rule(): return Outer(Inner(1, 2)).b.b
"""
    swapped = text.replace("b: int\n    c: int", "c: int\n    b: int")
    assert of_source(text, tmp_path) != of_source(swapped, tmp_path)


def test_a_very_long_number_in_a_source(tmp_path: Path) -> None:
    """Python refuses to write it in decimal."""
    text = f"number = 0x1{'0' * 5000}\ndef rule(): return 1"
    assert of_source(text, tmp_path) != of_source(text.replace("return 1", "return 2"), tmp_path)


@pytest.mark.nightly
@pytest.mark.processes
def test_a_python_without_asserts_has_its_own_identities(tmp_path: Path) -> None:
    """A kernel that was compiled without them is not that with them; a rule may ask for it, too."""
    file = tmp_path / "asks.py"
    file.write_text(
        'def rule():\n    "It asks."\n    return 1 if __debug__ else 2\n\ndef other():\n    "It."\n    return 1\n'
    )
    code = (
        "import sys, asks; from parsolve.compiler.identity import *;"
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
