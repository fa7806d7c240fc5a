"""Job files: TOML that says which puzzles to search.

`[defaults]` and each `[[job]]` hold the puzzles' own parameters and the search's options. A parameter that is a list of
values makes one job for each value; `file` names a CSV with one job a row.
"""

import io
import itertools
import math
import re
import tomllib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from parsolve.batch.csv_files import Row, Rows, Takers, short_lines, takers
from parsolve.errors import BadInput, BadPuzzle, ParsolveError
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct, load_class, presets_of
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import coerce, family, is_path, parameters_of, text_of
from parsolve.search.choice import engine_for
from parsolve.search.request import Request
from parsolve.system.activity import current as activity
from parsolve.system.userfiles import MOST_BYTES, read_plain
from parsolve.text import nearest, shown, similar


@dataclass(frozen=True)
class Draft:
    """A job as a job file names it, before its puzzle is made.

    Attributes:
        name: different for each.
        source: the puzzle as the file names it.
        request: how to search it.
        notes: the columns of its row that are not parameters.
    """

    name: str
    source: str
    request: Request
    notes: dict[str, str]

    def failed(self, failure: ParsolveError, is_whole: bool = False) -> "FailedJob":
        """Return it as a job that cannot be searched."""
        return FailedJob(self.name, self.source, self.request, self.notes, failure, is_whole)


@dataclass(frozen=True)
class FileJob(Draft):
    """A job with its puzzle."""

    puzzle: Puzzle


@dataclass(frozen=True)
class FailedJob(Draft):
    """A job that cannot be searched, and why; `is_whole`: it stands for all of its [[job]], which are not known."""

    failure: ParsolveError
    is_whole: bool


ListedJob = FileJob | FailedJob

BeginClock = Callable[[float | None], None]
"""Lets the time of a job begin: these seconds, or none, without an end."""

OWN = ("name", "puzzle", "file", "rename")
"""The keys of a job besides the puzzle's parameters and the search's."""

SETTINGS = tuple(each.name for each in fields(Request) if each.metadata["in_jobs"])
"""The keys that say how to search."""

MOST_JOBS = 100_000

LONGEST = 1 << 20
"""Maximum number of bytes of a job file: larger numbers of jobs should be rows of a CSV file."""

MOST_PARTS = 200
"""Maximum number of parts of a key between dots: the time to read a key grows with their square."""

_KEYS = re.compile(r"(?:[^.,=\[\]{}\n]++\.)++|[^.,=\[\]{}\n]++")
"""All valid keys."""


def read(
    path: Path,
    earlier: Mapping[str, ParsolveError] | None = None,
    settings: Mapping[str, Any] | None = None,
    begin_clock: BeginClock = lambda timeout: None,
) -> list[ListedJob]:
    """Return the jobs of a file, in order, also those whose puzzle's own code fails.

    Args:
        path: path of the file.
        earlier: how the code of jobs has ended an earlier process, by name. Their puzzles are not loaded again.
        settings: for all jobs, such as `workers`, whatever the file says.
        begin_clock: called with the timeout of each job before its puzzle is made, and with None afterwards.

    Raises:
        BadInput: the file cannot be read, or a job in it is invalid; says which.
    """
    data = _parsed(path)
    for key in data:
        if key not in ("defaults", "job"):
            raise BadInput(f"{path}: there is no {key!r} in a job file; there are [defaults] and [[job]]")
    defaults, jobs = data.get("defaults", {}), data.get("job", [])
    if not isinstance(defaults, dict) or not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise BadInput(f"{path}: [defaults] is one table, [[job]] a list of them")
    found: dict[str, ListedJob] = {}
    earlier = earlier or {}
    for number, job in enumerate(jobs, 1):
        label = f"{path}, job {job['name'] if isinstance(job.get('name'), str) else number}"
        try:
            for each in _jobs(defaults | job | dict(settings or {}), job, path.parent, earlier, begin_clock):
                if each.name in found:
                    raise BadInput(f"there are two jobs named {each.name!r}")
                is_fatal = isinstance(each, FileJob) and each.name in earlier
                found[each.name] = each.failed(earlier[each.name]) if is_fatal else each
                if len(found) > MOST_JOBS:
                    raise BadInput(f"there are more than {MOST_JOBS:,} jobs")
        except BadInput as why:
            raise BadInput(f"{label}: {why}") from None
    if not found:
        raise BadInput(f"{path}: there are no jobs in it")
    return list(found.values())


