"""Wrong declarations for the puzzles of `puzzles.py` and `hops.py`: each replaces one thing that is true."""

from dataclasses import replace

from worlds.declared.cases import Case


def _cases(base: str, rule: str, *bodies: str, named: str = "", **others: str) -> list[Case]:
    return [Case(base, {rule: body, **others}, (rule, *others, *named.split())) for body in bodies]


N, WORD = "number_of(tables, here)", "np.uint64(here.word)"

INDEX = _cases(
    "Swaps",
    "index",
    "return np.uint64(0)",
    f"return {N} + np.uint64(1)",
    f"return {N} // np.uint64(2)",
    f"return {N} ^ np.uint64(1)",
    f"return {N} % np.uint64(64)",
    f"return np.uint64(119) - {N}",
    f"return {N} + np.uint64(here.cost)",
    f"return {N} << np.uint64(40)",
    f"number = {N}\nreturn np.uint64(58) if number == 57 else number",
    "return np.int64(inversions(np.int64(here.word), tables.tiles))",
    f"return -np.int64({N})",
)
INDEX += _cases("Swaps", "index", f"return {N} // np.uint64(2)", unindex="word_of(tables, number * np.uint64(2), row)")
INDEX += _cases("Swaps", "index", f"return {N} % np.uint64(60)", unindex="word_of(tables, number, row)")
INDEX += _cases("Swaps", "index", f"return {N} ^ np.uint64(1)", unindex="word_of(tables, number ^ np.uint64(1), row)")
INDEX += _cases("TurningByNumber", "index", f"return {N} // np.uint64(6) * np.uint64(6)")
INDEX += _cases("Pair", "index", "return np.uint64(here.first)", "return np.uint64(here.first * 5)")
INDEX += _cases("Pair", "index", "return np.uint64(here.first * 5 + here.second + 1)", "return np.uint64(here.first)")
INDEX += _cases(
    "Pair", "index", "return np.uint64(here.first)", unindex="row.first, row.second, row.move = number, 0, 0"
)

UNINDEX = _cases(
    "Swaps",
    "unindex",
    "word_of(tables, np.uint64(0), row)",
    "word_of(tables, number + np.uint64(1), row)",
    "word_of(tables, number - np.uint64(1), row)",
    "word_of(tables, number, row)\nrow.move = 1",
    "word_of(tables, number, row)\nrow.cost = 1",
    "word_of(tables, number, row)\nrow.bound = 99",
    "word_of(tables, np.uint64(58) if number == 57 else number, row)",
    "pass",
)
UNINDEX += _cases(
    "Pair", "unindex", "pair_of(tables, np.uint64(3), row)", "pair_of(tables, number ^ np.uint64(1), row)"
)
UNINDEX += _cases("TurningByNumber", "unindex", "word_of(tables, np.uint64(119) - number, row)")

SIZE = [
    *_cases("Swaps", "size", "119", "100", "64", "60", "1", "121", "10**7", "True", named="index"),
    *_cases("Pair", "size", "24", "10", "23", "1", "40", "1000", named="index entry"),
]

KEY = _cases(
    "Keyed",
    "key",
    "return np.uint64(0)",
    f"return {WORD} | np.uint64(here.cost) << np.uint64(32)",
    f"return {WORD} & np.uint64(0xFFFF)",
    f"return {WORD} ^ np.uint64(1)",
    f"return {WORD} % np.uint64(97)",
    "return number_of(tables, here)",
    "return np.uint64(inversions(np.int64(here.word), tables.tiles))",
    f"return {WORD}, np.uint64(1)",
    "return np.float64(here.word)",
    named="unkey",
)
KEY += _cases("Keyed", "key", "return np.uint64(here.word)", unkey="row.word, row.move = key, 0")
KEY += _cases(
    "Plain",
    "key",
    "return np.uint64(0)",
    f"return {WORD} | np.uint64(here.cost) << np.uint64(32)",
    f"return {WORD} & np.uint64(0xFFFF)",
    f"return {WORD} & np.uint64(0xFFF)",
    f"return {WORD} % np.uint64(97)",
    "return np.uint64(inversions(np.int64(here.word), tables.tiles))",
)
KEY += _cases(
    "Hops",
    "key",
    "return np.uint64(0)",
    "return np.uint64(here.pegs)",
    "return least_image(tables, here.pegs, NONE)",
    "return least_key(tables, here) | np.uint64(here.cost) << np.uint64(40)",
    "return least_image(tables, here.pegs & ~np.uint64(1), here.last)",
    named="unkey",
)
KEY += _cases(
    "Boards", "key", "return least_image(tables, here.pegs & ~np.uint64(2), NONE)", named="unkey inverse_puzzle goals"
)

