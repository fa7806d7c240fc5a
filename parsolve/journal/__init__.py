"""Runs on disk: jobs, what is left of them and what they came to, in one SQLite file."""

from parsolve.journal.journal import Job, Journal

__all__ = ["Job", "Journal"]
