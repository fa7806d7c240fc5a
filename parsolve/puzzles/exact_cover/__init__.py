"""Exact cover, for the families that are built on it: the rules, problems as data, packings of pieces."""
