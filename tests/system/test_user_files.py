"""Files that users name: compressed ones with several members, against Python's own gzip, and what is refused."""

import gzip
import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsolve.errors import BadInput
from parsolve.puzzles import Cover
from parsolve.system.userfiles import MOST_MEMBERS, decoded, read_plain, replaced, require_own, unpacked

pytestmark = pytest.mark.plain


LONG = random.Random(1).randbytes(1 << 18)
"""Which no compression makes shorter, so that a member ends somewhere in a piece that is read."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([b"", b"a b\n", b"a\n" * 1000, LONG[: 1 << 16], LONG]), min_size=1, max_size=6))
def test_all_members_are_read(texts: list[bytes]) -> None:
    data = b"".join(map(gzip.compress, texts))
    assert unpacked(data, "it", 1 << 22) == gzip.decompress(data) == b"".join(texts)
    assert unpacked(data + bytes(1000), "it", 1 << 22) == b"".join(texts)


@pytest.mark.parametrize(
    "numbers", [[100], [60, 40], [100, 0], [101], [60, 60], [100, 1], [1 << 26]], ids=lambda each: str(each)
)
def test_the_limit_is_one_for_all_members(numbers: list[int]) -> None:
    """And one byte more is read, by which one sees that there are more."""
    members = [gzip.compress(b"o" * number) for number in numbers]
    assert unpacked(b"".join(members), "it", 100) == b"o" * min(sum(numbers), 101)


ONE, TWO = gzip.compress(b"a b\n", mtime=0), gzip.compress(b"a b\na\n", mtime=0)
DAMAGED = TWO[:-8] + bytes([TWO[-8] ^ 1]) + TWO[-7:]
"""Another checksum."""


@pytest.mark.parametrize(
    "data",
    [
        ONE + b"a\nb\n",
        ONE + bytes(512) + b"x",
        ONE + TWO[:2],
        ONE + TWO[:-1],
        TWO[:-9],
        ONE + DAMAGED,
        DAMAGED + ONE,
        ONE[:3] + b"\xff" * 20,
    ],
)
def test_what_is_damaged_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput, match="it is damaged: "):
        unpacked(data, "it", 1 << 20)


def test_more_members_than_are_read() -> None:
    with pytest.raises(BadInput, match="it has more than 4,096 compressed members"):
        unpacked(gzip.compress(b"") * (MOST_MEMBERS + 1), "it", 1 << 20)


def test_no_link_that_is_there_is_lost_or_followed(tmp_path: Path) -> None:
    page, link, other = tmp_path / "page", tmp_path / "link", tmp_path / "other"
    other.touch()
    link.symlink_to(page)
    (tmp_path / f".page.{os.getpid()}").symlink_to(other)  # the name of the draft is easily guessed
    with replaced(link) as file:
        file.write(b"new")
    assert (link.is_symlink(), page.read_bytes(), other.read_bytes()) == (True, b"new", b"")


def test_a_link_to_where_nothing_can_be_written_is_refused_at_once(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere" / "page")
    with pytest.raises(BadInput, match="there is no folder"):
        require_own(link)


def test_a_folder_is_closed_again(tmp_path: Path) -> None:
    before = os.listdir("/dev/fd")
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        read_plain(tmp_path, "job file")
    assert os.listdir("/dev/fd") == before


# Text files in the encodings that their marks and declarations name.


PUZZLE = (
    '<?xml version="1.0" encoding="{}"?>\n<puzzle version="2"><gridType type="0"/><comment>é ü</comment><shapes>'
    '<voxel x="1" y="1" z="1" type="0" name="Würfel">#</voxel></shapes><problems><problem name="é"><shapes>'
    '<shape id="0" count="1"/></shapes><result id="0"/></problem></problems></puzzle>\n'
)


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        *(("UTF-8", "utf-8"), ("utf-8", "utf-8-sig"), ("ISO-8859-1", "iso-8859-1"), ("latin1", "iso-8859-1")),
        *(("Windows-1252", "cp1252"), ("iso-8859-15", "iso-8859-15"), ("UTF-16", "utf-16"), ("utf-8", "utf-16")),
        *(("UTF-16LE", "utf-16-le"), ("UTF-16BE", "utf-16-be")),
        *(("US-ASCII", "ascii"), ("unheard-of", "utf-8"), ("rot13", "utf-8"), ("unicode_escape", "utf-8")),
    ],
)
def test_an_xml_file_in_the_encoding_that_it_declares(tmp_path: Path, declared: str, encoding: str) -> None:
    text = PUZZLE.format(declared)
    if encoding == "ascii":
        text = text.replace("é", "e").replace("ü", "u")
    (tmp_path / "it.xmpuzzle").write_bytes(text.encode(encoding))
    assert decoded(text.encode(encoding)) == text
    assert Cover(str(tmp_path / "it.xmpuzzle")) == Cover(text)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_both_byte_orders(encoding: str) -> None:
    assert decoded("\ufeffa b\né\n".encode(encoding)) == "a b\né\n"


@pytest.mark.parametrize(
    "data", [PUZZLE.format("utf-8").encode("latin-1"), b"\xff\xfea", "é".encode("latin-1"), b"\xff\xfe\x00\xd8"]
)
def test_what_is_no_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "it.xmpuzzle").write_bytes(data)
    with pytest.raises(BadInput, match="is not a text"):
        Cover(str(tmp_path / "it.xmpuzzle"))
