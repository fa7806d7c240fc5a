"""BurrTools' puzzle files, `.xmpuzzle`: the shapes of pieces, and the shape that they are to fill.

A file with document types or entities is refused, so that a small file cannot become a large one.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple
from xml.parsers import expat

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.board import MOST_SPACE, Board
from parsolve.puzzles.exact_cover.instance import MOST_ITEMS
from parsolve.puzzles.exact_cover.pieces import canonical
from parsolve.puzzles.exact_cover.places import Stock, capped
from parsolve.puzzles.exact_cover.space import Cell, Cells, moved
from parsolve.text import shown

MOST_VOXELS = 1 << 20
"""Maximum number of voxels of a shape, including empty ones."""

MOST_FILLED = 1 << 13
"""Maximum number of filled voxels of all pieces together, those of a shape once for each copy."""

MOST_COLOURS = 99
"""Maximum number of a colour: a voxel has two digits for it."""

MOST_ELEMENTS = 1 << 16
"""Maximum number of elements that are read."""

READ = frozenset({"puzzle", "gridType", "shapes", "voxel", "problems", "problem", "shape", "result", "bitmap", "pair"})
"""The elements that are read. Others, such as solutions, are skipped with their contents."""

_TAG = re.compile(r"<[A-Za-z][^<>]*>")
"""A tag, as XML files begin."""

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The letters of the shapes, in turn."""


class Element(NamedTuple):
    """An element of an XML file."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: "list[Element]"
    texts: list[str]

    def all(self, *path: str) -> "list[Element]":
        """Return the elements of a path of tags below this one."""
        found = [self]
        for tag in path:
            found = [child for each in found for child in each.children if child.tag == tag]
        return found

    def number(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is a number.

        Raises:
            BadInput: it is missing or invalid.
        """
        text = self.attributes.get(name)
        if text is None and default is not None:
            return default
        if text is None or not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
            what = "is missing" if text is None else f"is not a number: {shown(text)}"
            raise self.error(f"the {name} of <{self.tag}> {what}")
        return int(text)

    def error(self, text: str) -> BadInput:
        """Return an error about this element."""
        return BadInput(f"cover: file, line {self.line}: {text}")


def is_xml(text: str) -> bool:
    """Return whether a text is XML, perhaps with an error, rather than in Knuth's format, where the name of an item may
    begin with <."""
    text = text.lstrip("\ufeff \t\r\n")
    if not text.startswith("<") or text.startswith(("<?xml", "<!", "<puzzle")) or ("</" in text and _TAG.match(text)):
        return text.startswith("<")
    try:
        _parsed(text)
    except BadInput:
        return False
    return True


def read(text: str, number: int) -> tuple[Board, dict[Cells, Stock]]:
    """Return the shape that a problem of a puzzle file, by its number from 1 on, asks to fill, and its pieces by the
    image that `canonical` returns.

    Raises:
        BadInput: the file is invalid or not supported; the message names the line.
    """
    root = _parsed(text)
    if root.tag != "puzzle":
        raise root.error(f"a BurrTools file begins with <puzzle>, not with <{root.tag}>")
    for grid in root.all("gridType"):
        if grid.number("type", 0) != 0:
            raise grid.error("its grid is not one of cubes (gridType 0), the only one that is supported")
    shapes, problems = root.all("shapes", "voxel"), root.all("problems", "problem")
    if not 1 <= number <= len(problems):
        raise root.error(f"there is no problem {number}: the number of problems in the file is {len(problems)}")
    problem = problems[number - 1]
    results = problem.all("result")
    if len(results) != 1:
        raise problem.error("the problem has no result: choose the shape that its pieces are put together to")
    result = _shape(results[0], shapes)
    number_filled = _filled(result)
    if not 1 <= number_filled <= MOST_ITEMS:
        raise results[0].error(f"the result has {number_filled:,} voxels; 1 to {MOST_ITEMS:,} are possible")
    filled, optional = _voxels(result)
    every = {cell[:3]: cell[3:] for cell in filled | optional}
    colours = {cell: colour for cell, (colour,) in every.items() if colour}
    pairs = [(pair.number("piece") + 1, pair.number("result") + 1) for pair in problem.all("bitmap", "pair")]
    fitting = frozenset((piece, own) for piece, own in pairs if piece <= MOST_COLOURS and own in colours.values())
    empty = frozenset(cell[:3] for cell in optional)
    board = Board(tuple(sorted(every)), empty, colours, fitting)
    if board.space > MOST_SPACE:
        raise results[0].error(f"the box around the result has {board.space:,} voxels; {MOST_SPACE:,} are possible")
    stock = _pieces(problem, shapes)
    holes = len(board.cells) - sum(len(piece) * each.least for piece, each in stock.items())
    if problem.number("maxHoles", len(optional)) < min(holes, len(optional)):
        raise problem.error("a limit of holes (maxHoles) that allows fewer than there can be is not supported")
    return board, capped(stock, board)


