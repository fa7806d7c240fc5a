"""fill a board with pentominoes or other pieces"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
