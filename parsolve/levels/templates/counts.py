"""Counts of several words: some bits each, the lowest first."""

from typing import Any

import numpy as np

from parsolve.compiler.bits import ONE, ZERO


def add_count(sums: Any, at: Any, words: Any, others: Any, start: Any, other_words: Any, bits: Any) -> Any:
    """Add a count, `other_words` of `others`, uint64[n], from a place on, to a sum with enough words."""
    full = (ONE << np.uint64(bits)) - ONE
    carry = ZERO
    word = 0
    while word < other_words:
        total = sums[at + word] + others[start + word] + carry
        sums[at + word] = total & full
        carry = total >> np.uint64(bits)
        word += 1
    while carry != ZERO and word < words:
        total = sums[at + word] + carry
        sums[at + word] = total & full
        carry = total >> np.uint64(bits)
        word += 1
