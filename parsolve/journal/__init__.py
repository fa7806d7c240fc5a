"""Jobs on disk: their solutions and their open branches, in one SQLite file."""
