"""A certificate says what every branch of a search has given; whoever changes something in it is found out."""

import contextlib
import gzip
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import some
from journals import run_through
from toys import Coins, Lamps

from parsolve.certify.certificate import write_certificate
from parsolve.certify.merge import Merging
from parsolve.certify.verify import Report, Verification
from parsolve.errors import BadInput, GuardStop
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.part import Part
from parsolve.search.request import Request
from parsolve.search.watch import UNWATCHED

pytestmark = pytest.mark.plain

Lines = list[dict[str, Any]]

PUZZLES: dict[str, tuple[Puzzle, int, int | None]] = {
    "lamps": (Lamps(6), 0, None),
    "coins": (Coins(12, "none"), 0, 8),
    "coins with slack": (Coins(9, "none"), 1, 7),
    "weighed lamps": (Lamps(6, 2), 0, None),
}


@pytest.fixture(scope="module", params=PUZZLES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Problem, Path]:
    """A puzzle and its certificate, by two parts."""
    puzzle, slack, limit = PUZZLES[request.param]
    return Problem(puzzle, "count"), certificate_of(puzzle, tmp_path_factory.mktemp("made"), slack, limit)


def certificate_of(puzzle: Puzzle, folder: Path, slack: int = 0, limit: int | None = None, name: str = "it") -> Path:
    merging = Merging(keep=True)
    for number in (1, 2):
        part = Part(2, number, number)
        asked = Request(want="count", workers=1, part=part, slack=slack or None, limit=limit)
        path = folder / f"{name}-{number}.sqlite"
        with contextlib.suppress(GuardStop):  # the limit is asked for
            run_through(path, puzzle, asked, [])
        merging.add(path)
    problem = Problem(puzzle, "count")
    merged = merging.merged(problem)
    assert merged.status == "solved"
    write_certificate(folder / f"{name}.json.gz", merging, merged, problem)
    return folder / f"{name}.json.gz"


def lines_of(path: Path) -> Lines:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def verified(path: Path, problem: Problem, percent: float = 0, seed: int = 0) -> Report:
    verification = Verification(path, Problem(problem.given, "count"))
    verification.check_structure()
    verification.sample(None, percent, seed, UNWATCHED, 1)
    return verification.report


