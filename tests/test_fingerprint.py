"""The fingerprint of a puzzle's class covers all that its rules reach."""

import functools
import sys

import pytest

from parsolve.kernel import fingerprint

CONSTANT = 3


def helper(x: int) -> int:
    return x + CONSTANT


class Example:
    @staticmethod
    def rule(x: int) -> int:
        return helper(x)


def test_the_fingerprint_covers_values(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.of_class(Example)
    assert not before.opaque
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 4)
    assert fingerprint.of_class(Example).digest() != before.digest()
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", object())
    assert fingerprint.of_class(Example).opaque
    monkeypatch.undo()
    assert fingerprint.of_class(Example).digest() == before.digest()


def test_the_fingerprint_covers_closures() -> None:
    def example(value: int) -> type:
        class Inner:
            @staticmethod
            def rule(x: int) -> int:
                return x + value

        return Inner

    assert fingerprint.of_class(example(1)).digest() == fingerprint.of_class(example(1)).digest()
    assert fingerprint.of_class(example(1)).digest() != fingerprint.of_class(example(2)).digest()


@functools.cache
def kept(number: int) -> int:
    return number


def test_a_function_that_keeps_its_results_is_seen_through() -> None:
    """Else a kernel of a puzzle whose tables come from one would be compiled in every process."""
    found = fingerprint.Fingerprint()
    found.add("kept", kept)
    plain = fingerprint.Fingerprint()
    plain.add("kept", kept.__wrapped__)
    assert not found.opaque
    assert found.digest() == plain.digest()


def test_a_fingerprint_holds_until_a_name_means_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fingerprint.of_class(Example)
    assert found.holds
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x)
    assert not found.holds
    monkeypatch.undo()
    assert found.holds
    monkeypatch.setattr(Example, "rule", staticmethod(lambda x: x))
    assert not found.holds
