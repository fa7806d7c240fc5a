"""Rows as a pandas DataFrame, where pandas is installed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.errors import BadInput

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> "DataFrame":
    """Return a DataFrame.

    Args:
        rows: values by column.
        columns: the first ones, which exist even without rows.

    Raises:
        BadInput: pandas is not installed.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise BadInput("to_frame needs pandas, which is not installed: pip install pandas") from None
    every = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    found = DataFrame(list(rows), columns=list(every), dtype=object)
    inferred = found.infer_objects()
    for name in every:
        kinds = {type(row.get(name)) for row in rows}
        if int in kinds and len(kinds) > 1:  # pandas would turn whole numbers with gaps into floats, which round
            inferred[name] = found[name]
    return inferred
