"""Runs on disk: jobs, what is left of them and what they came to, in one SQLite file."""
