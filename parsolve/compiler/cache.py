"""Compile functions when they are called, and keep them in the cache folder: an object file with a checksum for each.

A kernel that is kept is loaded without numba, because importing numba takes longer than a short search. An object file
is code that will run, so it is read only if `cachefolder` trusts it.
"""

import contextlib
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import cache, cached_property, partial
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from parsolve.compiler.arguments import Block, Kind, kind_of
from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.marks import Inner
from parsolve.compiler.objects import load, of_machine, result_of
from parsolve.compiler.syntax import digest, of_file
from parsolve.compiler.uncompiled import is_plain, runnable
from parsolve.errors import BadPuzzle, ParsolveError
from parsolve.system.cachefolder import delete_old, folder, read_sealed, warn_once, write_sealed


class Readying(threading.local):
    """How long this thread has loaded and compiled kernels, which no search counts as its own time.

    Attributes:
        total: seconds so far.
    """

    def __init__(self) -> None:
        self._depth = 0
        self.total = self._last = 0.0

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time of the body, which makes a kernel ready; calls may be nested."""
        begin = time.perf_counter()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.total += time.perf_counter() - begin

    def lap(self) -> float:
        """Return the seconds since the last call."""
        seconds, self._last = self.total - self._last, self.total
        return seconds


readying = Readying()


POLL = 0.05
"""Seconds between two looks whether to wait any longer for a kernel that is compiled."""

MAX_KERNELS = 2000
"""The most kernels in the folder, of 10 to 100 kB each; the least recently used are deleted first."""


class CompilationListener(Protocol):
    """Receives each kernel that is compiled; see `search.watch.Listener`."""

    def compilation_started(self, template: str) -> None: ...


_listener: ContextVar[CompilationListener | None] = ContextVar("listener", default=None)

compiling_check: ContextVar[Callable[[], None]] = ContextVar("compiling_check", default=lambda: None)
"""Called several times a second while this thread waits for a kernel; any exception it raises ends the waiting."""


@contextlib.contextmanager
def reporting_to(listener: CompilationListener, check: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Tell a listener of each kernel that is compiled for this thread in the body, which `check` may end."""
    tokens = _listener.set(listener), compiling_check.set(check)
    try:
        yield
    finally:
        _listener.reset(tokens[0])
        compiling_check.reset(tokens[1])


class DoesNotCompile(ParsolveError):
    """A kernel does not compile; the cause says why."""


class KernelRaised(ParsolveError):
    """A rule has raised an exception in compiled code; which one is unknown."""


class _Loaded(NamedTuple):
    """A kernel in this process: its C function, and the kind of its result."""

    entry: Any
    returns: Any


class _Compilation(threading.Thread):
    """Compiles a kernel on a thread of its own. If nobody waits for it any longer, it goes on, for the next call."""

    kernel: _Loaded
    error: BaseException | None = None

    def __init__(self, make: Callable[[], _Loaded]) -> None:
        super().__init__(name="compiler", daemon=True)
        self._make = make
        self.start()

    def run(self) -> None:
        try:
            self.kernel = self._make()
        except BaseException as error:
            self.error = error

    def result(self) -> _Loaded:
        """Wait for the kernel and return it, or raise why there is none."""
        check = compiling_check.get()
        while self.is_alive():
            self.join(POLL)
            check()
        if self.error is not None:
            raise self.error
        return self.kernel


