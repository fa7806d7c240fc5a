"""`parsolve new`: the file that it writes keeps the contract, and gives the right answers."""

import itertools
from pathlib import Path

import pytest
from conftest import Run
from worlds.plain import cheapest


def plain(pile: tuple[int, ...]) -> tuple[int | None, int]:
    """The least number of turns that sort a pile, and in how many ways, by brute force."""

    def moves(here: tuple[int, ...]) -> list[tuple[int, tuple[int, ...], int]]:
        return [(turned, here[:turned][::-1] + here[turned:], 1) for turned in range(2, len(pile) + 1)]

    answer = cheapest(pile, moves, lambda here: here == tuple(sorted(pile)))
    return answer.cost, answer.count


@pytest.mark.nightly
def test_the_file_is_a_puzzle(run_here: Run, tmp_path: Path) -> None:
    said = run_here("new", "three_pancakes.py").stdout
    assert "parsolve check three_pancakes.py:ThreePancakes" in said
    assert run_here("check", "three_pancakes.py:ThreePancakes").stdout.startswith("0 faults in ")
    (tmp_path / "rows.csv").write_text("order\n" + "".join(f"{a} {b} {c} {d}\n" for a, b, c, d in PILES))
    found = run_here("count", "three_pancakes.py:ThreePancakes", "--file", "rows.csv").stdout.splitlines()[1:]
    assert [tuple(map(int, line.split("\t")[1:3])) for line in found] == [plain(pile) for pile in PILES]
    words = ("count", "three_pancakes.py:ThreePancakes", "--engine", "both")
    assert run_here(*words).stdout == f"{plain((3, 1, 4, 2, 5))[1]}\n"
    boards = run_here("solve", "three_pancakes.py:ThreePancakes", "--boards").stdout
    assert "=====" in boards
    assert "order is each of 1 to n once" in run_here(*words, "--order", "3 3", code=2).stderr


PILES = [*itertools.permutations((1, 2, 3, 4))]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("there.py", "there.py is there already, and this option has not written it: name another file"),
        ("it.txt", "it.txt is no name for a file of Python that can be imported"),
        ("3x.py", "is no name for a file of Python"),
        ("nowhere/it.py", "nowhere/it.py cannot be written"),
    ],
)
def test_what_cannot_be_written(run_here: Run, tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "there.py").write_text("")
    assert says in run_here("new", name, code=2).stderr
    assert (tmp_path / "there.py").read_text() == ""
