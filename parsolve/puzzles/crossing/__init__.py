"""river crossings: jealous husbands, missionaries, wolf and goat"""

INSTANCES: dict[str, object] = {}
