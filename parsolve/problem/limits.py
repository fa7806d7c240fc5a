"""The limit of a search that has none."""

NO_LIMIT = 1 << 34
"""A limit that cuts nothing: cost and bound have 32 bits at most. It is not greater, so that rules can shift it."""
