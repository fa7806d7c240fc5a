"""Small files that ask for much work: refused in one line, before the work is done."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cases import nightly, some
from shared import Run

from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.puzzles import Cover, Polyominoes

pytestmark = pytest.mark.plain

CHANCE = random.Random(1)
CUBE = (10, 10, 10, "#" * 1000)


def assembly(shapes: Sequence[tuple[int, int, int, str]], used: Sequence[tuple[int, int, int]]) -> str:
    """Return a file of BurrTools' whose last shape is the result; used are the number of a shape, at least, at most."""
    voxels = "".join(f'<voxel x="{x}" y="{y}" z="{z}">{text}</voxel>' for x, y, z, text in shapes)
    pieces = "".join(f'<shape id="{number}" min="{least}" max="{most}"/>' for number, least, most in used)
    return (
        f'<puzzle><gridType type="0"/><shapes>{voxels}</shapes><problems><problem><shapes>{pieces}</shapes>'
        f'<result id="{len(shapes) - 1}"/></problem></problems></puzzle>\n'
    )


def scattered(filled: int, size: int) -> tuple[int, int, int, str]:
    """Return a shape of some voxels anywhere in a cube."""
    places = set(CHANCE.sample(range(size**3), filled))
    return size, size, size, "".join("#" if place in places else "_" for place in range(size**3))


def apart(x: int, y: int, z: int) -> tuple[int, int, int, str]:
    """Return a shape of two voxels in the corners of a box."""
    return x, y, z, f"#{'_' * (x * y * z - 2)}#"


def each(number: int, most: int = 1) -> list[tuple[int, int, int]]:
    return [(shape, 0, most) for shape in range(number)]


PROBLEMS: list[tuple[Callable[[], str], str]] = [
    (lambda: assembly([(2, 1, 1, "##")] * 5000 + [CUBE], each(5000)), "more than 8,192 voxels together"),
    (lambda: assembly([(8, 8, 8, "#" * 512), CUBE], [(0, 0, 1)] * 60_000), "more than 8,192 voxels together"),
    (lambda: assembly([(2, 1, 1, "##"), (100, 100, 100, "#" * 10**6)], each(1)), "the result has 1,000,000 voxels"),
    (lambda: assembly([(2, 1, 1, "##"), scattered(1000, 100)], each(1)), "the box around the result has"),
    (
        lambda: assembly(
            [apart(x, y, z) for x in range(2, 9) for y in range(2, 9) for z in range(2, 9)] + [CUBE], each(343, 9)
        ),
        "too many places",
    ),
    (lambda: assembly([(1, 1, 1, "#")] * 66_000, each(1)), "more than 65,536 elements"),
    (lambda: " ".join(f"i{number}" for number in range(1_000_000)) + "\n", "1,000,000 primary items are too many"),
    (lambda: "a | " + "b " * 1_000_000 + "\n", "1,000,000 secondary items are too many"),
    (lambda: f"a\n{'a ' * 5_000_000}\n", "too many options"),
    (lambda: "a\n" + "\n" * 10_000_000, "more than 131,072 lines"),
    (lambda: f"{'a' * 10_000_000}\n", "has 10,000,000 characters; 1,000 are possible"),
    (lambda: "a" + " " * (1 << 24) + "\n", "cover: file has more than 16,777,216 bytes"),
]


@pytest.mark.parametrize(("make", "says"), some(PROBLEMS, 6))
def test_problems(make: Callable[[], str], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Cover(make())
    assert str(raised.value).startswith("cover: file")
    assert "\n" not in str(raised.value)


MANY = " ".join(f"i{number}" for number in range(2000))


@pytest.mark.parametrize(
    "text",
    [
        "4000|x 99999|y\n" + "x\n" * 8000 + "x y\n" * 50,
        "2:3|a 2:3|b 2:3|c 2:3|d 2:3|e\n" + "a b c d e\n" * 16_000,
        f"0:90|x {MANY} {MANY.replace('i', 'j')}\n" + 90 * f"x {MANY}\n",
    ],
)
def test_bounds_make_no_problem_larger(text: str) -> None:
    searched = Problem(Cover(text), "count").puzzle
    assert isinstance(searched, Cover)
    assert len(searched.instance.options) == text.count("\n") - 1
    assert searched.state.itemsize < 1 << 15


@pytest.mark.parametrize(
    ("board", "pieces", "says"),
    [
        ("5x3", "I2 " * 20_000, "more than 1,024 pieces"),
        ("5x3", "I2 " * 100_000, "pieces has more than 65,536 bytes"),
        (("o" * 250 + "\n") * 250, "I2", "the board has 62,500 cells"),
        ("\n\n".join([f"o{'.' * 60}\n{'.' * 60}o"] * 500) + "\n", "I2", "the box around the board has 61,000 cells"),
        nightly(("8x8x16", "40*F 40*L 40*N 40*Y 40*P 4*L4 8*I1", "too many")),
    ],
)
def test_boards_and_pieces(board: str, pieces: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Polyominoes(board, pieces)


def test_drawings_in_job_files_are_no_keys(run: Run, tmp_path: Path) -> None:
    board = "o".join(["." * 100] * 2) + "\n" + "o." * 100
    (tmp_path / "jobs.toml").write_text(
        f'[[job]]\npuzzle = "polyominoes"\norder = "2.2 2.1"\nboard = """\n{board}\n"""\n'
    )
    assert "there is no item '2.2'" in run("run", "jobs.toml", "--journal", "it.sqlite", code=2).stderr
