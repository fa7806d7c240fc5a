"""Identify rules by what they do: no comment, name of a file or picture changes their identity.

It covers the syntax of the functions that the rules reach (through global names, `module.function`, closures, compiled
helpers and intrinsics) and the values of the globals, closure cells and defaults that they use. Kernels, pattern
databases and jobs of journals are kept under it.
"""

import builtins
import enum
import functools
import hashlib
import inspect
import operator
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.compiler.arguments import dtype_text
from parsolve.compiler.marks import INLINED, LOWERED
from parsolve.compiler.reach import MISSING, cells_of, codes_of, followed, is_trusted, module_of, names_of
from parsolve.compiler.syntax import digest, of_file, of_module, syntax_of
from parsolve.compiler.uncompiled import imported


class Readings:
    """What was read of objects, by their ids and a name of their values, or "" for their whole content."""

    def __init__(self) -> None:
        # The name for a person, what reads it again (and keeps the object: its id is its own), what it found, and what
        # compares both.
        self._readings: dict[tuple[int, str], tuple[Any, ...]] = {}

    @property
    def change(self) -> str:
        """The name of something that is not as it was read; empty if all is."""
        for shown, find, found, same in self._readings.values():
            if not same(find(), found):
                return str(shown)
        return ""

    def read(self, read: Callable[..., Any], owner: Any, name: str, default: Any = MISSING, shown: str = "") -> Any:
        """Note and return the value that `read(owner, name, default)` returns: `dict.get` of a global, or `getattr`."""
        return self.watch(owner, name, shown or name, functools.partial(read, owner, name, default), operator.is_)

    def watch(self, owner: Any, name: str, shown: str, find: Callable[[], Any], same: Any = operator.eq) -> Any:
        """Note and return what a function finds of an object: a value by its name, or its whole content."""
        key = id(owner), name
        if key not in self._readings:
            self._readings[key] = shown, find, find(), same
        return self._readings[key][2]


