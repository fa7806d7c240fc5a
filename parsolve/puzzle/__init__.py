"""The contract between a puzzle and the engines: its core, and the optional members in groups."""
