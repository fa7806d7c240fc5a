"""What makes random instances of every family of puzzles and of every kind of graph."""

from worlds import covers, families, narrow, peg, walks

FAMILIES = walks.FAMILIES | narrow.FAMILIES | families.FAMILIES | covers.FAMILIES | peg.FAMILIES
"""By name: what makes an instance of random numbers, and its share."""
