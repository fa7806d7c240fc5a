"""Compile a puzzle's rules into the kernels of all searches, and keep these on disk."""
