"""Exploring with the states in a folder: the same answers, taken up after a kill, and what is refused."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import nightly
from conftest import Run
from worlds.places import Graph, Keyed, Spread

from parsolve.errors import BadInput, OutOfMemory
from parsolve.levels.explore import Explored, explore
from parsolve.levels.folder import Folder
from parsolve.levels.proof import Proof
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Peg, Sliding
from parsolve.search.checkpoint import Entries, LevelCheckpoint
from parsolve.search.watch import Watch

KINDS = ["graded", "bipartite", "reversible", "any"]


class Stopped(Exception):
    """Raised by a stop condition."""


def stopping(folder: Path) -> Callable[[], None]:
    """Stop once another layer has been written."""
    last = layers(folder)

    def check() -> None:
        if layers(folder) not in (last, 0):
            raise Stopped

    return check


def layers(folder: Path) -> int:
    """How many layers are written."""
    file = folder / "head.json"
    return int(json.loads(file.read_text())["finished"]) if file.exists() else 0


def answers(found: Explored) -> Any:
    return found.start, found.depths, sorted(found.farthest)


@pytest.mark.parametrize(
    "puzzle",
    [
        Sliding(shape="2x4"),
        Graph(400, 1, 3, kind="any", back=True),
        nightly(Spread(400, 1, 3, kind="any", goalless=True)),
        *(Keyed(100, 2, 3, kind=kind, goalless=True) for kind in KINDS),  # type: ignore[arg-type]
    ],
    ids=["sliding", "graph", "large-keys", *KINDS],
)
def test_stopped_after_every_layer(tmp_path: Path, puzzle: Puzzle) -> None:
    known = explore(puzzle)
    folder = tmp_path / "states"
    found, stops = None, 0
    while found is None:
        try:
            found = explore(puzzle, Watch(check=stopping(folder)), spill=folder, pause=0)
        except Stopped:
            assert 0 < layers(folder) <= len(known.depths)
            stops += 1
    assert stops >= len(known.depths) // 2
    assert answers(found) == answers(known)
    assert not folder.exists()


@pytest.mark.parametrize("form", [Graph, Keyed])
def test_stopped_after_the_last_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: type[Graph]) -> None:
    """Once the farthest states were those of the start then."""

    def stop(*_: object) -> None:
        raise Stopped

    puzzle = form(400, 1, 3, kind="any", back=True)
    known = explore(puzzle)
    with monkeypatch.context() as patch:
        patch.setattr(Proof, "end", stop)
        with pytest.raises(Stopped):
            explore(puzzle, spill=tmp_path, pause=0)
    assert layers(tmp_path) >= len(known.depths) - 1
    assert answers(explore(puzzle, spill=tmp_path)) == answers(known)


def test_a_folder_of_ones_own_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    explore(Sliding(shape="2x3"), spill=tmp_path, pause=0)
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def written(folder: Path, puzzle: Puzzle) -> None:
    """Write a layer or two."""
    with pytest.raises(Stopped):
        explore(puzzle, Watch(check=stopping(folder)), spill=folder, pause=0)


def test_another_search_is_refused(tmp_path: Path) -> None:
    written(tmp_path, Sliding(shape="3x3"))
    with pytest.raises(BadInput, match=r"holds a search of Sliding .*: name another one, or delete its files"):
        explore(Sliding(shape="3x3", goal="blank-first"), spill=tmp_path)
    assert layers(tmp_path)


def test_one_search_at_a_time(tmp_path: Path) -> None:
    problem = Problem(Sliding(shape="2x3"))
    spill = Folder(tmp_path, problem, problem.root)
    with pytest.raises(BadInput, match="another search uses the folder"):
        explore(Sliding(shape="2x3"), spill=tmp_path)
    spill.close(False)
    assert explore(Sliding(shape="2x3"), spill=tmp_path).states == 360


HEAD = '{"digest": "", "what": "", "identity": "", "generation": 1, "pieces": '


@pytest.mark.parametrize(
    "damage",
    [
        *("{", "{}", "[]", '{"digest": 3}', "\0", HEAD + "3}", HEAD + "[3]}", HEAD + "[[]]}", HEAD + "[[1, 2, 3]]}"),
    ],
)
def test_a_damaged_layer_is_refused(tmp_path: Path, damage: str) -> None:
    (tmp_path / "head.json").write_text(damage)
    with pytest.raises(BadInput, match=r"is damaged .*: delete its files to start over"):
        explore(Sliding(shape="2x3"), spill=tmp_path)


@pytest.mark.parametrize("form", [Graph, Keyed])
def test_every_array_is_checked(tmp_path: Path, form: type[Graph]) -> None:
    puzzle = form(100, 2, 3, kind="any", back=True)
    written(tmp_path, puzzle)
    (file,) = tmp_path.glob("*.bin")
    data = file.read_bytes()
    flipped = [data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :] for at in range(0, len(data), 7)]
    for damaged in (b"", data[:-8], data[:-1], *flipped, data + bytes(8), data + b"1", None):
        file.unlink() if damaged is None else file.write_bytes(damaged)
        with pytest.raises(BadInput, match="is damaged"):
            explore(puzzle, spill=tmp_path)
        file.write_bytes(data)
    assert answers(explore(puzzle, spill=tmp_path)) == answers(explore(puzzle))


def test_every_byte_of_the_seal_is_checked(tmp_path: Path) -> None:
    """Once one flipped bit of a count was believed."""
    puzzle = Graph(100, 2, 3, kind="any", back=True)
    written(tmp_path, puzzle)
    problem = Problem(puzzle)
    start = problem.goals()
    file = tmp_path / "head.json"
    data = file.read_bytes()
    for at in range(len(data)):
        for bit in (1, 2, 16) if at % 8 else map((1).__lshift__, range(8)):
            file.write_bytes(data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :])
            with pytest.raises(BadInput, match=r"is damaged .*: delete its files to start over"):
                Folder(tmp_path, problem, start)
    file.write_bytes(data)
    Folder(tmp_path, problem, start).close(False)
    assert answers(explore(puzzle, spill=tmp_path)) == answers(explore(puzzle))


def changed(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a head says with one thing changed or left out."""
    pieces = found["pieces"]
    for at, piece in enumerate(pieces):
        yield found | {"pieces": pieces[:at] + pieces[at + 1 :]}
        yield found | {"pieces": [*pieces, piece]}
        for place in range(4):
            other = [*piece[:place], piece[place] + 1, *piece[place + 1 :]]
            yield found | {"pieces": [*pieces[:at], other, *pieces[at + 1 :]]}
    for field in found:
        yield {other: value for other, value in found.items() if other != field}
    yield from (found | change for change in ({"what": ""}, {"identity": "keys"}, {"generation": 9}, {"digest": ""}))
    yield found | {"more": 1}