def _parsed(path: Path) -> dict[str, Any]:
    data = read_plain(path, "job file")
    if len(data) > LONGEST:
        raise BadInput(f"{path} has more than {LONGEST >> 10:,} kB: a job may name a CSV `file` with one job a row")
    try:
        text = data.decode()
        if any(key.count(".") > MOST_PARTS for key in _KEYS.findall(text)):
            raise BadInput(f"{path}: a key in it has more than {MOST_PARTS} parts")
        return tomllib.loads(text)
    except RecursionError:
        raise BadInput(f"{path}: something in it is nested too deeply") from None
    except BadInput:
        raise
    except ValueError as error:  # not TOML, not UTF-8, or a number of too many digits
        raise BadInput(f"{path} is not TOML: {error}; `parsolve run --help` shows a job file") from None


def _jobs(
    job: dict[str, Any], own: Container[str], folder: Path, earlier: Mapping[str, ParsolveError], begin: BeginClock
) -> list[ListedJob]:
    """Return the jobs of one [[job]] of the file, which has keys of its own, also if the puzzle's own code fails."""
    request = Request.of(**{key: job[key] for key in SETTINGS if key in job})
    source = _source(job, folder)
    name = job.get("name", source.rpartition(":")[2])
    draft = Draft(name, source, request, {})
    activity.job = name
    begin(request.timeout)
    try:
        if name in earlier:
            return [draft.failed(earlier[name], is_whole=True)]
        return [*_expanded(job, own, draft, folder)]
    except BadPuzzle as failure:
        return [draft.failed(failure, is_whole=True)]
    finally:
        activity.job = ""
        begin(None)


def _source(job: dict[str, Any], folder: Path) -> str:
    """Return the puzzle that a job names, and check its other texts."""
    if "puzzle" not in job:
        near = similar("puzzle", job)
        raise BadInput(f"there is no {near[0]!r}; did you mean puzzle?" if near else "`puzzle` is missing")
    for key in ("puzzle", "name"):
        _require_text(job, key)
    source: str = job["puzzle"]
    return str(folder / source) if ".py" in source else source  # an absolute path stays


def _require_text(job: dict[str, Any], key: str) -> None:
    if key in job and not (isinstance(job[key], str) and job[key].isprintable() and job[key].strip()):
        raise BadInput(f"{key} is a text, not {shown(job[key])}")


def _expanded(job: dict[str, Any], own: Container[str], draft: Draft, folder: Path) -> Iterator[ListedJob]:
    """Yield a job for each combination of the values that are lists, and for each row of its table."""
    cls, presets = load_class(draft.source), presets_of(draft.source)
    known = [row.name for row in parameters_of(cls)]
    for key in job:
        if key not in (*OWN, *SETTINGS, *known):
            raise BadInput(f"there is no {key!r}{nearest(key, [*known, *SETTINGS, *OWN])}")
    given = {key: value for key, value in job.items() if key in known}
    lists = _lists(cls, presets, given)
    table: list[Row] | None = None
    if "file" in job and "file" not in known:
        first = presets | coerce(cls, given | {key: given[key][0] for key in lists}, folder)
        rows = _rows(cls, job, folder, partial(takers, cls, first, given))
        if twice := [key for key in rows.header.given if key in own]:
            raise BadInput(f"{twice[0]} is given, and {job['file']} has a column for it: leave out one of them")
        given = {key: value for key, value in given.items() if key not in rows.header.given}  # the rest are defaults
        lists = [key for key in lists if key in given]
        table = [*itertools.islice(rows, MOST_JOBS + 1)]
    elif "rename" in job:
        raise BadInput("`rename` is for the columns of a `file`, which is missing")
    if math.prod(len(given[key]) for key in lists) * max(1, len(table or [])) > MOST_JOBS:
        raise BadInput(f"its lists and rows make more than {MOST_JOBS:,} jobs")
    files = [row.name for row in parameters_of(cls) if row.text_file]  # names use the path, not the text
    for values in itertools.product(*(given[key] for key in lists)):
        one = given | dict(zip(lists, values, strict=True))
        chosen = presets | coerce(cls, one, folder)
        paths = {key: one[key] for key in files if isinstance(one.get(key), str) and is_path(one[key], key)}
        varied = "-".join([draft.name, *(str((one if key in files else chosen)[key]) for key in lists)])
        of_values = replace(draft, name=varied)
        if table is None:
            yield _made(of_values, cls, chosen, paths)
        else:
            yield from _of_rows(table, of_values, cls, chosen, paths, folder)


