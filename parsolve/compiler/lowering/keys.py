"""Keys of one or several words in compiled code: a tuple of uint64."""

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload

from parsolve.compiler import keys


@overload(keys.words_of, jit_options={"forceinline": True})
def _words_of(key: Any) -> Any:
    def tuple_of_one(key: Any) -> Any:
        return (np.uint64(key),)

    def itself(key: Any) -> Any:
        return key

    if isinstance(key, types.Integer | types.Boolean):
        return tuple_of_one
    return itself if is_tuple_of_words(key) else None


@overload(keys.key_in, jit_options={"forceinline": True})
def _key_in(array: Any, place: Any, like: Any) -> Any:
    def one(array: Any, place: Any, like: Any) -> Any:
        return array[np.uint64(place)]

    def several(array: Any, place: Any, like: Any) -> Any:
        words = like
        for number in range(len(like)):
            words = tuple_setitem(words, number, array[np.uint64(place) + np.uint64(number)])
        return words

    if not is_tuple_of_words(like):
        return None
    return one if like.count == 1 else several


@overload(keys.key_of, jit_options={"forceinline": True})
def _key_of(words: Any) -> Any:
    def one(words: Any) -> Any:
        return words[0]

    def several(words: Any) -> Any:
        return words

    if not is_tuple_of_words(words):
        return None
    return one if words.count == 1 else several


def is_tuple_of_words(kind: Any) -> bool:
    """Return whether a numba type is a tuple of 1 to MOST_WORDS uint64."""
    return isinstance(kind, types.UniTuple) and kind.dtype == types.uint64 and kind.count <= keys.MOST_WORDS
