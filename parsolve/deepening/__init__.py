"""Iterative deepening over branches, slices and outcomes, on any number of workers."""
