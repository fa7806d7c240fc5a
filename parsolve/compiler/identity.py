"""Identify rules by what they do: no comment, name of a file or picture changes their identity.

It covers the syntax of the functions that the rules reach (through global names, `module.function`, closures, compiled
helpers and intrinsics) and the values of the globals, closure cells and defaults that they use. Kernels, pattern
databases and jobs of journals are kept under it.
"""

import builtins
import enum
import functools
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
import sysconfig
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.compiler.marks import INLINED, TAUGHT
from parsolve.compiler.syntax import IMPORT, codes_of, is_trusted, module_of, of_file, of_module, syntax_of
from parsolve.compiler.uncompiled import imported

MISSING: Any = object()
"""The value of a name that is not there."""

FIXED = "CFunc", "DUFunc", "GUFunc"
"""numba's classes of functions whose code it keeps: a change of what that reads does not reach it."""


class CodeIdentity:
    """The identity of some functions and values, and of all that they reach.

    Args:
        values: functions and values, by what they are used as.
        watched: what the caller has read to get them; see `_watch`.

    Attributes:
        digest: 32 hexadecimal digits.
        opaque: whether they reach something whose meaning is unknown; then nothing made from them may be kept.
        is_fixed: whether numba keeps code that it has compiled of them, so that it would not see a change.
    """

    def __init__(self, values: Mapping[str, Any], watched: Iterable[tuple[Callable[..., Any], Any, str]] = ()) -> None:
        self.opaque, self.is_fixed = False, False
        self._name = ""  # that is being looked at
        self._extending, self._teachers = _extending(), _teachers()
        self._digests: dict[int, tuple[Any, str]] = {}  # with each object: an id is unique only while that lives
        self._open: list[int] = []  # the objects being described
        self._modules: dict[str, Mapping[str, Any]] = {}  # those reached, with their names
        self._reads: dict[tuple[int, str], tuple[Callable[..., Any], Any, str, Any, str]] = {}
        self._contents: dict[int, tuple[Any, str, Any, Callable[[], Any]]] = {}
        self._watch_content(_teachers, "what numba was taught", _teachers)
        for each in watched:
            self._watch(*each)
        lines = [f"{name} = {self.text(value)}" for name, value in sorted(values.items())]
        lines += sorted(self._teaching())
        if self.opaque:  # what is unknown may come from there
            wholes = ((name, of_module(sys.modules[name])) for name in self._modules.keys() & sys.modules.keys())
            lines += sorted(f"source {whole.digest if whole else name}" for name, whole in wholes)
        self.digest = _digest(lines)

    @property
    def change(self) -> str:
        """The name of something that is not as it was read; empty if all is: then they mean the same."""
        for read, owner, name, value, shown in self._reads.values():
            if read(owner, name, MISSING) is not value:  # an equal one that is not the same counts as a change
                return shown
        for _, name, found, find in self._contents.values():
            if find() != found:
                return name
        return ""

    def _watch(self, read: Callable[..., Any], owner: Any, name: str, shown: str = "") -> Any:
        """Note and return the value that `read(owner, name, MISSING)` returns: `dict.get` of a global, or `getattr`."""
        key = id(owner), name  # the owner is kept, so its id is its own
        if key not in self._reads:
            self._reads[key] = read, owner, name, read(owner, name, MISSING), shown or name
        return self._reads[key][3]

    def _watch_content(self, owner: Any, name: str, find: Callable[[], Any]) -> None:
        """Note the content of a mutable object, which a function reads."""
        if id(owner) not in self._contents:
            self._contents[id(owner)] = owner, name, find(), find

    def text(self, value: Any) -> str:
        """Return a value as text, with digests of functions and classes."""
        match value:
            case enum.Enum():
                return f"{type(value).__name__}.{value.name} {self.text(value.value)}"
            case int() if value.bit_length() > 64:  # Python refuses to write a very long one in decimal
                return f"{type(value).__name__} {value:#x}"
            case None | bool() | int() | float() | complex() | str() | bytes():
                return f"{type(value).__name__} {value!r}"
            case np.generic():
                return f"{dtype_text(value.dtype)} {value.tobytes().hex()}"
            case np.ndarray() if not value.dtype.hasobject:
                self._watch_content(
                    value, self._name, lambda: (value.dtype, value.shape, value.strides, value.tobytes())
                )
                digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
                order = "" if value.flags.c_contiguous else f" {value.strides}"  # which a rule can read
                return f"array {dtype_text(value.dtype)} {value.shape} {digest}{order}"
            case np.dtype():
                return dtype_text(value)
            case np.ufunc() if getattr(np, name := str(value.__name__), None) is value:
                return name
            case list() | set() | dict() | tuple() | frozenset():
                if not isinstance(value, tuple | frozenset):
                    self._watch_content(value, self._name, partial(_items_of, value))
                return self._items(value)
            case types.ModuleType() if is_trusted(value.__name__):
                return value.__name__
            case functools._lru_cache_wrapper():
                return self._object(value.__wrapped__)
            case staticmethod() | classmethod():
                return self._object(value.__func__)
            case _:
                return self._object(getattr(value, "_defn", None) or value)  # the definition of an intrinsic

    def _items(self, value: Any) -> str:
        match value:
            case tuple() | list():
                kind = " ".join((type(value).__name__, *getattr(value, "_fields", ())))
                return f"{kind} {[self.text(item) for item in value]}"
            case dict():
                return f"dict {[(self.text(name), self.text(item)) for name, item in value.items()]}"
        return f"set {sorted(map(self.text, value))}"

    def _teaching(self) -> Iterator[str]:
        """Yield a line for each module that teaches numba something."""
        done: set[str] = set()
        while self._extending and (found := self._modules.keys() - done):  # what these read may reach others
            done |= found
            for module in sorted(found):
                names, syntax = self._modules[module], of_module(sys.modules.get(module))
                chains = syntax.names if syntax else tuple(names)
                if any(id(_meant(chain, names)) in self._extending for chain in chains):
                    self.is_fixed = True
                    self.opaque |= syntax is None
                    yield _digest([syntax.digest, *self._names(chains, names)] if syntax else [])

    def _object(self, value: Any) -> str:
        if id(value) in self._open:
            return f"circle {len(self._open) - self._open.index(id(value))}"
        if id(value) not in self._digests:
            self._open.append(id(value))
            self._digests[id(value)] = value, _digest(self._described(value))
            self._open.pop()
        return self._digests[id(value)][1]

    def _described(self, value: Any) -> Iterator[str]:
        kind = type(value)
        if kind.__module__.startswith("numba.") and kind.__name__ in ("CPUDispatcher", *FIXED):
            yield from self._compiled_by_author(value)
        elif (numba := imported("numba")) and isinstance(value, numba.types.Type):
            yield f"type {value!r} {self.text(kind)}"
        elif kind.__module__.startswith("llvmlite."):
            yield f"{kind.__name__} {value!r}"
        elif is_trusted(module := module_of(value)) and (name := getattr(value, "__qualname__", "")):
            yield f"{module}.{name}"
        elif isinstance(value, types.MethodType):
            yield f"bound {self.text([value.__func__, value.__self__])}"
        elif isinstance(value, partial):
            yield f"partial {self.text([value.func, value.args, value.keywords])}"
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, type):
            yield from self._class(value)
        else:
            self.opaque = True
            yield f"unknown {kind.__qualname__} {getattr(of_module(value), 'digest', '')}"

    def _compiled_by_author(self, value: Any) -> Iterator[str]:
        self.is_fixed |= type(value).__name__ in FIXED
        made = getattr(value, "_dispatcher", value)  # of a ufunc
        compiler = getattr(made, "_compiler", made)
        options = [*sorted(compiler.targetoptions.items()), *sorted(compiler.locals.items())]
        yield self.text([*options, getattr(compiler, "pipeline_class", None), compiler.py_func])
        # Arguments and results are converted to the types that are named. Otherwise there are only those met so far.
        met = getattr(value, "_can_compile", False) or not getattr(value, "_frozen", True)
        named = ("_sig", "signature", "identity", *(() if met else ("nopython_signatures", "types")))
        yield f"types {[str(getattr(value, name, '')) for name in named]}"

    def _function(self, function: types.FunctionType) -> Iterator[str]:
        if function in TAUGHT:  # its body is not compiled
            yield f"{function.__module__}.{function.__qualname__}"
            # That of a family; `of_compiler` has the others.
            lowering = of_file(Path(function.__code__.co_filename).with_name("lowering.py"))
            yield lowering.digest if lowering else ""
            return
        syntax = syntax_of(function)
        self.opaque |= IMPORT in syntax.names
        self._name = function.__name__
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self._watch(getattr, function, name, self._name)
        yield f"function {syntax.digest}"
        if function in INLINED:
            yield "inlined"
        yield f"defaults {self.text(function.__defaults__)} {self.text(function.__kwdefaults__)}"
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._name = name
            yield f"cell {name} = {self.text(self._watch(_content, cell, name))}"
        yield from self._names(syntax.names, function.__globals__)
        self._modules.setdefault(function.__module__, function.__globals__)
        self._look_at_teachers(*(name for each in codes_of(function.__code__) for name in each.co_names))

    def _names(self, chains: Iterable[str], names: Mapping[str, Any]) -> Iterator[str]:
        """Yield what global names mean, with their attributes as long as these are of modules and classes."""
        for chain in chains:
            self._look_at_teachers(id(_meant(chain, names)))
            name, *attributes = chain.split(".")
            value = self._watch(dict.get, names, name)
            if value is MISSING:  # a builtin
                continue
            self._name = chain
            while attributes and isinstance(value, types.ModuleType | type) and not is_trusted(module_of(value)):
                self._watch(getattr, value, attributes[0])
                value = inspect.getattr_static(value, attributes.pop(0), self)
            if isinstance(value, types.ModuleType) and attributes:
                yield f"{chain} = {value.__name__}.{'.'.join(attributes)}"
            else:
                yield f"{chain} = {self.text(value)}"

    def _look_at_teachers(self, *taught: Any) -> None:
        for teacher in (each for place in taught for each in self._teachers.get(place, ())):
            self._modules.setdefault(teacher.__module__, teacher.__globals__)

    def _class(self, cls: type) -> Iterator[str]:
        fields = getattr(cls, "_fields", ())
        yield f"class {cls.__name__} {fields} {self.text(getattr(cls, '_field_defaults', {}))}"
        if issubclass(cls, enum.Enum):
            yield f"members {self.text(list(cls))}"
        for base in cls.__mro__:
            if is_trusted(base.__module__):
                yield f"{base.__module__}.{base.__qualname__}"
                continue
            for name, value in sorted(vars(base).items()):
                if not name.startswith("_") and name not in fields:
                    yield f"{base.__name__}.{name} = {self.text(getattr(value, 'fget', value))}"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _content(cell: Any, _name: str, default: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return default


def _items_of(value: Any) -> list[Any]:
    """Return the items of a container, which are compared as objects."""
    items = [*value, *value.values()] if isinstance(value, dict) else [*value]
    return [*zip(map(id, items), items, strict=True)]


def _meant(chain: str, names: Mapping[str, Any]) -> Any:
    """Return what a name with attributes means; None if it is unknown."""
    name, *attributes = chain.split(".")
    value: Any = names[name] if name in names else vars(builtins).get(name)
    for attribute in attributes:
        value = getattr(value, attribute, None) if isinstance(value, types.ModuleType) else None
    return value


def dtype_text(dtype: "np.dtype[Any]") -> str:
    """Return a dtype as text, with the names, offsets and dtypes of its fields."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{shape} of {dtype_text(base)}"
    if dtype.names is None:
        return dtype.str
    fields = ((name, dtype.fields[name][1], dtype_text(dtype[name])) for name in dtype.names)  # type: ignore[index]
    return f"record {dtype.itemsize} {list(fields)}"


def _extending() -> set[int]:
    """Return the ids of the functions of `numba.extending`. What they teach numba cannot be found by name, so a module
    that uses one is taken as a whole."""
    functions = vars(imported("numba.extending")).values() if imported("numba") else ()
    return {id(each) for each in functions if callable(each) and not isinstance(each, type)}


def _teachers() -> Mapping[Any, list[types.FunctionType]]:
    """Return the functions that teach numba others, by the id of what they teach or by the name of a method.

    They may be in a module that is imported but never named.
    """
    if not (numba := imported("numba")):
        return {}
    kinds = numba.core.typing.templates.builtin_registry
    lowered = numba.core.imputils.builtin_registry.functions
    return _taught_by(len(kinds.globals), len(kinds.attributes), len(lowered))


@functools.cache
def _taught_by(*sizes: int) -> Mapping[Any, list[types.FunctionType]]:
    """Return them; cached by the sizes of numba's registries, because reading all takes 3 ms."""
    numba = imported("numba").core
    kinds = numba.typing.templates.builtin_registry
    taught: list[tuple[Any, Any]] = [
        (id(value), getattr(template, "_overload_func", None))
        for value, kind in kinds.globals
        for template in getattr(kind, "templates", ())
    ]
    taught += [(getattr(each, "_attr", ""), getattr(each, "_overload_func", None)) for each in kinds.attributes]
    taught += [(id(value), function) for function, value, _ in numba.imputils.builtin_registry.functions]
    found = defaultdict(list)
    for place, function in taught:
        if isinstance(function, types.FunctionType):
            module = module_of(function)
            if not is_trusted(module) and not module.startswith("parsolve."):
                found[place].append(function)
    return found


def of_compiler() -> str:
    """Return what compiled code depends on besides its functions: Python, the libraries, numba's settings, and this
    package's compiler."""
    tag = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    python = f"{sys.version_info[:3]} {tag} {'with' if __debug__ else 'without'} asserts"
    return f"{python} numba {_numba_version()} {_settings()} numpy {np.__version__} {compiler_sources()}"


@functools.cache
def compiler_sources() -> list[str]:
    """Return a digest of each file of this package that changes what is compiled."""
    here = Path(__file__).parent
    names = ("compiler", "codegen", "entry", "arguments", "objects")
    files = [*(here / f"{name}.py" for name in names), *sorted((here / "lowering").glob("*.py"))]
    return [syntax.digest for file in files if (syntax := of_file(file))]


@functools.cache
def _numba_version() -> str:
    """Return a digest of the file with numba's version. numba need not be imported; importlib.metadata takes 20 ms."""
    spec = importlib.util.find_spec("numba")
    return _digest([Path(spec.origin).with_name("_version.py").read_text()] if spec and spec.origin else [])


def _settings() -> str:
    """Return the settings of numba that change what it compiles. It reads them from the environment and from a file."""
    named = {"NUMBA_OPT", "NUMBA_BOUNDSCHECK"} & os.environ.keys()
    if imported("numba") or named or os.path.exists(".numba_config.yaml"):
        config = importlib.import_module("numba").config
        return f"optimized {int(config.OPT)} bounds checked {config.BOUNDSCHECK}"
    return "optimized 3 bounds checked None"
