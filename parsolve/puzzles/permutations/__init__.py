"""all permutations of n things, in two ways"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