class CodeIdentity:
    """The identity of some functions and values, and of all that they reach.

    Args:
        values: functions and values, by what they are used as.
        readings: what the caller has read to get them; what is read of them is added.

    Attributes:
        digest: 32 hexadecimal digits.
        opaque: whether they reach something whose meaning is unknown; then nothing made from them may be kept.
        readings: what was read; as long as nothing of it changes, they mean the same.
        is_fixed: whether numba keeps code that it has compiled of them, so that it would not see a change.
    """

    def __init__(self, values: Mapping[str, Any], readings: Readings | None = None) -> None:
        self.opaque = self.is_fixed = False
        self._digests: dict[int, tuple[Any, str]] = {}  # with each object: an id is unique only while that lives
        self._open: list[int] = []  # the objects being described
        self._used: set[Any] = set()  # what may extend numba: ids, modules, and methods with a dot before them
        self.readings = readings or Readings()
        lines = [f"{name} = {self.text(value, name)}" for name, value in sorted(values.items())]
        lines += sorted(self._extensions())
        if self.opaque:  # what is unknown may come from there
            reached = self._used & sys.modules.keys()
            lines += sorted(f"source {of_module(sys.modules[name]) or name}" for name in reached)
        self.digest = digest(*lines)

    def text(self, value: Any, name: str) -> str:
        """Return a value, which messages call by a name, as text with digests of functions and classes."""
        match value:
            case enum.Enum():
                return f"{type(value).__name__}.{value.name} {self.text(value.value, name)}"
            case int() if value.bit_length() > 64:  # Python refuses to write a very long one in decimal
                return f"{type(value).__name__} {value:#x}"
            case None | bool() | int() | float() | complex() | str() | bytes():
                return f"{type(value).__name__} {value!r}"
            case np.generic():
                return f"{dtype_text(value.dtype)} {value.tobytes().hex()}"
            case np.ndarray() if not value.dtype.hasobject:
                self.readings.watch(value, "", name, lambda: (value.dtype, value.shape, value.strides, value.tobytes()))
                items = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
                order = "" if value.flags.c_contiguous else f" {value.strides}"  # which a rule can read
                return f"array {dtype_text(value.dtype)} {value.shape} {items}{order}"
            case np.dtype():
                return dtype_text(value)
            case np.ufunc() if getattr(np, known := str(value.__name__), None) is value:
                return known
            case list() | set() | dict() | tuple() | frozenset():
                found = self.readings.watch(value, "", name, functools.partial(_items_of, value))
                texts = [self.text(item, name) for _, item in found]
                if isinstance(value, dict):
                    return f"dict {[*zip(texts[: len(value)], texts[len(value) :], strict=True)]}"
                if isinstance(value, set | frozenset):
                    return f"set {sorted(texts)}"
                return f"{' '.join((type(value).__name__, *getattr(value, '_fields', ())))} {texts}"
            case types.ModuleType() if is_trusted(value.__name__):
                return value.__name__
            case functools._lru_cache_wrapper() | staticmethod() | classmethod():
                return self._object(value.__wrapped__, name)
        definition = getattr(value, "_defn", None)  # of an intrinsic
        self.is_fixed |= definition is not None
        return self._object(definition or value, name)

    def _extensions(self) -> Iterator[str]:
        """Yield a line for each module that extends numba, as a whole: no name leads to what it adds."""
        extenders, known = self.readings.watch(_extenders, "", "numba's registry", _extenders), set[str]()
        # What these read may reach others.
        while found := {module_of(each) for use in self._used & extenders.keys() for each in extenders[use]} - known:
            known |= found
            for name in sorted(found):
                self.is_fixed = True
                # What numba has been taught may be of an earlier source than that of the module.
                yield digest(*(self.text(each, name) for each in filter(inspect.isfunction, extenders[name])))
                module: Any = sys.modules.get(name)
                try:
                    names = names_of(compile(inspect.getsource(module), "", "exec", dont_inherit=True))
                    yield digest(of_module(module), *self._names(names, vars(module)))
                except (OSError, SyntaxError, TypeError):  # nobody can tell what else it teaches
                    self.opaque = True

    def _object(self, value: Any, name: str) -> str:
        if id(value) in self._open:
            return f"circle {len(self._open) - self._open.index(id(value))}"
        if id(value) not in self._digests:
            self._open.append(id(value))
            self._digests[id(value)] = value, digest(*self._described(value, name))
            self._open.pop()
        return self._digests[id(value)][1]

    def _described(self, value: Any, name: str) -> Iterator[str]:
        kind = type(value)
        if kind.__module__.startswith("numba.") and kind.__name__ in ("CPUDispatcher", "CFunc", "DUFunc", "GUFunc"):
            yield from self._compiled_by_author(value, name)
        elif (numba := imported("numba")) and isinstance(value, numba.types.Type):
            yield f"type {value!r} {self.text(kind, name)}"
        elif kind.__module__.startswith("llvmlite."):
            yield f"{kind.__name__} {value!r}"
        elif is_trusted(module := module_of(value)) and (known := getattr(value, "__qualname__", "")):
            yield f"{module}.{known}"
        elif isinstance(value, types.MethodType):
            yield f"bound {self.text([value.__func__, value.__self__], name)}"
        elif isinstance(value, functools.partial):
            yield f"partial {self.text([value.func, value.args, value.keywords], name)}"
        elif isinstance(value, types.FunctionType) and value in LOWERED:  # its body is not compiled
            yield f"{module}.{value.__qualname__}"
            # That of a family; `of_compiler` has the others.
            yield of_file(Path(value.__code__.co_filename).with_name("lowering.py"))
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type):
            yield from self._class(value)
        else:
            self.opaque = True
            yield f"unknown {kind.__qualname__} {of_module(value)}"

    def _compiled_by_author(self, value: Any, name: str) -> Iterator[str]:
        self.is_fixed |= type(value).__name__ != "CPUDispatcher"  # else it compiles again what reads another value
        made = getattr(value, "_dispatcher", value)  # of a ufunc
        compiler = getattr(made, "_compiler", made)
        options = [*sorted(compiler.targetoptions.items()), *sorted(compiler.locals.items())]
        yield self.text([*options, getattr(compiler, "pipeline_class", None), compiler.py_func], name)
        # Arguments and results are converted to the types that are named. Otherwise there are only those met so far.
        met = getattr(value, "_can_compile", False) or not getattr(value, "_frozen", True)
        named = ("_sig", "signature", "identity", *(() if met else ("nopython_signatures", "types")))
        yield f"types {[str(getattr(value, each, '')) for each in named]}"

    def _function(self, function: types.FunctionType) -> Iterator[str]:
        names = names_of(function.__code__)
        self.opaque |= "__import__" in names
        own = function.__name__
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.readings.read(getattr, function, name, shown=own)
        yield f"function {syntax_of(function)}"
        if function in INLINED:
            yield "inlined"
        yield f"defaults {self.text(function.__defaults__, own)} {self.text(function.__kwdefaults__, own)}"
        for name, value in cells_of(function, self.readings.read):
            yield f"cell {name} = {self.text(value, name)}"
        yield from self._names(names, function.__globals__)
        methods = (f".{name}" for each in codes_of(function.__code__) for name in each.co_names)
        self._used |= {module_of(function), *methods}

    def _names(self, chains: Iterable[str], names: Mapping[str, Any]) -> Iterator[str]:
        """Yield what global names mean."""
        for chain in chains:
            (*owners, value), attributes = followed(chain, names, self.readings.read)
            if isinstance(value, types.ModuleType) and attributes:
                yield f"{chain} = {value.__name__}.{'.'.join(attributes)}"
                for attribute in attributes:
                    value = getattr(value, attribute, None)
            elif value is MISSING and not owners:
                value = vars(builtins).get(chain.partition(".")[0])
            else:
                yield f"{chain} = {self.text(value, chain)}"
            self._used.add(id(value))

    def _class(self, cls: type) -> Iterator[str]:
        own, fields = cls.__name__, getattr(cls, "_fields", ())
        yield f"class {own} {fields} {self.text(getattr(cls, '_field_defaults', {}), own)}"
        if issubclass(cls, enum.Enum):
            yield f"members {self.text(list(cls), own)}"
        for base in cls.__mro__:
            if is_trusted(base.__module__):
                yield f"{base.__module__}.{base.__qualname__}"
                continue
            for name, value in sorted(vars(base).items()):
                if not name.startswith("_") and name not in fields:
                    yield f"{base.__name__}.{name} = {self.text(getattr(value, 'fget', value), name)}"


