"""What parsolve prints and logs keeps the JSON Schemas of docs/schemas, and so do job files."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run
from grammar import parser_of
from shown import JOBS

from parsolve.batch.jobs import OWN, SETTINGS

pytest.importorskip("jsonschema", reason="jsonschema is not installed")

from jsonschema import Draft7Validator

SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").glob("*.json")}


def assert_keeps(name: str, data: Any) -> None:
    faults = [f"{fault.json_path}: {fault.message}" for fault in Draft7Validator(SCHEMAS[name]).iter_errors(data)]
    assert not faults, f"{name}: {faults[:3]}"


def test_they_are_schemas() -> None:
    for schema in SCHEMAS.values():
        Draft7Validator.check_schema(schema)
    assert SCHEMAS["jobs"]["definitions"]["job"]["properties"].keys() == {*OWN, *SETTINGS}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search", "solve hoppers --slack 0"),
        ("search", "solve five --want first"),
        ("search", "solve five --want any --limit 25"),
        ("search", "solve five --at-most 0"),
        ("search", "count queens --n 6"),
        ("search", "count hoppers --slack 1"),
        ("search", "count sliding --start '1 2 3 4 5 6 8 7 0'"),
        ("search", "count queens --n 6 --part 1/2"),
        ("search", "unique sudoku"),
        ("explore", "explore five"),
        ("explore", "explore peg --board triangle10 --vacancy 2"),
    ],
)
def test_searches(run: Run, name: str, words: str) -> None:
    assert_keeps(name, json.loads(run(*shlex.split(words), "--json", "--quiet", code=None).stdout))


def test_rows(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("id,n,note\na,4,first\nb,5,\nc,eight,wrong\n")
    for words in (["solve"], ["count"], ["count", "--at-most", "5"], ["unique"]):
        done = run(words[0], "queens", "--file", "rows.csv", *words[1:], "--json", "--quiet", code=None)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert {line["status"] for line in lines} >= {"failed"}
        for line in lines:
            assert_keeps("row", line)


def test_journals_and_logs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("solve", "hoppers", "--journal", "it.sqlite", "--log", "it.log", "--quiet")
    run("count", "queens", "--n", "15", "--journal", "it.sqlite", "--name", "q", "--timeout", "0.1", code=None)
    assert_keeps("status", json.loads(run("status", "it.sqlite", "--json").stdout))
    assert_keeps("export", json.loads(run("export", "it.sqlite", "--format", "json").stdout))
    assert_keeps("show", json.loads(run("show", "it.sqlite", "hoppers", "--solutions", "--json").stdout))
    events = [json.loads(line) for line in Path("it.log").read_text().splitlines()]
    assert {each["event"] for each in events} >= {"start", "limit", "end"}
    for each in events:
        assert_keeps("log", each)


def test_parts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for part in (1, 2):
        run("count", "queens", "--n", "8", "--part", f"{part}/2", "--journal", f"{part}.sqlite", "--quiet")
        merged = run("merge", *(f"{number}.sqlite" for number in range(1, part + 1)), "--json", code=None)
        assert_keeps("merge", json.loads(merged.stdout))


def test_job_files() -> None:
    shown, keys, *_ = parser_of("run").epilog.split("a job file:\n")[1].split("\n\n")
    assert f"; {', '.join(SETTINGS[:-1])} and {SETTINGS[-1]}, as" in " ".join(keys.split())
    (named,) = re.findall(r"```toml\n(#:schema .*?)```", (ROOT / "docs" / "json.md").read_text(), re.S)
    for text in (JOBS, shown, named):
        assert_keeps("jobs", tomllib.loads(text))
    for text in ("[[job]]\nn = 5", '[[job]]\npuzzle = "queens"\nwant = "some"', "[jobs]"):
        with pytest.raises(AssertionError):
            assert_keeps("jobs", tomllib.loads(text))


def test_what_is_missing_or_unknown_is_found(run: Run) -> None:
    data = json.loads(run("count", "queens", "--n", "5", "--json", "--quiet").stdout)
    for wrong in ({key: value for key, value in data.items() if key != "status"}, data | {"more": 1}):
        with pytest.raises(AssertionError):
            assert_keeps("search", wrong)


def test_the_documents_name_every_schema() -> None:
    text = (ROOT / "docs" / "json.md").read_text()
    assert all(f"(schemas/{name}.json)" in text for name in SCHEMAS)
