"""fill a Sudoku's grid"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
