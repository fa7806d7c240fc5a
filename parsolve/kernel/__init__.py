"""Compiled code: a puzzle's rules made into the kernels of both searches, cached on disk."""
