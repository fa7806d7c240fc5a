"""Values from texts."""

from parsolve.errors import BadInput


def whole(text: str) -> int:
    """Return the whole number in a text of digits 0 to 9: Python also reads those of other scripts, and `1_000`.

    Raises:
        ValueError: the text is something else.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"no digits of 0 to 9: {text!r}")
    return int(text)


def size(text: str) -> int:
    """Return the bytes of a text such as `500M` or `8G`.

    Raises:
        BadInput: it is not a size.
    """
    bytes_ = _with_unit(text.upper(), {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40})
    if bytes_ is None:
        raise BadInput(f"a size such as 500M or 8G, not {text!r}")
    if not 1 <= bytes_ < 1 << 60:
        raise BadInput(f"a size of at least one byte, not {text!r}")
    return int(bytes_)


def duration(text: str) -> float:
    """Return the seconds of a text such as `90`, `30m` or `2h`.

    Raises:
        BadInput: it is not a time.
    """
    seconds = _with_unit(text.lower(), {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400})
    if seconds is None or not 0 < seconds < 1e9:
        raise BadInput(f"a time such as 90s, 30m or 2h, not {text!r}")
    return seconds


def _with_unit(text: str, units: dict[str, int]) -> float | None:
    number, unit = (text, "") if text[-1:].isdecimal() else (text[:-1], text[-1:])
    if not number.isascii():
        return None
    try:
        return float(number) * units[unit]
    except (ValueError, KeyError):
        return None