def _parsed(text: str) -> Element:
    """Return the root of an XML file."""
    top = Element("", {}, 0, [], [])
    stack: list[Element | None] = [top]  # None for skipped elements
    elements = 0
    parser = expat.ParserCreate("utf-8")

    def begin(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal elements
        parent = stack[-1]
        if parent is None or (parent is not top and tag not in READ):
            stack.append(None)
            return
        elements += 1
        if elements > MOST_ELEMENTS:
            raise BadInput(f"cover: file, line {parser.CurrentLineNumber}: more than {MOST_ELEMENTS:,} elements")
        stack.append(Element(tag, attributes, parser.CurrentLineNumber, [], []))
        parent.children.append(stack[-1])  # type: ignore[arg-type]

    def refuse(*_: object) -> None:
        raise BadInput(f"cover: file, line {parser.CurrentLineNumber}: it has a document type, which no puzzle needs")

    def add_text(data: str) -> None:
        if stack[-1] is not None:
            stack[-1].texts.append(data)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: stack.pop() and None
    parser.CharacterDataHandler = add_text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(text.lstrip("\ufeff"), True)
    except expat.ExpatError as error:
        raise BadInput(f"cover: file, line {error.lineno}: {expat.ErrorString(error.code)}") from None
    return top.children[0]


def _shape(element: Element, shapes: list[Element]) -> Element:
    """Return the shape that an element names by its id."""
    number = element.number("id")
    if number >= len(shapes):
        raise element.error(f"there is no shape {number}, only 0 to {len(shapes) - 1}")
    return shapes[number]


def _filled(shape: Element) -> int:
    """Return the number of voxels of a shape that are filled or variable."""
    return sum(text.count("#") + text.count("+") for text in shape.texts)


def _voxels(shape: Element) -> tuple[Cells, Cells]:
    """Return the filled cells of a shape and the variable ones, with colours; the least layer, row and column 0."""
    columns, rows, layers = (shape.number(axis) for axis in "xyz")
    text = "".join("".join(shape.texts).split())
    voxels = re.findall(r"([#+_])(\d{0,2})", text, re.ASCII)
    wrong = re.sub(r"[#+_]\d{0,2}", "", text, flags=re.ASCII)
    if wrong:
        raise shape.error(f"a voxel is #, + or _, perhaps with a colour of two digits, not {shown(wrong[0])}")
    if columns * rows * layers > MOST_VOXELS or len(voxels) != columns * rows * layers:
        raise shape.error(
            f"a shape of {columns} x {rows} x {layers} has {columns * rows * layers:,} voxels, at most {MOST_VOXELS:,};"
            f" here are {len(voxels):,}"
        )
    found: dict[Cell, str] = {}
    for place, (letter, colour) in enumerate(voxels):
        if letter != "_":
            cell = (place // (columns * rows), place // columns % rows, place % columns)
            found[*cell, int(colour or 0)] = letter
    if not found:
        return frozenset(), frozenset()
    top, back, left, _ = (min(numbers) for numbers in zip(*found, strict=True))
    variable = (cell for cell, letter in found.items() if letter == "+")
    lowered = frozenset((layer - top, row - back, column - left, colour) for layer, row, column, colour in variable)
    return moved(found) - lowered, lowered


def _pieces(problem: Element, shapes: list[Element]) -> dict[Cells, Stock]:
    """Return the pieces of a problem; the numbers of equal shapes are added up."""
    found: dict[Cells, Stock] = {}
    pieces: dict[int, Cells] = {}  # by the number of the shape
    voxels = 0
    for part in problem.all("shapes", "shape"):
        shape, number = _shape(part, shapes), part.number("id")
        count = part.number("count", -1) if "count" in part.attributes else None
        least, most = (count, count) if count is not None else (part.number("min", 1), part.number("max", 1))
        if least > most:
            raise part.error(f"at least {least} and at most {most} of a shape are impossible")
        if not most:
            continue
        voxels += _filled(shape)
        if voxels > MOST_FILLED:
            raise part.error(f"the pieces have more than {MOST_FILLED:,} voxels together")
        if number not in pieces:
            filled, variable = _voxels(shape)
            if variable or not filled:
                raise shape.error("a piece has filled voxels and no variable ones")
            has_colours = any(colour for *_, colour in filled)
            pieces[number] = canonical(filled if has_colours else frozenset(cell[:3] for cell in filled), "free")
        piece = pieces[number]
        before = found.get(piece, Stock(NAMES[number % len(NAMES)], 0, 0))
        listed = (*before.listed, (least, most))
        found[piece] = Stock(before.name, before.least + least, before.most + most, listed)
    if not found:
        raise problem.error("the problem has no pieces")
    return {piece: each if len(each.listed) > 1 else each._replace(listed=()) for piece, each in found.items()}
