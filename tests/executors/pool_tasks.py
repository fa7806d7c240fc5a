"""Tasks for tests of the pool: importable by workers."""

import ctypes


def hold_interpreter_lock(seconds: int) -> None:
    """Sleep in C code without releasing the interpreter lock."""
    ctypes.PyDLL(None).sleep(seconds)


class Unreadable:
    """It can be pickled, and its bytes mean nothing."""

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("nothing",)
