"""n queens that do not attack each other, in five ways"""

INSTANCES: dict[str, object] = {}
