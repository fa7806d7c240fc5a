"""The attack finds faults, in wrong answers and in how a command ends; and a small part of each attack finds none."""

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from attack_files import judge
from attack_report import Ended, forked
from conftest import ROOT
from worlds.compare import differences
from worlds.instances import FAMILIES
from worlds.plain import Answer, cheapest


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["flipit", "cover"])
def test_another_answer_is_a_difference(name: str) -> None:
    make, _ = FAMILIES[name]
    found: Counter[bool] = Counter()
    for number in range(5):
        instance = make(random.Random(number))
        wrong = replace(instance, answer=Answer(instance.answer.cost, instance.answer.count + 1, None), wants=["count"])
        found[any(differences(wrong, random.Random(number)))] += 1
    assert found == {True: 5}


def test_brute_force() -> None:
    edges = {0: [("a", 1, 1), ("b", 2, 0)], 1: [("c", 3, 1)], 2: [("d", 3, 2), ("e", 3, 2), ("f", 4, 3)], 3: [], 4: []}
    assert cheapest(0, edges.__getitem__, lambda place: place == 3) == Answer(
        2, 3, [("a", "c"), ("b", "d"), ("b", "e")]
    )
    assert cheapest(0, edges.__getitem__, lambda place: place == 4) == Answer(3, 1, [("b", "f")])
    assert cheapest(0, edges.__getitem__, lambda place: False) == Answer(None, 0, [])


RIGHT = Ended(0, "5\n", "")


@pytest.mark.parametrize(
    ("ended", "judged"),
    [
        (Ended(0, "5\n", "parsolve: the table cannot be used and is built again\n"), "right"),
        (Ended(2, "", "parsolve: the journal is damaged\n"), "refused"),
        (Ended(2, "", "parsolve: one line\nparsolve: another\n"), "exit code 2"),
        (Ended(0, "6\n", ""), "it prints '6"),
        (Ended(0, "5\n", "Traceback (most recent call last)\n"), "exit code 0"),
        (Ended(-11, "", ""), "exit code -11"),
        (Ended(-9, "", "", hung=True), "it hangs"),
    ],
)
def test_how_a_command_is_judged(ended: Ended, judged: str) -> None:
    assert judge(ended, RIGHT).startswith(judged)


@pytest.mark.processes
def test_what_hangs_or_crashes_is_told() -> None:
    assert forked(lambda: 3, 60) == Ended(3, "", "")
    assert "ZeroDivisionError" in forked(lambda: 1 // 0, 60).errors

    def hang() -> int:
        while True:
            pass

    assert forked(hang, 0.2).hung


@pytest.mark.nightly
@pytest.mark.parametrize(("part", "number"), [("files", "3"), ("edits", "1"), ("kills", "10")])
def test_files_edits_and_kills(part: str, number: str) -> None:
    command = [sys.executable, ROOT / "scripts" / "attack.py", part, "--number", number, "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 differences" in done.stdout
