"""What the machine gives: cores, memory, files, the cache folder, and what foreign code runs."""
