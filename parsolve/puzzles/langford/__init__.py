"""two of each number from 1 to n, with as many between them"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