def _items_of(value: Any) -> list[tuple[int, Any]]:
    """Return the items of a container, which are compared as objects; of a dict its keys, then its values."""
    return [(id(item), item) for item in ([*value, *value.values()] if isinstance(value, dict) else value)]


_extended_by: dict[tuple[int, ...], Mapping[Any, list[Any]]] = {}
"""What `_extenders` returns, by the sizes of numba's registries: to read all takes 3 ms."""


def _extenders() -> Mapping[Any, list[Any]]:
    """Return what extends numba from modules that may be imported and never named: by the id of what it defines or the
    name of a method, and by its module."""
    if not (numba := imported("numba")):
        return {}
    kinds, lowered = numba.core.typing.templates.builtin_registry, numba.core.imputils.builtin_registry
    registries = kinds.globals, kinds.attributes, lowered.functions, lowered.casts, lowered.constants
    sizes = tuple(map(len, registries))
    if sizes not in _extended_by:
        extended: list[Any] = [(f".{getattr(template, '_attr', '')}", template) for template in kinds.attributes]
        extended += [(id(value), each) for value, kind in kinds.globals for each in getattr(kind, "templates", ())]
        extended += [(id(value), function) for each in registries[2:] for function, value, *_ in each]
        found = defaultdict[Any, list[Any]](list)
        for place, extender in extended:
            extender = getattr(extender, "_overload_func", extender)
            module = module_of(extender)
            if not is_trusted(module) and not module.startswith("parsolve."):
                found[place].append(extender)
                found[module].append(extender)
        _extended_by[sizes] = found
    return _extended_by[sizes]
