"""Teach numba what the marked plain functions are in compiled code: a few instructions of the processor.

Imported only to compile: the functions themselves, with their bodies for plain Python, are in modules without numba.
"""

from parsolve.compiler.lowering import instructions, words
from parsolve.compiler.lowering.basics import lowers

__all__ = ["instructions", "lowers", "words"]
