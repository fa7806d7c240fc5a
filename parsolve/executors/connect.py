"""Connect to a dask cluster, or start one on this machine."""

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from parsolve.errors import BadInput
from parsolve.executors.dask import named

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 10.0
"""Seconds in which a scheduler must answer the first call."""


@contextlib.contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator["Client"]:
    """Connect to a dask scheduler.

    Args:
        address: such as `tcp://host:8786`, or `local` for a cluster on this machine, which ends with the body.
        patience: seconds in which a scheduler must answer the first call.

    Raises:
        BadInput: dask is not installed, the address is wrong, or no scheduler answers.
    """
    try:
        import distributed
    except ImportError as error:
        raise BadInput(f'dask cannot be imported ({error}): pip install "parsolve[dask]"') from None
    import dask

    for name in ("distributed", "distributed.client"):  # of this process, where the configuration has been read already
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set({"distributed.logging.distributed": "critical"}), contextlib.ExitStack() as stack:
        where: Any = address
        if address == "local":
            options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
            where = stack.enter_context(distributed.LocalCluster(n_workers=2, **options))
        try:
            client = distributed.Client(where, timeout=patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BadInput(
                f"no dask scheduler answers at {address} ({named(error)}): an address is such as tcp://host:8786"
            ) from None
        try:
            yield client
        finally:
            client.close(timeout=1)
