"""Jobs on disk: what each has found and what is left of it, in one SQLite file."""
