"""The certificate of a search in parts: a text of JSON lines, which a program of another kind can check.

header                   puzzle, parameters, identity, versions, machines
one line a limit         the nodes above its units
one line a unit          its moves and the state that they lead to, its solutions and nodes
sums                     of each limit, the answer, and a seal
"""

import contextlib
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from parsolve import __version__
from parsolve.certify.merge import Merged, Merging
from parsolve.deepening.units import Unit, Units
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.system.files import replaced

VERSION = 1
"""The version of the format."""

LONGEST = 1 << 24
"""Maximum number of bytes of a line."""


def write_certificate(path: Path, merging: Merging, merged: Merged, problem: Problem) -> None:
    """Write the certificate of a search; with gzip if its name ends with `.gz`.

    Raises:
        BadInput: the file cannot be written, or the journals do not fit the tree.
    """
    seal = hashlib.sha256()
    with replaced(path) as plain, _writer(plain, path) as file:
        for record in _records(merging, merged, problem):
            line = _line(record)
            seal.update(line)
            file.write(line)
        file.write(_line(sums_of(merged) | {"seal": seal.hexdigest()}))


def read_certificate(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the records of a certificate, each with the seal of the lines before it.

    Raises:
        BadInput: the file cannot be read, or is none of JSON lines.
    """
    seal, number = hashlib.sha256(), 0
    try:
        with _reader(path) as file:
            while line := file.readline(LONGEST):
                number += 1
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError("a line is an object")
                yield record, seal.hexdigest()
                seal.update(line)
    except (ValueError, EOFError, gzip.BadGzipFile, RecursionError) as error:
        raise BadInput(f"{path} is not a certificate: line {number}: {error}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def sums_of(merged: Merged) -> dict[str, Any]:
    """Return the sums of a certificate."""
    sums = [{"limit": each.limit, "solutions": each.solutions, "nodes": each.nodes} for each in merged.iterations]
    return {"sums": sums, "cost": merged.cost, "count": merged.count}


def record_of(unit: Unit, limit: int, problem: Problem) -> dict[str, Any]:
    """Return the record of a unit, without its solutions and nodes."""
    state = {name: unit.state[name].tolist() for name in problem.declared.names}
    return {"limit": limit, "part": unit.part, "moves": [*unit.branch.order], "state": state}


def _records(merging: Merging, merged: Merged, problem: Problem) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a certificate, except for the sums."""
    job = merging.job
    yield {
        "certificate": VERSION,
        "puzzle": job.source.rpartition("/")[2],
        "parameters": job.parameters,
        "want": job.want,
        "slack": job.slack,
        "parts": merging.of,
        "rules": job.rules,
        "data": job.data,
        "parsolve": __version__,
        "machines": [*merging.machines.values()],
    }
    for iteration in merged.iterations:
        units = Units(problem, iteration.limit, merging.of)
        every = units.of_parts(1, merging.of)
        cut = merging.is_cut(iteration.limit, problem)
        yield {"limit": iteration.limit, "above": units.above, "units": len(every), "cut": cut}
        numbers = _numbers(merging, iteration.limit)
        for unit in every:
            given = next(numbers[unit.part], None)
            if given is None:
                raise BadInput(f"the journals lack a unit of part {unit.part} within the limit {iteration.limit}")
            yield record_of(unit, iteration.limit, problem) | {"solutions": given[1], "nodes": given[0]}
        for part, rest in numbers.items():
            if next(rest, None) is not None:
                raise BadInput(f"the journals have too many units of part {part} within the limit {iteration.limit}")


def _numbers(merging: Merging, limit: int) -> dict[int, Iterator[tuple[int, int]]]:
    """Return the nodes and weights of the units of each part, in depth-first order."""
    numbers: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for tally in merging.tallies:
        if tally.limit == limit:
            new = set(tally.parts) - numbers.keys()  # two journals may have the same part
            for part, nodes, weight in zip(tally.parts, tally.nodes, tally.weights, strict=True):
                if part in new:
                    numbers[part].append((nodes, weight))
    return defaultdict(lambda: iter(()), {part: iter(each) for part, each in numbers.items()})


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _writer(file: IO[bytes], path: Path) -> "contextlib.AbstractContextManager[IO[bytes]]":
    """Return what writes into a file, through gzip if its path says so; the same text gives the same bytes."""
    if path.suffix != ".gz":
        return contextlib.nullcontext(file)
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)  # type: ignore[return-value]


def _reader(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
