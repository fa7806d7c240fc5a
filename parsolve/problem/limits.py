"""The limit of a search without a limit."""

NO_LIMIT = 1 << 34
"""A limit that cuts nothing: cost and bound have at most 32 bits. It is not greater, so that rules can shift it."""
