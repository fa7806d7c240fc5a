"""A JSON object on stdout whose one long list is written item by item, so that nobody need hold it."""

import json
import sys
from collections.abc import Mapping
from typing import Any


class JsonStream:
    """A JSON object that is being written on stdout.

    Args:
        head: the members before the list; not empty.
        key: the list's; None for no list.
    """

    def __init__(self, head: Mapping[str, Any], key: str | None) -> None:
        self._key = key
        self._items = 0
        sys.stdout.write(json.dumps(head, indent=2)[:-2])
        if key is not None:
            sys.stdout.write(f',\n  "{key}": [')

    def item(self, value: Any) -> None:
        """Write the next item of the list."""
        sys.stdout.write(("," if self._items else "") + "\n    " + json.dumps(value))
        self._items += 1

    def end(self, rest: Mapping[str, Any]) -> None:
        """Write the members after the list, of which there is at least one, and the end."""
        if self._key is not None:
            sys.stdout.write("\n  ]" if self._items else "]")
        sys.stdout.write(",\n" + json.dumps(rest, indent=2)[2:] + "\n")
