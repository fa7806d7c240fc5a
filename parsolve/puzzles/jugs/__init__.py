"""water jugs: measure an amount by filling, emptying and pouring"""

INSTANCES: dict[str, object] = {}
