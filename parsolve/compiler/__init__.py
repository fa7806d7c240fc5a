"""Compile a puzzle's rules into the kernels of both searches, and keep these on disk."""
