"""The limit of memory within which a puzzle's tables are computed."""

import resource
import sys
import threading

import pytest

from parsolve.system.resources import free_memory, memory_in_use, memory_left, within_memory

pytestmark = pytest.mark.plain


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's data")
def test_two_threads_restore_the_limit_of_the_process() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    first_is_inside, second_waits = threading.Event(), threading.Event()

    def second() -> None:
        first_is_inside.wait()
        second_waits.set()
        with within_memory(2**30):
            pass

    other = threading.Thread(target=second)
    other.start()
    with within_memory(2**30):
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
        first_is_inside.set()
        second_waits.wait()
        other.join(timeout=0.2)  # without a lock it enters now, and leaves after this thread has
    other.join()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's addresses")
def test_a_limit_of_addresses_is_one_of_memory() -> None:
    """A search reserves addresses for all that it may store: `ulimit -v` must not make that fail."""
    before, room = resource.getrlimit(resource.RLIMIT_AS), 2**30
    resource.setrlimit(resource.RLIMIT_AS, (memory_in_use().vms + room, before[1]))
    try:
        assert free_memory() <= room // 2
        assert (memory_left(2**60) or 0) <= room // 2
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
