"""Exact cover, for the families built on it: the rules, problems as data, packings of pieces."""
