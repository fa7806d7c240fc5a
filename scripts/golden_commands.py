"""The commands whose output is frozen, by group: one a line, without `parsolve`; those of a paragraph are run one after
the other in one folder. README and docs are a group each of their own, read from the pages."""

import re

from shown import shown

LEFT_OUT = {
    "queens --n 2[0-9]": "it takes hours",
    "english33 --vacancy": "it takes a minute where its table is not yet built",
    "diamond41 .*--engine breadth": "it takes a minute",
    "--dask": "it needs a cluster",
    "^completion ": "a test compares the scripts",
    "pentominoes.dlx|xmpuzzle": "its file is not shown",
    "^help sliding": "the group `help` has one like it",
    "^bench queens$": "it takes a minute; the group `machine` has smaller ones",
}
"""Shown commands that are not run, and why not. Those of docs/packages.md are run by a nightly test, which compares
what they print."""

FAMILIES = """
count hoppers --engine both --json
solve peg --first any --want first
count peg --board french37 --vacancy d4 --target any --json

solve eight --json
count eight --json
count eight --engine both
solve eight --at-most 1 --engine both
unique eight
solve hoppers --slack 1
solve eight --want first --json
solve eight --want any --limit 33 --json --quiet
solve five --boards
solve sliding --start "1 2 3 4 5 6 7 0 8" --goal blank-last
count sliding --start "1 2 3 4 5 6 8 7 0"
explore five
explore five --json --boards
explore sliding --shape 2x4 --from start --json

solve jugs --json
count jugs --engine both --json
solve jugs --capacities "6 4" --target 3

solve crossing --json
count crossing --engine both --json
solve crossing --kind wolf --boards
explore crossing

solve flipit-a --json
solve flipit --row "BB_B" --boards

solve queens --n 6 --json
solve queens --n 6 --boards
solve queens --n 6 --unique --json
count queens --n 11 --unique --json
solve queens --n 6 --method quadrants
explore queens --n 6

solve permutations --n 4 --json
count permutations --n 8 --json
explore permutations --n 4

solve cover --json
count cover --json
count cover --engine both
explore cover

solve polyominoes --json
count polyominoes --unique --json
solve polyominoes --board 3x20 --pieces pentominoes --unique --boards

solve sudoku --json
solve sudoku --boards
count sudoku --json
solve sudoku --grid 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..7. --want first

solve langford --json
solve langford --n 3 --boards
"""

KNOWLEDGE = """
list
--version

describe peg
describe hoppers --json
describe sliding
describe jugs
describe flipit
describe queens --json
describe cover
describe polyominoes --json
describe sudoku
describe my_puzzle.py:LightsOut --json

check hoppers --states 500
check five
check five --json
check my_puzzle.py:LightsOut --json

estimate hoppers --time 0.2s
estimate hoppers --limit 6 --time 0.2s --json
estimate queens --n 6 --time 0.2s --json
estimate five --limit 21 --time 0.2s
"""

ROWS = """
count sliding --file korf100.csv --rename tiles=start --goal blank-first
count sliding --file korf100.csv --rename tiles=start --goal blank-first --json
count peg --file rows.csv --transposition none
solve peg --file rows.csv --transposition none
solve peg --file rows.csv --transposition none --json --quiet
count queens --file sizes.csv --method bits
count queens --file sizes.csv --method bits --json
count queens --file bad.csv
count queens --file bad.csv --json
count sudoku --file grids.txt --json
count queens --file nothing.csv
count queens --file sizes.csv --rename size
count queens --file sizes.csv --rename other=n
count queens --file sizes.csv --journal night.sqlite
"""

