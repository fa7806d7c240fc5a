"""river crossings: jealous husbands, missionaries, wolf and goat"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
