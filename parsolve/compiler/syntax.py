"""Find the syntax of a loaded function: a digest of what it does, however it is written down.

The digest leaves out docstrings, comments, annotations, positions and names of files, and is the same in every version
of Python. It is that of the function that was loaded: the source is compiled again to compare the bytecode, and a
function whose file has been edited since is known by its bytecode alone.
"""

import ast
import contextlib
import dis
import hashlib
import json
import linecache
import os
import sys
import types
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from parsolve.system.cachefolder import Untrusted, delete_old, folder, read_sealed, write_sealed

LEFT_OUT = frozenset({"annotation", "returns", "type_comment", "type_params", "kind", "ctx"})
"""Fields of nodes that do not change what the code does."""

MODULE = "module"
"""Stands for the whole source, where functions have a digest of their bytecode."""

IMPORT = "__import__"
"""The builtin that an import calls."""

VERSION = 4
"""Increased when digests change their meaning."""

MOST_KEPT = 1000
"""The most sources whose syntax the cache folder keeps; the least recently used are deleted first."""

STANDARD = os.path.join(os.path.dirname(os.__file__), "")
"""The folder of the standard library."""


class Syntax(NamedTuple):
    """What a function does.

    Attributes:
        digest: digest of its syntax tree, or of its bytecode if the source is unknown.
        names: the globals that it reads, ascending, with the attributes that are read of them: `np.uint64`; IMPORT if
            it imports anything itself.
    """

    digest: str
    names: tuple[str, ...]


def syntax_of(function: types.FunctionType) -> Syntax:
    """Return the syntax of a function, with that of the functions that are defined in it."""
    code = function.__code__
    found = _syntaxes(_source(code.co_filename, function.__globals__)).get(_bytecode(code))
    return found or Syntax(digest(f"{sys.implementation.cache_tag} {_bytecode(code)}"), _names(code))


def of_module(module: Any) -> Syntax | None:
    """Return the syntax of a whole module; None without a source, and of what is no module."""
    is_module = isinstance(module, types.ModuleType)
    return of_file(getattr(module, "__file__", None) or "", vars(module)) if is_module else None


def of_file(file: str | Path, names: dict[str, Any] | None = None) -> Syntax | None:
    """Return the same for the file of a module that need not be imported."""
    return _syntaxes(_source(str(file), names)).get(MODULE)


def _source(file: str, names: dict[str, Any] | None) -> str:
    """Return the text of a file as it is now, or of a cell of a notebook; empty if it is missing."""
    linecache.checkcache(file)
    return "".join(linecache.getlines(file, names))


@cache
def _syntaxes(source: str) -> dict[str, Syntax]:
    """Return the syntax of each function of a source, by the digest of its bytecode, and of the whole."""
    # It is kept in the cache folder: to parse and compile all that a puzzle's kernels reach takes 0.2 s.
    place = folder() if source else None
    if place is None:
        return _parsed(source)
    file = place / f"{digest(f'{VERSION} {sys.implementation.cache_tag} {sys.flags.optimize} {source}')}.syntax"
    with contextlib.suppress(OSError, Untrusted, ValueError, TypeError):
        return {name: Syntax(digest, tuple(names)) for name, (digest, names) in json.loads(read_sealed(file)).items()}
    found = _parsed(source)
    with contextlib.suppress(OSError):
        write_sealed(file, json.dumps(found).encode())
        delete_old(place, "*.syntax", MOST_KEPT)
    return found


def _parsed(source: str) -> dict[str, Syntax]:
    try:
        tree, module = ast.parse(source), compile(source, "", "exec", dont_inherit=True)
        texts = defaultdict[tuple[str, int], list[str]](list)
        found = {MODULE: Syntax(digest(_dumped(tree.body, texts)), _names(module))}
    except (SyntaxError, ValueError, RecursionError):  # also of a number too long to be written in decimal
        return {}
    for code in codes_of(module):
        candidates = texts[code.co_name, code.co_firstlineno]
        if len(candidates) == 1:  # otherwise they cannot be distinguished
            found[_bytecode(code)] = Syntax(digest(*candidates), _names(code))
    return found


def _names(code: types.CodeType) -> tuple[str, ...]:
    """Return what bytecode reads: of `f(x).y` that is `f` and `x`."""
    names = set()
    for each in codes_of(code):
        chain, high = "", 0
        for operation, low in zip(each.co_code[::2], each.co_code[1::2], strict=True):
            number, high = high | low, 0
            match dis.opname[operation]:
                case "EXTENDED_ARG":
                    high = number << 8
                case "LOAD_GLOBAL" | "LOAD_NAME" as name:
                    names.add(chain)
                    chain = each.co_names[number >> (name == "LOAD_GLOBAL")]
                case "LOAD_ATTR" | "LOAD_METHOD" if chain:  # the lowest bit has been a flag since Python 3.12
                    chain += f".{each.co_names[number >> (sys.version_info >= (3, 12))]}"
                case name if name != "CACHE":
                    names.add(chain)
                    chain = IMPORT if name == "IMPORT_NAME" else ""
    return tuple(sorted(names - {""}))


def _dumped(node: Any, texts: dict[tuple[str, int], list[str]]) -> str:
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
        texts[name, min(each.lineno for each in (node, *decorators))].append(fields["args"] + body)
    return f"({type(node).__name__}{''.join([f' {name}={text}' for name, text in fields.items()])})"


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield bytecode, and that of the functions and classes defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


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


def module_of(value: Any) -> str:
    """Return the name of an object's module. `functools.wraps` gives a function another's, but not its globals."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    names = value.__globals__ if isinstance(value, types.FunctionType) else {}
    return str(names.get("__name__") or getattr(value, "__module__", ""))


def is_trusted(module: str) -> bool:
    """Return whether a module is of a package whose functions are known by their names: `cache.of_compiler` has its
    version. A user's file may have the name of a standard module."""
    package = module.partition(".")[0]
    if package not in sys.stdlib_module_names:
        return package in ("numpy", "numba", "llvmlite")
    file = getattr(sys.modules.get(package), "__file__", None)  # built-in modules have none
    return file is None or (file.startswith(STANDARD) and "site-packages" not in file)