JOURNAL = """
solve eight --journal it.sqlite --limit 27
status it.sqlite
status it.sqlite --json
show it.sqlite
show it.sqlite --solutions
solve eight --journal it.sqlite --limit 29 --json
status it.sqlite
solve eight --journal it.sqlite --quiet --bound manhattan
solve eight --journal it.sqlite --json
status it.sqlite
show it.sqlite
show it.sqlite eight --json
show it.sqlite --solutions
show it.sqlite --solutions --json
show it.sqlite --solutions --boards
show it.sqlite nine
count eight --journal it.sqlite
solve five --journal it.sqlite
status it.sqlite --json
export it.sqlite
export it.sqlite --format json
export it.sqlite --solutions
report it.sqlite -o it.html

count queens --n 9 --journal it.sqlite
count queens --n 9 --journal it.sqlite
count queens --n 10 --journal it.sqlite
count queens --n 9 --unique --journal it.sqlite --json
solve my_puzzle.py:LightsOut --journal it.sqlite
show it.sqlite LightsOut --solutions
show it.sqlite LightsOut --solutions --puzzle my_puzzle.py:LightsOut
status it.sqlite

run batch.toml --journal it.sqlite --only queens-6,queens-8
status it.sqlite
run batch.toml --journal it.sqlite
run batch.toml --journal it.sqlite
run batch.toml --journal it.sqlite --quiet
status it.sqlite
status it.sqlite --json
show it.sqlite
show it.sqlite easy --solutions
show it.sqlite limited --json
export it.sqlite
export it.sqlite --format json
export it.sqlite --solutions
report it.sqlite -o it.html
run batch.toml --journal it.sqlite --only nothing
run bad.toml --journal it.sqlite
run unknown.toml --journal it.sqlite
run nothing.toml --journal it.sqlite

status nothing.sqlite
status jobs.toml
show nothing.sqlite
export nothing.sqlite
report nothing.sqlite -o it.html
"""

MACHINE = """
tables
tables --json
tables build five
tables build sliding --shape 3x3 --bound patterns
tables
tables --json
tables delete Pattern-
tables delete Nothing
tables delete --all
tables

bench queens --n 6-7 --rounds 1 --workers 1
bench queens --n 6 --rounds 1 --workers 1 --methods bits --json
bench queens --n 6 --rounds 2 --workers 1,2 --methods bits --output mine
bench queens --methods knights
bench sudoku
"""

OPTIONS = """
count queens --n 10 --workers 2
count eight --transposition none --json
count eight --transposition 1M --json
count eight --limit 30
count eight --limit 31 --json
solve eight --limit 20 --json
solve eight --want first --limit 31
solve eight --want count
solve hoppers --quiet
solve hoppers --html hoppers.html
solve hoppers --html hoppers.html --json --quiet
solve hoppers --log it.log
explore five --spill states
count eight --timeout 1h --max-memory 8G
count peg --board cross.txt --vacancy c1 --target any --limit 3
"""

COMMANDS = (
    *("solve", "count", "explore", "estimate", "list", "describe", "check", "run", "status", "show"),
    *("report", "export", "tables", "bench", "completion", "help"),
)

HELP = "\n".join(
    [
        "",
        "--help",
        "tables build --help",
        "tables delete --help",
        *(f"{command} --help" for command in COMMANDS),
        "help peg",
        "count my_puzzle.py:LightsOut --help",
    ]
)


def sessions(text: str) -> list[list[str]]:
    """Return the paragraphs of a group, each a list of commands."""
    return [paragraph.splitlines() for paragraph in text.strip().split("\n\n")]


def shown_sessions() -> list[list[str]]:
    """Return the commands that README and docs show; those about a journal find one of a batch that is done."""
    found = []
    for command, _ in shown():
        if not any(re.search(pattern, command) for pattern in LEFT_OUT):
            begun = "night.sqlite" in command and not command.startswith("run")
            found.append([*(["run jobs.toml --journal night.sqlite --quiet"] if begun else []), command])
    return found


GROUPS = {
    "readme": shown_sessions(),
    "families": sessions(FAMILIES),
    "knowledge": sessions(KNOWLEDGE),
    "rows": sessions(ROWS),
    "journal": sessions(JOURNAL),
    "machine": sessions(MACHINE),
    "options": sessions(OPTIONS),
    "help": sessions(HELP),
}

FILES = {
    "rows.csv": "id,vacancy,target,note\na,6,6,the first\nb,0,0,\nc,3,nowhere,wrong\nd,6,any,\n",
    "sizes.csv": "n\n4\n5\n6\n",
    "bad.csv": "n,size\n4,1\n5,2\n",
    "batch.toml": """
[defaults]
workers = 1
[[job]]
name = "queens"
puzzle = "queens"
n = [6, 7, 8]
want = "count"
[[job]]
name = "easy"
puzzle = "hoppers"
transposition = "none"
[[job]]
name = "limited"
puzzle = "eight"
limit = 27
[[job]]
name = "layers"
puzzle = "five"
engine = "breadth"
[[job]]
name = "rows"
puzzle = "queens"
file = "sizes.csv"
""",
    "bad.toml": '[[job]]\npuzzle = "queens"\nsize = 3\n',
    "unknown.toml": '[[job]]\npuzzle = "quens"\n',
}
"""What else lies in the folder, beside the files that README and docs name."""
