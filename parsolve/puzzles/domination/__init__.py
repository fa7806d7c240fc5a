"""the fewest chess pieces that attack or occupy all squares of a board"""

INSTANCES: dict[str, object] = {}
