"""The machine's resources: cores, memory, files, the cache folder, and what foreign code is running."""
