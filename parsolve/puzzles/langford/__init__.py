"""two of each number from 1 to n, with as many between them"""

INSTANCES: dict[str, object] = {}
