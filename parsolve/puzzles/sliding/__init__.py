"""sliding tiles of any shape up to 25 cells"""

from parsolve.puzzle.catalogue import Instance

INSTANCES = {
    "eight": Instance({"start": "8 6 7 2 5 4 3 0 1"}, "an 8-puzzle of 31 moves"),
    "five": Instance({"start": "4 5 0 1 2 3"}, "the hardest 5-puzzle, 21 moves"),
    "eleven": Instance(
        {"start": "0 3 2 1 8 7 6 5 4 11 10 9", "shape": "3x4"}, "an 11-puzzle, 76 solutions of 53 moves"
    ),
}
