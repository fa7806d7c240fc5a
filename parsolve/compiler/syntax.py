"""Find the syntax of a loaded function: a digest of what it does, however it is written down.

The digest leaves out docstrings, comments, annotations, positions and names of files, and is the same in every version
of Python. It is that of the function that was loaded: the source is compiled again to compare the bytecode, and a
function whose file has been edited since is known by its bytecode alone.
"""

import ast
import contextlib
import hashlib
import json
import linecache
import sys
import types
from functools import cache
from pathlib import Path
from typing import Any

from parsolve.compiler.reach import codes_of
from parsolve.system.cachefolder import Untrusted, delete_old, folder, read_sealed, write_sealed

LEFT_OUT = frozenset({"annotation", "returns", "type_comment", "type_params", "kind", "ctx"})
"""Fields of nodes that do not change what the code does."""

VERSION = 6
"""Increased when digests change their meaning."""

MOST_KEPT = 1000
"""The most sources whose syntax the cache folder keeps; the least recently used are deleted first."""


def syntax_of(function: types.FunctionType) -> str:
    """Return a digest of a function and of those that are defined in it: of its bytecode if the source is unknown, or
    another one than that of the function."""
    code, bytecode = function.__code__, _bytecode(function.__code__)
    known = of_file(code.co_filename, function.__globals__, bytecode)
    return known or digest(f"{sys.implementation.cache_tag} {bytecode}")


def of_module(module: Any) -> str:
    """Return the digest of a whole module: of an empty one if the source is missing; empty for what is no module."""
    is_module = isinstance(module, types.ModuleType)
    return of_file(getattr(module, "__file__", None) or "", vars(module)) if is_module else ""


def of_file(file: str | Path, names: dict[str, Any] | None = None, part: str = "") -> str:
    """Return the digest of a file as it is now, or of a cell of a notebook, whose module has `names`; or of a part of
    it, see `_syntaxes`, empty if it has none of that kind."""
    linecache.checkcache(str(file))
    return _syntaxes("".join(linecache.getlines(str(file), names))).get(part, "")


@cache
def _syntaxes(source: str) -> dict[str, str]:
    """Return the digest of each function of a source, by that of its bytecode, and of the whole, by ""."""
    # It is kept in the cache folder: to parse and compile all that a puzzle's kernels reach takes 0.2 s.
    place = folder() if source else None
    if place is None:
        return _parsed(source)
    file = place / f"{digest(f'{VERSION} {sys.implementation.cache_tag} {sys.flags.optimize} {source}')}.syntax"
    with contextlib.suppress(OSError, Untrusted, ValueError):
        return dict[str, str](json.loads(read_sealed(file)))
    found = _parsed(source)
    with contextlib.suppress(OSError):
        write_sealed(file, json.dumps(found).encode())
        delete_old(place, "*.syntax", MOST_KEPT)
    return found


def _parsed(source: str) -> dict[str, str]:
    try:
        tree, module = ast.parse(source), compile(source, "", "exec", dont_inherit=True)
        texts = dict[tuple[str, int], str]()
        found = {"": digest(_dumped(tree.body, texts))}
    except (SyntaxError, ValueError, RecursionError):  # also of a number too long to be written in decimal
        return {}
    for code in codes_of(module):
        if text := texts.get((code.co_name, code.co_firstlineno)):
            found[_bytecode(code)] = digest(text)
    return found


def _dumped(node: Any, texts: dict[tuple[str, int], str]) -> str:
    """Return a syntax tree as text, without what does not change what the code does; add the texts of the functions in
    it to `texts`, by name and first line."""
    if not isinstance(node, ast.AST):
        return f"[{''.join([_dumped(each, texts) for each in node])}]" if isinstance(node, list) else repr(node)
    match node:
        case ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):  # such as a docstring
            return ""
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            node = ast.Assign([target], value)
        case ast.Name(id="__debug__"):  # it is false with `python -O`
            return f"({__debug__})"
        case ast.Constant():
            return f"({type(node.value).__name__} {node.value!r})"
    fields = {
        name: _dumped(value, texts)
        for name, value in ast.iter_fields(node)
        if name not in LEFT_OUT and value not in (None, [])
    }
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        name, decorators = getattr(node, "name", "<lambda>"), getattr(node, "decorator_list", [])
        body = fields["body"] if isinstance(node.body, list) else f"[{fields['body']}]"
        place = name, min(each.lineno for each in (node, *decorators))
        texts[place] = "" if place in texts else fields["args"] + body  # two there cannot be distinguished
    return f"({type(node).__name__}{''.join([f' {name}={text}' for name, text in fields.items()])})"


def _bytecode(code: types.CodeType) -> str:
    """Return a digest of a function's bytecode, without positions."""
    constants = [
        _bytecode(each)
        if isinstance(each, types.CodeType)
        else f"{type(each).__name__} {sorted(map(repr, each)) if isinstance(each, frozenset) else repr(each)}"
        for each in code.co_consts
    ]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return digest(repr((code.co_qualname, code.co_code, code.co_exceptiontable, constants, names, shape)))


def digest(*lines: str) -> str:
    """Return a digest of some lines: 32 hexadecimal digits."""
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()[:32]
