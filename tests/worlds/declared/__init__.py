"""Puzzles that say of themselves what is not true."""
