"""One wrong declaration, as the source of a puzzle whose class replaces one thing of a true one."""

from dataclasses import dataclass, field, replace

from worlds.declared.hops import HOPS
from worlds.declared.puzzles import PUZZLES

HEADS = {
    "index": "def index(tables, here):",
    "unindex": "def unindex(tables, number, row):",
    "key": "def key(tables, here):",
    "unkey": "def unkey(tables, key, row):",
    "entry": "def entry(tables, number):",
    "weight": "def weight(tables, here):",
    "solved": "def solved(tables, here):",
    "expand": "def expand(tables, here, limit, rows, top):",
    "goals": "def goals(self):",
    "inverse_puzzle": "def inverse_puzzle(self):",
    "root": "def root(self, *distances):",
    "limits": "def limits(self):",
    "steps": "def steps(self, limit):",
    "tables": "def tables(self, *distances):",
}
"""The first line of each rule and method; what else is given is a class variable."""

METHODS = ("goals", "inverse_puzzle", "root", "limits", "steps", "tables")

USERS = {"Pair": "Guided", "Boards": "Winnable"}
"""The puzzles that look up what an abstraction gives."""

HELPERS = """
number_of, word_of = Swaps.index, Swaps.unindex
pair_of, least_key = Pair.unindex, Hops.key
swaps, pairs, jumps = Swaps.expand, Pair.expand, Boards.expand


def bounded(tables, here, limit, rows, top, times, more):
    end = swaps(tables, here, 1 << 33, rows, top)
    for number in range(top, end):
        row = rows[number]
        bound = inversions(np.int64(row.word), tables.tiles) * times // 2 + more
        rows[top] = row
        rows[top].bound = bound
        top += row.cost + bound <= limit
    return top


def rotated(tables, here, limit, rows, top, both):
    for place in range(tables.tiles - 1):
        for way in range(1 + both):
            row = rows[top]
            word = np.int64(here.word)
            if place < tables.tiles - 2:
                first, second = (place, place + 1) if way == 0 else (place + 1, place)
                word = swapped(swapped(word, first), second)
            elif way == 0:
                word = swapped(word, 0)
            else:
                continue
            row.word, row.cost, row.bound, row.move = word, here.cost + 1, 0, 2 * place + way + 10
            top += row.cost <= limit
    return top


@dataclass(frozen=True)
class Turning(Keyed):
    '''Rotate three neighbours, or exchange the first two: ways around have odd numbers of moves too.'''

    children = 8
    graph = "reversible"

    def root(self):
        return {"word": 0x21043}

    @staticmethod
    def expand(tables, here, limit, rows, top):
        return rotated(tables, here, limit, rows, top, 1)


@dataclass(frozen=True)
class OneWay(Turning):
    '''The same, but rotate to one side only.'''

    graph = "any"

    @staticmethod
    def expand(tables, here, limit, rows, top):
        return rotated(tables, here, limit, rows, top, 0)


@dataclass(frozen=True)
class TurningByNumber(Swaps):
    '''Turning with numbers.'''

    children, graph, root, expand = 8, "reversible", Turning.root, staticmethod(Turning.expand)


@dataclass(frozen=True)
class OneWayByNumber(Swaps):
    '''OneWay with numbers.'''

    children, graph, root, expand = 8, "any", Turning.root, staticmethod(OneWay.expand)

    def goals(self):
        return []
"""


@dataclass(frozen=True)
class Case:
    """One wrong declaration.

    Attributes:
        base: the puzzle's class.
        rules: what is declared, in source form: by name the body of a rule or method, or a value.
        named: what a message may name.
        right: rules with which the puzzle would be true.
        untold: why a search cannot tell; `parsolve check` must.
    """

    base: str
    rules: dict[str, str]
    named: tuple[str, ...] = ()
    right: dict[str, str] = field(default_factory=dict)
    untold: str = ""

    @property
    def true(self) -> "Case":
        """The puzzle as it should be."""
        return replace(self, rules=self.right, named=(), right={})

    @property
    def name(self) -> str:
        """The case in a line."""
        return f"{self.base}: " + "; ".join(f"{rule}: {' '.join(body.split())}" for rule, body in self.rules.items())

    @property
    def source(self) -> str:
        """A puzzle's file with the class `Wrong`, and for an abstraction the class `User` that looks it up."""
        lines = ["", "", "@dataclass(frozen=True)", f"class Wrong({self.base}):", '    """What is wrong."""', ""]
        for rule, body in self.rules.items():
            if rule not in HEADS:
                lines.append(f"    {rule} = {body}")
                continue
            lines += ["", *(["    @staticmethod"] if rule not in METHODS else []), f"    {HEADS[rule]}"]
            lines += [f"        {line}" for line in body.split("\n")]
        if user := USERS.get(self.base):
            arguments = "self.tiles" if user == "Guided" else "self.rows, self.hole, self.target"
            lines += ["", "", "@dataclass(frozen=True)", f"class User({user}):", '    """What looks it up."""', ""]
            lines += ["    def abstractions(self):", f"        return [Wrong({arguments})]"]
        return PUZZLES + HOPS + HELPERS + "\n".join(lines) + "\n"
