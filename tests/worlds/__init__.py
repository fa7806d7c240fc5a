"""Puzzles at random, each with its plain brute force: for the tests and for `scripts/attack.py`."""
