"""The compiled functions of breadth-first search, by how it stores the states of a puzzle class."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.kernel import dense, layer
from parsolve.kernel.functions import cached, inner
from parsolve.kernel.rules import Rules

merge_duplicates, grow_table = cached(layer.merge_duplicates), cached(layer.grow_table)
"""These call no rules: they are compiled for each dtype of states, not for each class."""


class LayerKernel(NamedTuple):
    """Search over whole states, for a puzzle class with a key."""

    expand_layer: Callable[..., bool]
    merge_duplicates: Callable[..., bool]
    grow_table: Callable[..., None]
    inspect_rows: Callable[..., int]

    @classmethod
    def of(cls, kernel: Rules) -> Self:
        """Return these functions for a puzzle class."""
        return cls(
            kernel.function(layer.expand_layer, key=kernel.key, **kernel.rules),
            merge_duplicates,
            grow_table,
            kernel.function(layer.inspect_rows, key=kernel.key, **kernel.rules),
        )


class DenseKernel(NamedTuple):
    """Search over numbered states, for a puzzle class with `index`."""

    expand_words: Callable[..., int]
    expand_layer: Callable[..., bool]  # with numbers as keys
    inspect_rows: Callable[..., int]  # with numbers as keys
    write_rows: Callable[..., None]

    @classmethod
    def of(cls, kernel: Rules) -> Self:
        """Return these functions for a puzzle class."""
        puzzle = kernel.cls
        numbering: dict[str, Any] = {
            "index": puzzle.index,
            "unindex": puzzle.unindex,
            "entry": puzzle.entry or dense.itself,
        }
        # A call would cost more than these rules.
        names = kernel.rules | {name: inner(rule, True, inline_helpers=True) for name, rule in numbering.items()}
        names["index_far"] = inner(numbering["index"])
        numbers = kernel.rules | {"key": names["index"]}
        return cls(
            kernel.function(dense.expand_words, **names),
            kernel.function(layer.expand_layer, "-numbered", **numbers),
            kernel.function(layer.inspect_rows, "-numbered", **numbers),
            kernel.function(layer.write_rows, "-numbered", write=names["unindex"], **kernel.rules),
        )