UNKEY = [
    *_cases(
        "Keyed",
        "unkey",
        "row.word, row.move = np.uint64(0x43210), 0",
        "row.word, row.move = key + np.uint64(1), 0",
        "row.word, row.move = key, 1",
        "pass",
    ),
    *_cases(
        "Hops",
        "unkey",
        "row.pegs, row.last, row.move = key & tables.board, NONE, 0",
        "row.pegs, row.last, row.move = (key & tables.board) + np.uint64(1), key >> SHIFT, 0",
        "row.pegs, row.last, row.move = key & tables.board & ~np.uint64(1), key >> SHIFT, 0",
        "pass",
    ),
    *_cases("Boards", "unkey", "row.pegs, row.last, row.move = key & tables.board & ~np.uint64(1), NONE, 0"),
]

CHILDREN = [
    *_cases("Swaps", "children", "1", "2", "3", "4", "65535"),
    *_cases("Keyed", "children", "2", "3"),
    *_cases("Plain", "children", "2", "3"),
    *_cases("Hops", "children", "1", "3"),
    *_cases("Pair", "children", "1", "2"),
    *_cases("Boards", "children", "1", "2"),
    *_cases("Words", "children", "1"),
]

TWO = "return here.word == 0x43210 or here.word == 0x43201"
GOALS = [
    *_cases("Swaps", "goals", "return [{'word': 0x43201}]", "return [{'word': 0x43210}, {'word': 0x43201}]"),
    *_cases("Swaps", "goals", "return [{'word': 0x43210}, {'word': 0x43210}]", "return [{'word': 0}]"),
    *_cases("Keyed", "goals", "return [{'word': 0x43201}]", "return [{'word': 0x43210, 'cost': 3}]"),
    *_cases("Plain", "goals", "return [{'word': 0x43201}]"),
    *_cases("Pair", "goals", "return [{'first': 1, 'second': 0}]", "return [{'first': 4, 'second': 3}]"),
    *_cases("Pair", "goals", "return [{'first': 1, 'second': 0}, {'first': 0, 'second': 1}]", "return [{'first': 9}]"),
    *_cases("Boards", "goals", "return [{'pegs': 1, 'last': NONE}]", "return []"),
    *_cases("Boards", "goals", "return [{'pegs': 4, 'last': NONE}, {'pegs': 1, 'last': NONE}]"),
    *(
        Case(
            base, {"solved": TWO}, ("goals",), {"solved": TWO, "goals": "return [{'word': 0x43210}, {'word': 0x43201}]"}
        )
        for base in ("Swaps", "Keyed", "Plain")
    ),
    Case("Pair", {"solved": "return here.first < 2 and here.second < 2"}, ("goals",)),
    Case("Boards", {"solved": "return here.pegs == tables.goal or here.pegs == 32"}, ("goals",)),
]

GRAPH = [
    *_cases("Swaps", "graph", "'graded'", "'reversible'", "'any'", "'tree'"),
    *_cases("Keyed", "graph", "'graded'", "'reversible'", "'any'"),
    *_cases("Plain", "graph", "'graded'", "'reversible'", "'any'"),
    *_cases("Turning", "graph", "'graded'", "'bipartite'", "'any'"),
    *_cases("TurningByNumber", "graph", "'graded'", "'bipartite'", "'any'"),
    *_cases("OneWay", "graph", "'graded'", "'bipartite'", "'reversible'", named="goals"),
    *_cases("OneWayByNumber", "graph", "'graded'", "'bipartite'", "'reversible'"),
    *_cases("Hops", "graph", "'bipartite'", "'reversible'", "'any'"),
    *_cases("Boards", "graph", "'bipartite'", "'reversible'", "'any'"),
    *_cases("Pair", "graph", "'graded'", "'any'", "'bipartite'"),
]