@pytest.mark.parametrize("form", [Graph, Keyed])
def test_every_field_is_sealed(tmp_path: Path, form: type[Graph]) -> None:
    puzzle = form(100, 2, 3, kind="any", back=True)
    written(tmp_path, puzzle)
    file = tmp_path / "head.json"
    text = file.read_text()
    for each in changed(json.loads(text)):
        file.write_text(json.dumps(each, sort_keys=True))
        with pytest.raises(BadInput, match="is damaged"):
            explore(puzzle, spill=tmp_path)
    for same in (json.dumps(json.loads(text), indent=1), text + "\n", text[:-1] + ', "seal": ""}'):
        file.write_text(same)
        with pytest.raises(BadInput, match="is damaged"):
            explore(puzzle, spill=tmp_path)
    file.write_text(text)
    assert answers(explore(puzzle, spill=tmp_path)) == answers(explore(puzzle))


def test_a_full_disk_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OutOfMemory, match="has no room for the states: No space left on device"):
        explore(Sliding(shape="2x3"), spill=tmp_path)


def test_whole_states_are_refused(run: Run) -> None:
    done = run("explore", "flipit-a", "--spill", "there", code=2)
    assert "is searched by whole states, which --spill cannot hold" in done.stderr


@pytest.mark.parametrize("place", ["/proc/nothing", "file"])
def test_a_folder_that_cannot_be_used(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be used" in run("explore", "eight", "--spill", place, code=2).stderr


def test_more_states_than_memory(tmp_path: Path) -> None:
    few = Watch(max_memory=1 << 20)
    with pytest.raises(OutOfMemory):
        explore(Sliding(shape="3x3"), few)
    assert explore(Sliding(shape="3x3"), few, spill=tmp_path).states == 181_440


EXPLORING = """
import json, pathlib, time
from parsolve.levels.explore import explore
from parsolve.puzzles import Sliding
from parsolve.search.watch import Watch
head = pathlib.Path("states/head.json")
def check():
    while head.exists() and json.loads(head.read_text())["finished"] >= 30:
        time.sleep(1)
explore(Sliding(shape="2x5"), Watch(check=check), spill=head.parent, pause=0)
"""


@pytest.mark.processes
def test_killed_and_taken_up(run: Run, tmp_path: Path) -> None:
    """Layers that were written before a kill are not searched again."""
    process = subprocess.Popen([sys.executable, "-c", EXPLORING], cwd=tmp_path)
    while layers(tmp_path / "states") < 30 and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    before = layers(tmp_path / "states")
    assert before >= 30
    (tmp_path / "states" / "pieces-99.bin").write_text("begun")
    done = run("explore", "sliding", "--shape", "2x5", "--spill", "states", "--json")
    assert f"continuing after {before} layers" in done.stderr
    found = json.loads(done.stdout)
    known = explore(Sliding(shape="2x5"))
    assert (found["states"], found["greatest_depth"], found["farthest"]) == (1_814_400, 55, known.farthest)
    assert not (tmp_path / "states").exists()


def kept(*pieces: tuple[int, Any]) -> LevelCheckpoint:
    """Return a checkpoint of some levels."""

    def entries() -> Iterator[Entries]:
        return (Entries(level, 0, np.array(data, np.uint64)) for level, data in pieces)

    return LevelCheckpoint("keys it", 2, 3, 4, 5, 6.0, entries)


def test_pieces_are_of_any_size(tmp_path: Path) -> None:
    problem = Problem(Peg())
    path = tmp_path / "states"
    with contextlib.closing(Opened(path, problem)) as folder:
        folder.it.save_levels(kept((0, [1])))
        folder.it.save_levels(kept((0, []), (1, range(9))))
    again = Folder(path, problem, problem.root)
    found = again.resume_levels()
    assert found is not None
    assert vars(found) | {"entries": None} == vars(kept()) | {"entries": None}
    assert [(level, words, data.tolist()) for level, words, data in found.entries()] == [
        (0, 0, []),
        (1, 0, [*range(9)]),
    ]
    again.close(True)
    assert not path.exists()


class Opened:
    """A folder that is left with what is in it."""

    def __init__(self, path: Path, problem: Problem, start: Any = None) -> None:
        self.it = Folder(path, problem, problem.root if start is None else start)

    def close(self) -> None:
        self.it.close(False)


def test_the_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "layer.json").write_text("{}")
    with pytest.raises(
        BadInput, match="holds a search of another version of parsolve: use that one, or delete its files"
    ):
        explore(Sliding(shape="2x3"), spill=tmp_path)


