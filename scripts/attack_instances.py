"""Random instances against plain brute force: every engine, every kind of answer, every option that may change none."""

import argparse
import contextlib
import json
import mmap
import os
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from attack_report import Part, forked
from worlds.compare import differences
from worlds.instances import FAMILIES
from worlds.plain import Instance

NUMBER = 20_000
"""Instances, unless another number is asked for."""

PATIENCE = 120.0
"""Seconds after which an instance counts as hanging: to compile a kernel takes some."""


def attack(options: argparse.Namespace) -> Part:
    """Compare random instances of all families; `--only` and `--instance` choose some."""
    part = Part(("family", "instances", "searches", "differences", "seconds"))
    chosen = {name: family for name, family in FAMILIES.items() if options.only in (None, name)}
    if not chosen:
        raise SystemExit(f"--only is one of {', '.join(FAMILIES)}")
    every = sum(share for _, share in chosen.values())
    for name, (make, share) in chosen.items():
        number = max(1, round((options.number or NUMBER) * share / every))
        numbers = range(number) if options.instance is None else range(options.instance, options.instance + 1)
        before, begin = len(part.differences), time.monotonic()
        tables = _tables()
        searches = _compare(part, name, make, options.seed, numbers)
        seconds = round(time.monotonic() - begin, 1)
        part.rows.append((name, len(numbers), searches, len(part.differences) - before, seconds))
        print(*part.rows[-1], sep=", ", file=sys.stderr, flush=True)
        for table in _tables() - tables:
            table.unlink()  # of abstractions of single instances
    return part


def _compare(part: Part, name: str, make: Callable[[random.Random], Instance], seed: int, numbers: range) -> int:
    """Compare instances in processes of their own; return how many searches that were."""
    tally = mmap.mmap(-1, 16)  # the number of the present instance, and of searches
    first = numbers.start
    while first < numbers.stop:

        def act(first: int = first) -> int:
            for number in range(first, numbers.stop):
                struct.pack_into("q", tally, 0, number)
                for text in _of_instance(name, make, seed, number, tally):
                    print(json.dumps(text))
            struct.pack_into("q", tally, 0, numbers.stop)
            return 0

        ended = forked(act, PATIENCE, lambda: struct.unpack_from("q", tally, 0)[0])
        for line in ended.output.splitlines():
            with contextlib.suppress(ValueError):
                part.differ(json.loads(line))
        (number,) = struct.unpack_from("q", tally, 0)
        if number < numbers.stop:
            why = "hangs" if ended.hung else f"ends the process with {ended.code}: {ended.errors[-500:]}"
            part.differ(f"{_named(name, seed, number)}: {why}")
        first = number + 1
    return int(struct.unpack_from("q", tally, 8)[0])


def _of_instance(
    name: str, make: Callable[[random.Random], Instance], seed: int, number: int, tally: mmap.mmap
) -> Iterator[str]:
    random_ = random.Random(f"{seed} {name} {number}")
    try:
        instance = make(random_)
    except Exception as error:
        yield f"{_named(name, seed, number)}: {type(error).__name__}: {error}"
        return
    for text in differences(instance, random_, tally):
        yield f"{_named(name, seed, number)}: {instance.puzzle}: {text}"


def _tables() -> set[Path]:
    """Return the tables in the cache folder."""
    return set(Path(os.environ["PARSOLVE_CACHE_DIR"]).glob("*.table"))


def _named(name: str, seed: int, number: int) -> str:
    """Return the command that repeats an instance."""
    return f"attack.py instances --seed {seed} --only '{name}' --instance {number}"
