"""The lookups of the rules for counting, made from problems in stages."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.exact_cover.stages import LOOK, START, WORD, Stage


class Tables(NamedTuple):
    """The lookups of the rules. Stages are numbered through all problems, options by stage."""

    starts: np.ndarray[Any, Any]  # uint64[...]: the first stage of each problem, once for each time it is counted
    kinds: np.ndarray[Any, Any]  # uint8[stages]
    options: np.ndarray[Any, Any]  # uint32[stages + 1]: the first option of each stage
    first: np.ndarray[Any, Any]  # uint32[stages]: where options that cover its item begin in `blocks`, its own first
    ends: np.ndarray[Any, Any]  # uint32[stages, LOOK]: where those end that are of 0, 1 … stages before it at most
    blocks: np.ndarray[Any, Any]  # uint64[words, ...]: by option, the bits that must not be set
    sets: np.ndarray[Any, Any]  # uint64[options + 1, words]: the bits that it sets; the last one is none
    adds: np.ndarray[Any, Any]  # uint64[options + 1, words]: its increments of counters
    done: np.ndarray[Any, Any]  # uint64[stages, words]: the bit for its item being covered
    keep: np.ndarray[Any, Any]  # uint64[stages, words]: the bits that still matter after it
    guards: np.ndarray[Any, Any]  # uint64[stages, words]: the highest bit of each counter
    above: np.ndarray[Any, Any]  # uint64[stages, words]: added to a counter, it sets that bit above the maximum
    ending: np.ndarray[Any, Any]  # uint64[stages, words]: the highest bit of each counter that ends with the stage
    enough: np.ndarray[Any, Any]  # uint64[stages, words]: added to a counter, it sets that bit unless below the minimum
    like: tuple[np.uint64, ...]  # a key: its length is known when a kernel is compiled


def tables_of(problems: Sequence[Sequence[Stage]], times: Sequence[int], words: int) -> Tables:
    """Return the lookups of problems.

    Args:
        problems: the stages of each.
        times: how often each is counted.
        words: words of a state.
    """
    stages = [*([Stage(START)] if sum(times) > 1 else []), *itertools.chain.from_iterable(problems)]
    begins = len(stages) - np.cumsum([*map(len, problems)][::-1])[::-1]
    groups = [group for stage in stages for group in stage.near]
    ends = np.cumsum([*map(len, groups)]).reshape(-1, LOOK)
    own = [choice for stage in stages for choice in stage.near[0]]

    def rows(sets: Iterable[int]) -> np.ndarray[Any, Any]:
        """Return sets of bits as uint64[n, words]."""
        data = b"".join(bits.to_bytes(WORD // 8 * words, "little") for bits in sets)
        return np.frombuffer(data, "<u8").astype(np.uint64).reshape(-1, words)

    return Tables(
        np.repeat(begins, times).astype(np.uint64),
        np.array([stage.kind for stage in stages], np.uint8),
        np.cumsum([0, *(len(stage.near[0]) for stage in stages)]).astype(np.uint32),
        np.array([0, *ends[:-1, -1]], np.uint32),
        ends.astype(np.uint32),
        np.ascontiguousarray(rows(choice.blocks for group in groups for choice in group).T),
        rows([*(choice.sets for choice in own), 0]),
        rows([*(choice.adds for choice in own), 0]),
        rows(stage.done for stage in stages),
        rows((1 << WORD * words) - 1 ^ stage.clear for stage in stages),
        rows(stage.guards for stage in stages),
        rows(stage.above for stage in stages),
        rows(stage.ending for stage in stages),
        rows(stage.enough for stage in stages),
        (np.uint64(0),) * words,
    )
