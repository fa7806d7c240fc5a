"""all permutations of n things, in two ways"""

INSTANCES: dict[str, object] = {}
