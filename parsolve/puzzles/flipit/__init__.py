"""a row of two-sided pieces: what is jumped over turns; make all white"""

from parsolve.puzzle.catalogue import Instance

INSTANCES = {
    "flipit-a": Instance({"row": "BB_BBB"}, "five pieces, 7 solutions of 8 moves"),
    "flipit-b": Instance({"row": "B_WBBBB"}, "six pieces, 41 solutions of 8 moves"),
    "flipit-c": Instance({"row": "B_WWWBBB"}, "seven pieces, 73 solutions of 8 moves"),
}
