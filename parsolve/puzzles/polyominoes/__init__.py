"""fill a board with pentominoes or other pieces"""

INSTANCES: dict[str, object] = {}
