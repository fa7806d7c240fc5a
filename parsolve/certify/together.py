"""Together: one journal with the jobs of many, for a search in parts."""

from collections.abc import Iterable
from pathlib import Path

from parsolve.certify.merge import Source
from parsolve.errors import BadInput
from parsolve.journal.copies import copy_job
from parsolve.journal.journal import Journal
from parsolve.search.part import Part


def write_together(path: Path, sources: Iterable[Source]) -> None:
    """Write a journal with a job for each source, named by its puzzle and its parts. Of several for the same parts the
    one that is done is taken, or else the one that has visited most nodes.

    Raises:
        BadInput: there is something at the path, or it cannot be written.
    """
    if path.exists():
        raise BadInput(f"{path} is there already: name a new file")
    chosen: dict[Part, Source] = {}
    for source in sources:
        other = chosen.get(source.part)
        if other is None or _rank(source) > _rank(other):
            chosen[source.part] = source
    with Journal(path) as journal, journal.writing() as write:
        for part in sorted(chosen):
            source = chosen[part]
            with Journal(source.path, reading=True) as theirs, theirs.snapshot() as read:
                job = theirs.job(source.name)
                if job is None:
                    raise BadInput(f"{source.path} has no job {source.name!r} any more")
                theirs.verify(job)
                copy_job(read, job.id, write, f"{job.own_name} {part}")


def _rank(source: Source) -> tuple[bool, int]:
    return source.state == "done", source.nodes
