"""A user's puzzle file on another machine: its text travels, and is written once into that user's cache folder there.

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
from parsolve.system.files import read_plain

FOLDER = "puzzles"
"""Its folder in the cache folder."""


@dataclass(frozen=True)
class PuzzleFile:
    """A puzzle's file as plain data.

    Attributes:
        name: the file's name.
        texts: by name, the file's text and those of the files beside it that it imports.
    """

    name: str
    texts: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        """Its digest: 32 hexadecimal digits."""
        return hashlib.sha256(repr((self.name, self.texts)).encode()).hexdigest()[:32]


def puzzle_file_of(spec: Spec) -> PuzzleFile | None:
    """Return the file of a puzzle; None if it is in a package.

    Raises:
        BadInput: it can no longer be read.
    """
    place = spec.source.rpartition(":")[0]
    if not place.endswith(".py"):
        return None
    path = Path(place).resolve()
    texts: dict[str, str] = {}
    _read(path, texts)
    return PuzzleFile(path.name, tuple(texts.items()))


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
    for name, text in file.texts:
        data = text.encode()
        with contextlib.suppress(OSError, cachefolder.Untrusted):
            if cachefolder.read_own(folder / name) == data:
                continue
        cachefolder.write_whole(folder / name, [data])
    return replace(spec, source=f"{folder / file.name}:{spec.source.rpartition(':')[2]}")


def _read(path: Path, texts: dict[str, str]) -> None:
    """Add the text of a file, and of the files beside it that it imports."""
    text = texts[path.name] = read_plain(path, "puzzle file").decode()
    for node in ast.walk(ast.parse(text)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for module in modules:
            beside = path.with_name(f"{module.partition('.')[0]}.py")
            if beside.name not in texts and beside.is_file():
                _read(beside, texts)
