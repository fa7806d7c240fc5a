"""Keys of one or several words in compiled code: a tuple of uint64."""

from typing import Any

from llvmlite import ir
from numba import TypingError, types

from parsolve.compiler import keys
from parsolve.compiler.lowering.basics import lowers
from parsolve.compiler.lowering.instructions import address_of

ONE_WORD = types.UniTuple(types.uint64, 1)


def _itself(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


@lowers(keys.words_of)
def _words_of(context: Any, key: Any) -> Any:
    if is_tuple_of_words(key):
        return key(key), _itself
    if not isinstance(key, types.Integer | types.Boolean):
        raise TypingError(f"a key that is {key}")
    return ONE_WORD(types.uint64), lambda context, builder, _, words: context.make_tuple(builder, ONE_WORD, words)


@lowers(keys.key_of)
def _key_of(context: Any, words: Any) -> Any:
    if words.count > 1:
        return words(words), _itself
    return types.uint64(words), lambda context, builder, signature, arguments: builder.extract_value(arguments[0], 0)


def _places(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Return the addresses of the words of a key that an array holds from a place on."""
    first = address_of(context, builder, signature, arguments)
    return [builder.gep(first, [ir.IntType(64)(number)]) for number in range(signature.args[2].count)]


@lowers(keys.key_in)
def _key_in(context: Any, array: Any, place: Any, like: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [builder.load(each) for each in _places(context, builder, signature, arguments)]
        return words[0] if like.count == 1 else context.make_tuple(builder, like, words)

    return (types.uint64 if like.count == 1 else like)(array, types.uint64, like), generate


@lowers(keys.store_words)
def _store_words(context: Any, array: Any, place: Any, words: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        for number, each in enumerate(_places(context, builder, signature, arguments)):
            builder.store(builder.extract_value(arguments[2], number), each)
        return context.get_dummy_value()

    return types.void(array, types.uint64, words), generate


def is_tuple_of_words(kind: Any) -> bool:
    """Return whether a numba type is a tuple of 1 to MOST_WORDS uint64."""
    return isinstance(kind, types.UniTuple) and kind.dtype == types.uint64 and kind.count <= keys.MOST_WORDS
