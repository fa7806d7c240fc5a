"""What the author of a puzzle may give beside the core, in groups: each a file with its members and their defaults."""
