"""Compile functions when they are called, and keep them in the cache folder.

A kernel that is kept is loaded without numba, because importing numba takes longer than a short search.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cached_property, partial
from typing import Any

from parsolve.compiler.arguments import ArgumentBlock, Kind, kind_of
from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.kernelfile import Kernel, KernelFile
from parsolve.compiler.marks import Inner
from parsolve.compiler.uncompiled import is_plain, runnable
from parsolve.compiler.waiting import compilation_started, compiling_check, kernel_time
from parsolve.errors import BadPuzzle, ParsolveError

POLL = 0.05
"""Seconds between two looks whether to wait any longer for a kernel that is compiled."""


class DoesNotCompile(ParsolveError):
    """A kernel does not compile; the cause says why."""


class KernelRaised(ParsolveError):
    """A rule has raised an exception in compiled code; which one is unknown."""


def _begun(make: Callable[[], Kernel]) -> "Future[Kernel]":
    """Make a kernel on a thread of its own. If nobody waits for it any longer, it goes on, for the next call."""
    future: Future[Kernel] = Future()

    def run() -> None:
        try:
            future.set_result(make())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="compiler", daemon=True).start()
    return future


class CompiledFunction:
    """A function that is loaded from the cache, or compiled, when it is called with arguments of new kinds.

    Args:
        function: a plain function.
        name: name of the template; the names of its files begin with it.
        helpers, check: see `compiled`.
    """

    def __init__(self, function: Any, name: str, helpers: dict[Any, Any], check: Callable[[], None]) -> None:
        self.function = function
        self._name, self._helpers, self._check = name, helpers, check
        self._kernels: dict[tuple[Kind, ...], Future[Kernel]] = {}
        self._threads = threading.local()  # the kernel and the arguments of each one's last call
        self._lock = threading.RLock()

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function.

        Raises:
            BadPuzzle: see `compiler.compile_object`; or what it reads has changed since its first call.
            DoesNotCompile: numba refuses it.
            KernelRaised: it raises an exception.
            TypeError: compiled code cannot take an argument.
        """
        last = getattr(self._threads, "last", None)
        if last is None or not last[1].take(arguments):
            last = self._threads.last = self._prepared(arguments)
        kernel, block = last
        if kernel.entry(block.address):
            raise KernelRaised
        return block.result()

    def ready(self, *arguments: Any) -> None:
        """Load or compile what a call with such arguments needs; see `__call__` for the errors."""
        self._prepared(arguments)

    def is_kept(self, *arguments: Any) -> bool:
        """Return whether a call with such arguments has nothing to compile."""
        kinds = tuple(map(kind_of, arguments))
        if (future := self._kernels.get(kinds)) is not None and future.done():
            return True
        path = self._file(kinds).path
        return path is not None and path.is_file()

    def begin(self, *arguments: Any) -> bool:
        """Begin to compile what a call with such arguments needs; return whether the call need not wait for that."""
        kinds = tuple(map(kind_of, arguments))
        return (self._kernels.get(kinds) or self._load(kinds)).done()

    @cached_property
    def identity(self) -> CodeIdentity:
        """What the function does."""
        identity = CodeIdentity({"kernel": self.function})
        self._check()  # it may have been taken while something changed
        return identity

    def _prepared(self, arguments: Sequence[Any]) -> tuple[Kernel, ArgumentBlock]:
        """Return the kernel for some arguments, and a block that holds them."""
        kinds = tuple(map(kind_of, arguments))
        with kernel_time.counted():
            future, check = self._load(kinds), compiling_check.get()
            while not future.done():
                wait([future], POLL)
                check()
            kernel = future.result()
        return kernel, ArgumentBlock(kinds, arguments, kernel.returns)

    def _load(self, kinds: tuple[Kind, ...]) -> "Future[Kernel]":
        """Load a kernel, or begin to compile it, unless that has been done; what did not compile is tried again."""
        with self._lock:
            future = self._kernels.get(kinds)
            if future is None or (future.done() and future.exception()):
                file = self._file(kinds)
                if (kernel := file.read()) is not None:
                    self._require_unchanged()
                    future = Future()
                    future.set_result(kernel)
                else:
                    compilation_started.get()(self._name)
                    future = _begun(partial(self._compiled, kinds, file))
                self._kernels[kinds] = future
        return future

    def _compiled(self, kinds: tuple[Kind, ...], file: KernelFile) -> Kernel:
        from parsolve.compiler.compiler import compile_object  # numba

        try:
            code, returns = compile_object(self.function, kinds, file.symbol, self._helpers, self._require_unchanged)
        except (BadPuzzle, MemoryError):
            raise
        except Exception as error:
            if _is_out_of_memory(error):
                raise MemoryError(f"compiling {self._name}") from error
            raise DoesNotCompile(str(error)) from error
        return file.keep(code, returns)

    def _require_unchanged(self) -> None:
        """Require that the function has kept its meaning since it was identified; see `__call__`."""
        self._check()
        name = self.identity.readings.change
        if name and CodeIdentity({"kernel": self.function}).digest != self.identity.digest:
            raise BadPuzzle(
                f"{name}, which {self._name!r} reads, has changed since its first call: pass it as an argument"
            )

    def _file(self, kinds: tuple[Kind, ...]) -> KernelFile:
        return KernelFile.of(self._name, self.identity, kinds)


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether memory has run out: numba says it in errors of its own."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error is not None


def inner(function: Any, inline: bool = False) -> Any:
    """Return a function for templates to call, see `Inner`; the plain function if nothing is compiled."""
    return function if is_plain() else Inner(function, inline)


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is compiled and kept in the kernel cache: for lookups that take plain Python long to make.

    It is compiled on its first call with arguments of new kinds. It may return numbers, arrays, and tuples of them.
    """
    return compiled(function, function.__name__, {})


def compiled(
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
