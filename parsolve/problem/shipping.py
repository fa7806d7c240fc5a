"""A user's puzzle file on another machine: it travels, and is written once into that user's cache folder there.

A puzzle of a package is named, not shipped: the package must be installed on each machine.
"""

import ast
import contextlib
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from parsolve.errors import ParsolveError
from parsolve.problem.registry import Spec
from parsolve.system import cachefolder
from parsolve.system.userfiles import read_plain

FOLDER = "puzzles"
"""Its folder in the cache folder."""


@dataclass(frozen=True)
class PuzzleFile:
    """A puzzle's file as plain data.

    Attributes:
        name: the file's name.
        contents: by name, the file's bytes and those of the files beside it that it imports.
    """

    name: str
    contents: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """Its digest: 32 hexadecimal digits."""
        return hashlib.sha256(repr((self.name, self.contents)).encode()).hexdigest()[:32]


def puzzle_file_of(spec: Spec) -> PuzzleFile | None:
    """Return the file of a puzzle; None if it is in a package.

    Raises:
        BadInput: it can no longer be read.
    """
    place = spec.source.rpartition(":")[0]
    if not place.endswith(".py"):
        return None
    path = Path(place).resolve()
    contents: dict[str, bytes] = {}
    _read(path, contents)
    return PuzzleFile(path.name, tuple(contents.items()))


def install(file: PuzzleFile, spec: Spec) -> Spec:
    """Write a puzzle's file into the cache folder, unless present, and return the spec for loading it from there.

    Raises:
        ParsolveError: no cache folder can be written and trusted.
    """
    base = cachefolder.folder()
    if base is None:
        raise ParsolveError("a puzzle's file cannot be kept: set PARSOLVE_CACHE_DIR to a folder that can be written")
    folder = base / FOLDER / file.digest
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, data in file.contents:
        with contextlib.suppress(OSError, cachefolder.Untrusted):
            if cachefolder.read_own(folder / name) == data:
                continue
        cachefolder.write_whole(folder / name, [data])
    return replace(spec, source=f"{folder / file.name}:{spec.source.rpartition(':')[2]}")


def _read(path: Path, contents: dict[str, bytes]) -> None:
    """Add the bytes of a file, and of the files beside it that it imports."""
    data = contents[path.name] = read_plain(path, "puzzle file")
    for node in ast.walk(ast.parse(data)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for module in modules:
            beside = path.with_name(f"{module.partition('.')[0]}.py")
            if beside.name not in contents and beside.is_file():
                _read(beside, contents)
