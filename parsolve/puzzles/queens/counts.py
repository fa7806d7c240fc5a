"""The numbers of solutions of N queens, and the time to count them."""

import math

MOST = 28
"""The largest board: 28 is the smallest size whose number of solutions is unknown, and takes hundreds of core years."""

# fmt: off
KNOWN = (
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
    4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736, 2207893435808352,
    22317699616364044, 234907967154122528,
)
# fmt: on
"""Numbers of solutions by n (OEIS A000170), from which the time of a search is estimated."""

EXPECTED = 2_560_000_000_000_000_000
"""An estimate of the solutions of 28 queens: the quotients of successive counts grow evenly, to 10.9 here."""

RATES = {"backtrack": 8e4, "bits": 9e5, "mirror": 1.9e6, "quadrants": 8e8}
"""Solutions per second of each method on one core of 2025, at the sizes that take it minutes."""

PERMUTATIONS_RATE = 1e7
"""Permutations per second, all columns and their beginnings."""


def days_needed(n: int, method: str, workers: int) -> str:
    """Return a warning if counting takes days; otherwise nothing."""
    if method == "permutations":
        seconds = math.factorial(n) * math.e / PERMUTATIONS_RATE
    else:
        seconds = (*KNOWN, EXPECTED)[n] / RATES.get(method, RATES["bits"])
    days = seconds / 86400 / workers
    if days < 1:
        return ""
    return (
        f"queens: n = {n} by {method} takes some {days:,.0f} days on {workers if workers > 1 else 'one'}"
        f" {'cores' if workers > 1 else 'core'} of 2025"
    )
