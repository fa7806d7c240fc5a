"""Keys of one or several words in compiled code: a tuple of uint64."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from parsolve.kernel import keys


@overload(keys.words_of, jit_options={"forceinline": True})
def _words_of(key: Any) -> Any:
    def tuple_of_one(key: Any) -> Any:
        return (np.uint64(key),)

    def itself(key: Any) -> Any:
        return key

    if isinstance(key, types.Integer | types.Boolean):
        return tuple_of_one
    return itself if is_tuple_of_words(key) else None


def is_tuple_of_words(kind: Any) -> bool:
    """Return whether a numba type is a tuple of 1 to MOST_WORDS uint64."""
    return isinstance(kind, types.UniTuple) and kind.dtype == types.uint64 and kind.count <= keys.MOST_WORDS
