"""Text files in the encodings that their marks and declarations name."""

from pathlib import Path

import pytest

from parsolve.errors import BadInput
from parsolve.puzzles import Cover
from parsolve.system.files import decoded

pytestmark = pytest.mark.plain

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