BOUND = [
    Case("Swaps", {"expand": f"return bounded(tables, here, limit, rows, top, {times}, {more})"}, ("bound",))
    for times, more in ((3, 0), (4, 0), (10, 0), (1, 1), (1, 3), (2, 1), (2, 4), (0, 5), (2, 0), (0, 0), (1, 0))
]
BOUND += [
    Case("Swaps", {"root": f"return {{'word': 0x01234, 'bound': {bound}}}"}, ("bound",)) for bound in (11, 12, 13, 50)
]
BOUND += [
    Case("Swaps", rules, untold="bounds above all limits are how a puzzle says that it has no solution")
    for rules in (
        {"root": "return {'word': 0x01234, 'bound': 255}"},
        {"expand": "return bounded(tables, here, limit, rows, top, 0, 100)"},
    )
]
BOUND += [
    Case(
        "Swaps",
        {
            "expand": "end = bounded(tables, here, limit, rows, top, 1, 0)\nlast = top\n"
            "for number in range(top, end):\n    row = rows[number]\n"
            f"    row.bound += {more} * (row.word == {word})\n    rows[last] = row\n"
            "    last += row.cost + row.bound <= limit\nreturn last"
        },
        ("bound",),
    )
    for word, more in (("0x43210", 1), ("0x43210", 7), ("0x43201", 1), ("0x43201", 9), ("0x34210", 2), ("0x40123", 9))
]
BOUND[-1] = replace(BOUND[-1], untold="the state is far from all goals: only a search without the bound would tell")
BOUND[-2] = replace(BOUND[-2], untold="with a transposition table a search itself comes near few solutions")

LARGER = "return BoardsBack(self.rows + 1, self.hole, self.target)"
INVERSES = [*_cases("Boards", "inverse_puzzle", "return self", LARGER, "return 1")]

ENTRIES = [
    *_cases("Pair", "entries", "25", "49", "1", "51", "1000", "0", named="entry"),
    *_cases(
        "Pair",
        "entry",
        "return np.uint64(number) * np.uint64(3)",
        "return np.uint64(number) << np.uint64(50)",
        "return np.int64(number) - 25",
        named="entries",
    ),
]
ENTRIES += [
    replace(case, untold="where the rules of another puzzle look up a distance is known to them alone")
    for case in _cases(
        "Pair",
        "entry",
        "return np.uint64(0)",
        "return np.uint64(50) - np.uint64(number)",
        "return np.uint64(49) - (np.uint64(number) & ~np.uint64(1))",
    )
]

WEIGHT = _cases(
    "Words",
    "weight",
    "return np.int64(-1), np.int64(1)",
    "return tables.choose[here.ones], np.int64(-1)",
    "return tables.choose[here.ones], np.int64(1 << 62)",
    "return np.uint64(1) << np.uint64(63), np.int64(1)",
    "return np.float64(tables.choose[here.ones]) + 0.5, np.int64(1)",
    "return tables.choose[here.ones]",
    "return tables.choose[here.ones], np.int64(0)",
)

METHOD_CASES = [
    *_cases("Swaps", "root", "return {'word': 1 << 40}", "return {'letters': 3}", "return 3", "return {'bound': -1}"),
    *_cases("Swaps", "tables", "return [1, 2]", "return Tables(self)", "return Tables('five')", "return None"),
    *_cases("Swaps", "limits", "return range(0, 100, 3)", "return range(12, 100)", "return range(9, 0, -1)"),
    *_cases("Swaps", "limits", "return ['5']", "return 5", "return [1, 1, 2]", "return range(11, 12)"),
    *_cases(
        "Swaps", "steps", "return 1", "return limit // 2", "return -5", "return 1 << 20", "return 2.5", named="children"
    ),
    *_cases("Hops", "steps", "return 1", "return 3", named="children"),
]

CASES = [
    *(INDEX + UNINDEX + SIZE + KEY + UNKEY + CHILDREN + GOALS + GRAPH),
    *(BOUND + INVERSES + ENTRIES + WEIGHT + METHOD_CASES),
]