class CompiledFunction:
    """A function that is loaded from the cache, or compiled, when it is called with arguments of new kinds.

    Args:
        function: a plain function.
        name: name of the template; the names of its files begin with it.
        helpers, check: see `kept`.
    """

    def __init__(self, function: Any, name: str, helpers: dict[Any, Any], check: Callable[[], None]) -> None:
        self.function = function
        self._name, self._helpers, self._check = name, helpers, check
        self._loaded: dict[tuple[Kind, ...], _Loaded] = {}
        self._compiling: dict[tuple[Kind, ...], _Compilation] = {}
        self._ready = threading.local()  # the kernel and block of the last call
        self._lock = threading.RLock()

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function.

        Raises:
            BadPuzzle: see `compiler.compile_object`.
            DoesNotCompile: numba refuses it.
            KernelRaised: it raises an exception.
            TypeError: compiled code cannot take an argument.
        """
        last: tuple[_Loaded, Block] | None = getattr(self._ready, "last", None)
        if last is None or not last[1].take(arguments):
            last = self._ready.last = self._prepared(arguments)
        kernel, block = last
        if kernel.entry(block.address):
            raise KernelRaised
        if kernel.returns == "int64":
            word = block.words[block.end]
            return word - (1 << 64) if word >> 63 else word
        return result_of(kernel.returns, iter(block.words[block.end :]))

    def ready(self, *arguments: Any) -> None:
        """Load or compile what a call with such arguments needs.

        Raises:
            BadPuzzle, DoesNotCompile, TypeError: see `__call__`.
        """
        self._prepared(arguments)

    def is_kept(self, *arguments: Any) -> bool:
        """Return whether a call with such arguments has nothing to compile."""
        kinds = tuple(map(kind_of, arguments))
        file = None if kinds in self._loaded else self._file(kinds)
        return kinds in self._loaded or (file is not None and file.is_file())

    def begin(self, *arguments: Any) -> bool:
        """Begin to compile what a call with such arguments needs; return whether the call need not wait for that."""
        kinds = tuple(map(kind_of, arguments))
        if kinds in self._loaded:
            return True
        found = self._compiling.get(kinds) or self._begun(kinds)
        return isinstance(found, _Loaded) or not found.is_alive()

    @cached_property
    def identity(self) -> CodeIdentity:
        """What the function does."""
        identity = CodeIdentity({"kernel": self.function})
        self._check()  # it may have been taken while something changed
        return identity

    def _prepared(self, arguments: Sequence[Any]) -> tuple[_Loaded, Block]:
        """Return the kernel for some arguments, and a block that holds them."""
        kinds = tuple(map(kind_of, arguments))
        kernel = self._loaded.get(kinds)
        if kernel is None:
            with readying.counted():
                kernel = self._load(kinds)
                self._check()  # afterwards: until then its functions are read
                self._loaded[kinds] = kernel
                self._compiling.pop(kinds, None)
        return kernel, Block(kinds, arguments, _words(kernel.returns))

    def _load(self, kinds: tuple[Kind, ...]) -> _Loaded:
        """Load a kernel, or compile it."""
        found = self._begun(kinds)
        return found if isinstance(found, _Loaded) else found.result()

    def _begun(self, kinds: tuple[Kind, ...]) -> "_Loaded | _Compilation":
        """Load a kernel, or begin to compile it."""
        with self._lock:
            compilation = self._compiling.get(kinds)
            if compilation is None or compilation.error:
                symbol, file = self._symbol(kinds), self._file(kinds)
                if (kernel := _read(file, symbol)) is not None:
                    return kernel
                if (listener := _listener.get()) is not None:
                    listener.compilation_started(self._name)
                compilation = _Compilation(partial(self._compiled, kinds, symbol, file))
                self._compiling[kinds] = compilation
        return compilation

    def _compiled(self, kinds: tuple[Kind, ...], symbol: str, file: Path | None) -> _Loaded:
        from parsolve.compiler.compiler import compile_object  # numba

        try:
            code, returns = compile_object(self.function, kinds, symbol, self._helpers, self._check)
        except (BadPuzzle, MemoryError):
            raise
        except Exception as error:
            if _is_out_of_memory(error):
                raise MemoryError(f"compiling {self._name}") from error
            raise DoesNotCompile(str(error)) from error
        if file is not None:
            try:
                head = {"symbol": symbol, "machine": of_machine(), "returns": returns}
                write_sealed(file, json.dumps(head).encode() + b"\n" + code)
                delete_old(file.parent, "*.kernel", MAX_KERNELS)
            except OSError as error:
                warn_once(
                    f"kernels are compiled each time, because they cannot be kept ({file.parent}:"
                    f" {error.strerror or error}): free space there, or set PARSOLVE_CACHE_DIR to another folder"
                )
        return _Loaded(load(code, symbol), returns)

    def _file(self, kinds: tuple[Kind, ...]) -> Path | None:
        """Return the file of a kernel; None without a folder to keep it in."""
        place = folder()
        return place / f"{self._name}-{self._symbol(kinds)}.kernel" if place and not self.identity.opaque else None

    def _symbol(self, kinds: tuple[Kind, ...]) -> str:
        """Return the name of the entry: kernels that do different things have different ones."""
        key = "\n".join((self.identity.digest, ", ".join(map(str, kinds)), of_machine(), of_compiler()))
        return f"{digest(key)}x{id(self):x}" if self.identity.opaque else digest(key)


@cache
def of_compiler() -> str:
    """Return what compiled code depends on besides its functions: Python, the libraries, numba's settings, and this
    package's compiler."""
    # `sysconfig` has the same, but not for a thread that asks while another one lets it begin.
    python = f"{sys.version_info[:3]} {EXTENSION_SUFFIXES[0]} {'with' if __debug__ else 'without'} asserts"
    spec = importlib.util.find_spec("numba")  # importlib.metadata takes 20 ms
    version = digest(Path(spec.origin).with_name("_version.py").read_text()) if spec and spec.origin else ""
    settings = [os.environ.get(name) for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK")]
    return f"{python} numba {version} {settings} numpy {np.__version__} {compiler_sources()}"


def compiler_sources() -> list[str]:
    """Return a digest of each file of this package that changes what is compiled."""
    here = Path(__file__).parent
    names = ("compiler", "codegen", "entry", "arguments", "objects")
    files = [*(here / f"{name}.py" for name in names), *sorted((here / "lowering").glob("*.py"))]
    return [syntax.digest for file in files if (syntax := of_file(file))]


def _read(file: Path | None, symbol: str) -> _Loaded | None:
    """Return a kernel that is kept; None if it is missing or damaged."""
    if file is None:
        return None
    try:
        head, _, code = read_sealed(file).partition(b"\n")
        found = json.loads(head)
        if (found["symbol"], found["machine"]) != (symbol, of_machine()):
            raise ValueError("it is for another kernel or machine")
        return _Loaded(load(code, symbol), found["returns"])
    except FileNotFoundError:
        pass
    except Exception as error:
        warn_once(f"a kernel in the cache cannot be used and is compiled again: {error}")
    return None


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether memory has run out: numba says it in errors of its own."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error is not None


def _words(returns: Any) -> int:
    """Return how many words the result of a kernel takes in a block."""
    match returns:
        case None:
            return 0
        case list():
            return sum(map(_words, returns))
        case dict():
            return 1 + int(returns["dimensions"])
    return 1


def inner(function: Any, inline: bool = False) -> Any:
    """Return a function for templates to call, see `Inner`; the plain function if nothing is compiled."""
    return function if is_plain() else Inner(function, inline)


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled and kept in the kernel cache: for lookups that take plain Python long to make.

    It is compiled on its first call with arguments of new kinds. It may return numbers, arrays, and tuples of them.
    """
    return kept(function, function.__name__, {})


def kept(
    function: Callable[..., Any], name: str, helpers: dict[Any, Any], check: Callable[[], None] = lambda: None
) -> Callable[..., Any]:
    """Return a function that is compiled when it is called, and kept in the cache by its identity; if numba is to
    compile nothing, the plain function, which is called in the same way.

    Args:
        function: a plain function.
        name: name of the template.
        helpers: the functions compiled so far for the same rules, so that each is compiled once; extended.
        check: raises an exception if what the function reads is not what the caller has identified.
    """
    return runnable(function) if is_plain() else CompiledFunction(function, name, helpers, check)