def _lists(cls: type[Puzzle], presets: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Return the parameters with a list of values, one for each of several jobs. A list may be one text, such as the
    cells or rows of a board: then the puzzle takes all of it, and not its first element alone."""
    lists = [key for key, value in given.items() if isinstance(value, list)]
    for key in lists:
        if not given[key]:
            raise BadInput(f"the list {key} is empty")
    first = {**presets, **given, **{key: given[key][0] for key in lists}}

    def fits(key: str, value: Any) -> bool:
        try:
            construct(cls, {**first, key: value})
        except BadInput:
            return False
        return True

    rows = parameters_of(cls)
    texts = [row.name for row in rows if row.kind is str and row.choices is None and not row.text_file]
    boards = [key for key in lists if key in texts and not fits(key, given[key][0]) and fits(key, given[key])]
    return [key for key in lists if key not in boards]


def _of_rows(
    table: list[Row], draft: Draft, cls: type[Puzzle], chosen: dict[str, Any], paths: dict[str, str], folder: Path
) -> list[ListedJob]:
    """Return a job for each row of a table, also for those that are wrong, unless all are."""
    jobs: list[ListedJob] = []
    is_first = True
    for row in table:
        of_row = replace(draft, name=f"{draft.name}-{row.label}", notes=row.notes)
        try:
            if row.error:
                raise BadInput(row.error)
            job = _made(of_row, cls, chosen | coerce(cls, row.parameters, folder), paths, is_first)
        except BadInput as error:
            job = of_row.failed(BadInput(f"{row.place}: {error}"))
        is_first = is_first and isinstance(job, FailedJob)
        jobs.append(job)
    wrong = [job.failure for job in jobs if isinstance(job, FailedJob) and not isinstance(job.failure, BadPuzzle)]
    if len(wrong) == len(jobs):
        raise wrong[0]
    return jobs


def _made(
    draft: Draft, cls: type[Puzzle], parameters: dict[str, Any], paths: Mapping[str, str], is_first: bool = True
) -> ListedJob:
    """Return a job with its puzzle; in a file of rows, only the first is compared with what its engine can search."""
    if not draft.name.isprintable():
        raise BadInput(f"the name {shown(draft.name)} has control characters")
    try:
        puzzle = _constructed(cls, parameters, paths)
        if is_first:
            engine_for(Problem(puzzle, draft.request.want), draft.request)
    except BadPuzzle as failure:
        return draft.failed(failure)
    return FileJob(draft.name, draft.source, draft.request, draft.notes, puzzle)


def _constructed(cls: type[Puzzle], parameters: dict[str, Any], paths: Mapping[str, str]) -> Puzzle:
    """Return a puzzle. The error of a file is not repeated here: a foreign job file may name any, and the message would
    show its content."""
    try:
        return construct(cls, parameters)
    except BadInput as error:
        if isinstance(error, BadPuzzle) or not paths:
            raise
        ((name, path), *_) = paths.items()
        words = f"parsolve describe {family(cls)} --{name.replace('_', '-')} {path}"
        raise BadInput(
            f"{name}: {path} is invalid, alone or with the other parameters: '{words}' may say why"
        ) from None


def _rows(cls: type[Puzzle], job: dict[str, Any], folder: Path, takers: Takers) -> Rows:
    """Return the rows of a [[job]]'s file."""
    _require_text(job, "file")
    path, rename = folder / job["file"], job.get("rename", {})
    if not isinstance(rename, dict):
        raise BadInput('`rename` is a table such as { tiles = "start" }')
    text = text_of(read_plain(path, "table"), str(path), MOST_BYTES)
    known = [row.name for row in parameters_of(cls)]
    lines = cls.table_lines(short_lines(io.StringIO(text, newline="")))
    return Rows(lines, path.name, rename, known, takers)
