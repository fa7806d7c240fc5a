"""water jugs: measure an amount by filling, emptying and pouring"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
