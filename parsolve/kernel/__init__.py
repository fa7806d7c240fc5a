"""Compiled code: a puzzle's rules made into one depth-first kernel, cached on disk."""
