"""fill a Sudoku's grid"""

INSTANCES: dict[str, object] = {}