@pytest.mark.parametrize(
    "words",
    [("explore", "sliding", "--shape", "2x3"), ("count", "langford", "--n", "8", "--engine", "sharing")],
    ids=" ".join,
)
def test_a_folder_of_the_users_stays(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "made"):
        run(*words, "--spill", name)
    assert [each.name for each in tmp_path.iterdir() if each.is_dir()] == ["mine"]


def tampered(folder: Path, problem: Problem, start: Any, change: Callable[[dict[int, Any]], Any]) -> None:
    """Write what is kept in a folder again, with a valid seal, after a change of the pieces by level."""
    with contextlib.closing(Opened(folder, problem, start)) as opened:
        found = opened.it.resume_levels()
        assert found is not None
        pieces = {level: np.array(data) for level, _, data in found.entries()}
        change(pieces)
        opened.it.save_levels(replace(found, entries=kept(*pieces.items()).entries))


@pytest.mark.parametrize(
    "change",
    [
        lambda pieces: pieces.clear(),
        lambda pieces: pieces.pop(-1),
        lambda pieces: pieces.pop(-4),
        lambda pieces: pieces.pop(max(pieces)),
        lambda pieces: pieces.update({-1: pieces[-1][:2]}),
        lambda pieces: pieces.update({-4: pieces[-4] + np.uint64(1)}),
        lambda pieces: pieces.update({-4: pieces[-4][:-2]}),
        lambda pieces: pieces.update({0: pieces[0][:-1]}),
    ],
)
@pytest.mark.parametrize("form", [Graph, Keyed])
def test_layers_that_are_missing_are_refused(tmp_path: Path, form: type[Graph], change: Any) -> None:
    """Once nothing left to search was taken for the end of the search."""
    puzzle = form(100, 2, 3, kind="any", back=True)
    written(tmp_path, puzzle)
    problem = Problem(puzzle)
    tampered(tmp_path, problem, problem.goals(), change)
    with pytest.raises(BadInput, match="is damaged"):
        explore(puzzle, spill=tmp_path)