def write(path: Path, lines: Lines) -> Path:
    """Write a certificate whose sums, counts and seal fit."""
    *before, last = lines
    for each in last["sums"]:
        units = [line for line in before if line.get("limit") == each["limit"] and "moves" in line]
        above = [line["above"] for line in before if line.get("limit") == each["limit"] and "above" in line]
        each |= {"solutions": sum(line["solutions"] for line in units)}
        each |= {"nodes": sum(line["nodes"] for line in units) + sum(above)}
    last["count"] = sum(each["solutions"] for each in last["sums"])
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in before).encode()
    end = json.dumps(last | {"seal": hashlib.sha256(text).hexdigest()}, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(text + end)
    return path


def test_a_certificate_agrees(made: tuple[Problem, Path]) -> None:
    problem, path = made
    report = verified(path, problem, 100)
    assert not report.faults
    assert report.sampled == report.units > 0
    above = sum(line.get("above", 0) for line in lines_of(path))
    assert report.searched == report.nodes - above


def test_a_mended_one_agrees(made: tuple[Problem, Path], tmp_path: Path) -> None:
    problem, path = made
    if problem.is_weighted or problem.is_plain:  # the count is the sum of the weights
        assert not verified(write(tmp_path / "it.json", lines_of(path)), problem).faults


def units_in(lines: Lines) -> list[int]:
    return [number for number, line in enumerate(lines) if "moves" in line]


def drop(lines: Lines, random_: random.Random) -> None:
    del lines[random_.choice(units_in(lines))]


def double(lines: Lines, random_: random.Random) -> None:
    one = random_.choice(units_in(lines))
    lines.insert(random_.choice(units_in(lines)), dict(lines[one]))


def replace(lines: Lines, random_: random.Random) -> None:
    one, other = random_.sample(units_in(lines), 2)
    lines[one] = dict(lines[other])


def move(lines: Lines, random_: random.Random) -> None:
    one, other = random_.sample(units_in(lines), 2)
    lines[one], lines[other] = lines[other], lines[one]


def change_moves(lines: Lines, random_: random.Random) -> None:
    line = lines[random_.choice([each for each in units_in(lines) if lines[each]["moves"]])]
    place = random_.randrange(len(line["moves"]))
    line["moves"][place] = line["moves"][place] + random_.choice([1, 7, -1])


def change_state(lines: Lines, random_: random.Random) -> None:
    line = lines[random_.choice(units_in(lines))]
    line["state"][random_.choice([*line["state"]])] += 1


def change_part(lines: Lines, random_: random.Random) -> None:
    line = lines[random_.choice(units_in(lines))]
    line["part"] = 3 - line["part"]


def change_above(lines: Lines, random_: random.Random) -> None:
    random_.choice([line for line in lines if "above" in line])["above"] += random_.choice([1, -1])


def change_identity(lines: Lines, random_: random.Random) -> None:
    lines[0][random_.choice(["rules", "data"])] = f"{random_.getrandbits(128):032x}"


def change_type(lines: Lines, random_: random.Random) -> None:
    lines[random_.choice(units_in(lines))][random_.choice(["nodes", "solutions"])] = random_.choice([1.0, True])


def drop_limit(lines: Lines, random_: random.Random) -> None:
    sums = lines[-1]["sums"]
    limit = random_.choice(sums)["limit"]
    lines[-1]["sums"] = [each for each in sums if each["limit"] != limit]
    lines[:] = [line for line in lines if line.get("limit") != limit]


STRUCTURAL: list[Callable[[Lines, random.Random], None]] = [
    *(drop, double, replace, move, change_moves, change_state, change_part, change_above, change_identity),
    *(change_type, drop_limit),
]


@pytest.mark.parametrize("seed", some(range(10), 10))
@pytest.mark.parametrize("forge", STRUCTURAL, ids=lambda forge: forge.__name__)
def test_a_forged_structure_is_found_at_once(
    made: tuple[Problem, Path], tmp_path: Path, forge: Callable[[Lines, random.Random], None], seed: int
) -> None:
    problem, path = made
    lines = lines_of(path)
    before = json.dumps(lines)
    forge(lines, random.Random(seed))
    assert json.dumps(lines) != before
    assert verified(write(tmp_path / "it.json", lines), problem).faults


@pytest.mark.parametrize("seed", some(range(10), 10))
@pytest.mark.parametrize("name", ["solutions", "nodes"])
def test_a_changed_number_is_found_with_the_probability_of_the_sample(
    made: tuple[Problem, Path], tmp_path: Path, name: str, seed: int
) -> None:
    problem, path = made
    random_, lines = random.Random(seed), lines_of(path)
    # The first limit with solutions is not the place of this: more there is a fault of structure.
    place = random_.choice([number for number in units_in(lines) if lines[number]["solutions"] or name == "nodes"])
    lines[place][name] += 1
    forged = write(tmp_path / "it.json", lines)
    assert not verified(forged, problem).faults
    assert verified(forged, problem, 100).faults
    found = [bool(verified(forged, problem, 50, seed).faults) for seed in range(3)]
    again = [bool(verified(forged, problem, 50, seed).faults) for seed in range(3)]
    assert found == again


def test_sums_and_seal(made: tuple[Problem, Path], tmp_path: Path) -> None:
    problem, path = made
    for change in ({"seal": "0" * 64}, {"count": 1 << 60}, {"cost": 77}, {"sums": []}):
        *lines, last = lines_of(path)
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [*lines, last | change])
        (tmp_path / "it.json").write_text(text)
        assert verified(tmp_path / "it.json", problem).faults
    (tmp_path / "it.json").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    assert verified(tmp_path / "it.json", problem).faults


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"[]\n", b"\xff\xfe", b"{" * 5000, b'{"certificate":1}\n', b"\x1f\x8b\x08"]
)
@pytest.mark.parametrize("name", ["it.json", "it.json.gz"])
def test_no_certificate(tmp_path: Path, text: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(BadInput) as raised:
        Verification(tmp_path / name, Problem(Lamps(3), "count"))
    assert "\n" not in str(raised.value)
