"""n queens that do not attack each other, in five ways"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
