"""Keys of one or several words in compiled code: a tuple of uint64."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError

from parsolve.compiler import keys
from parsolve.compiler.lowering import lowers

WORD = types.UniTuple(types.uint64, 1)


def _itself(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


@lowers(keys.words_of)
def _words_of(context: Any, key: Any) -> Any:
    if is_tuple_of_words(key):
        return key(key), _itself
    if not isinstance(key, types.Integer | types.Boolean):
        raise TypingError(f"a key that is {key}")
    return WORD(types.uint64), lambda context, builder, signature, arguments: context.make_tuple(
        builder, WORD, arguments
    )


@lowers(keys.key_of)
def _key_of(context: Any, words: Any) -> Any:
    if words.count > 1:
        return words(words), _itself
    return types.uint64(words), lambda context, builder, signature, arguments: builder.extract_value(arguments[0], 0)


@lowers(keys.key_in)
def _key_in(context: Any, array: Any, place: Any, like: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(array)(context, builder, arguments[0]).data
        first = builder.gep(data, [arguments[1]])
        words = [builder.load(builder.gep(first, [ir.IntType(64)(number)])) for number in range(like.count)]
        return words[0] if like.count == 1 else context.make_tuple(builder, like, words)

    return (types.uint64 if like.count == 1 else like)(array, types.uint64, like), generate


def is_tuple_of_words(kind: Any) -> bool:
    """Return whether a numba type is a tuple of 1 to MOST_WORDS uint64."""
    return isinstance(kind, types.UniTuple) and kind.dtype == types.uint64 and kind.count <= keys.MOST_WORDS
