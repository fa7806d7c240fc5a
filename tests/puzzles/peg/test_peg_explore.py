"""`parsolve explore peg`: positions by pegs, up to symmetry and in all, and where the last peg can be left."""

import json
from typing import Any

import pytest
from conftest import Run
from journals import Remembering
from worlds.peg import jumps_from
from worlds.plain import distances

from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.explore import Explored, explore
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.puzzles.peg.symmetries import symmetries
from parsolve.search.watch import Listener, Watch

CROSS = " ooo\n ooo\nooooo\n ooo\n"
HEXAGON = "triangular\n  o o o\n o o o o\no o o o o\n o o o o\n  o o o\n"

STARTS: list[dict[str, str]] = [
    {"board": "hoppers", "vacancy": "6"},  # eight symmetries
    {"board": "hoppers", "vacancy": "0", "target": "12"},  # of which start and end have fewer than the start
    {"board": "triangle10", "vacancy": "1"},
    {"board": "triangle15", "vacancy": "4"},
    {"board": "triangle10", "position": ".ooooo.oo."},  # six: two stand twice in the tables
    {"board": CROSS, "vacancy": "c1"},
    {"board": HEXAGON, "position": ".o. o.o. oo.oo .o.o o.o"},  # twelve on the board
    {"board": "triangle10", "position": ".oo.oooo..", "goal": "3 4 6 7"},
]


@pytest.mark.parametrize("given", STARTS, ids=lambda given: " ".join(given.values()).replace("\n", "/"))
def test_positions_by_pegs(given: dict[str, str]) -> None:
    puzzle = Peg(**given)
    board = puzzle.layout
    layers: dict[int, set[int]] = {}
    for pegs, jumps in distances([puzzle.start_pegs], jumps_from(board.jumps)).items():
        layers.setdefault(jumps, set()).add(pegs)
    keep = [each for each in symmetries(board) if each.image(puzzle.start_pegs) == puzzle.start_pegs]
    found = explore(puzzle, threads=2, piece=7)
    assert found.in_all == [len(layer) for layer in layers.values()]
    assert found.depths == [
        (depth, len({min(each.image(pegs) for each in keep) for pegs in layer})) for depth, layer in layers.items()
    ]
    assert found.measure == "pegs"
    assert found.measures == [next(iter(layer)).bit_count() for layer in layers.values()]
    last = {pegs.bit_length() - 1 for pegs in layers[max(layers)] if pegs.bit_count() == 1}
    assert found.findings == {"targets": [board.names[hole] if board.names else str(hole) for hole in sorted(last)]}


def test_the_command(run: Run) -> None:
    words = ("explore", "peg", "--board", "triangle10", "--vacancy", "1")
    lines = run(*words).stdout.splitlines()
    assert lines[0] == "depth from the root, pegs, states, states in all"
    assert lines[1].split() == ["0", "9", "1", "1"]
    assert lines[-3:] == [
        "62 states up to symmetry, 62 in all; 1 farthest state at depth 8:",
        "  pegs in 2",
        "targets: 2",
    ]
    found = json.loads(run(*words, "--json").stdout)
    assert found["depths"][-1] == {"depth": 8, "pegs": 1, "states": 1, "states_in_all": 1}
    assert (found["states_in_all"], found["targets"]) == (62, ["2"])
    assert run("explore", "peg", "--board", "triangle10", "--vacancy", "4").stdout.endswith("targets: none\n")


def test_a_first_jump_is_refused(run: Run) -> None:
    with pytest.raises(BadInput, match="set first to any"):
        explore(Peg(first="0-6"))
    assert run("explore", "peg", "--first", "0-6", code=2).stderr.count("\n") == 1


def test_a_search_that_goes_on_knows_the_earlier_numbers() -> None:
    class Stop(Listener):
        def progress_made(self, progress: Any) -> None:
            if progress.limit == 6:
                raise KeyboardInterrupt

    def answer(found: Explored) -> Any:
        return found.depths, found.in_all, found.measures, found.findings

    puzzle, store = Peg("triangle15", "4"), Remembering()
    with pytest.raises(KeyboardInterrupt):
        explore(puzzle, Watch(Stop()), store=store)
    assert store.kept is not None
    assert answer(explore(puzzle, store=store)) == answer(explore(puzzle))


def test_another_return_is_told() -> None:
    class Plain(Peg):
        def exploring(self) -> Any:
            return self

    with pytest.raises(BadPuzzle, match="'exploring' must return an Exploring, not Plain"):
        explore(Plain("triangle10"))
