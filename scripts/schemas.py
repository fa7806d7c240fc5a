"""Write docs/schemas/: JSON Schemas of what parsolve prints and logs, and of job files, from its types.

.venv/bin/python scripts/schemas.py
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from grammar import parameters_as_options

from parsolve.batch.jobs import OWN, SETTINGS
from parsolve.catalogue import families, names
from parsolve.cli import plain
from parsolve.parameters import parameters_of
from parsolve.problem.registry import load_class
from parsolve.search.request import Options

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

OPEN = (plain.Log, plain.Explore, plain.Depth)
"""The types with members that puzzles and events add."""

WITH_UNITS = {"timeout": 'seconds, or a text such as "2h"', "transposition": 'bytes, or a text such as "64M" or "none"'}

Schema = dict[str, Any]


def main() -> None:
    """Write the schemas."""
    for name, text in texts().items():
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def texts() -> dict[str, str]:
    """Return the text of each schema, by its name."""
    schemas: dict[str, Schema] = {
        each.__name__.lower(): schema_of(each)
        for each in (plain.Search, plain.Row, plain.Merge, plain.Show, plain.Explore, plain.Log)
    }
    schemas["status"], schemas["export"] = schema_of(Sequence[plain.Standing]), schema_of(Sequence[plain.Job])
    schemas["jobs"] = job_file()
    head = {"$schema": "http://json-schema.org/draft-07/schema#"}  # the version that editors of TOML read
    return {name: json.dumps(head | schema, indent=2) + "\n" for name, schema in schemas.items()}


def schema_of(kind: Any) -> Schema:
    """Return the schema of a type."""
    if is_typeddict(kind):
        members = {name: schema_of(each) for name, each in get_type_hints(kind).items()}
        about = {"description": " ".join((kind.__doc__ or "").split()), "type": "object", "properties": members}
        return about | {"required": sorted(kind.__required_keys__), "additionalProperties": kind in OPEN}
    inner = get_args(kind)
    match get_origin(kind):
        case origin if origin is Literal:
            return {"enum": [*inner]}
        case origin if origin in (Union, UnionType):
            return {"anyOf": [*map(schema_of, inner)]}
        case origin if origin is Mapping:
            return {"type": "object", "additionalProperties": schema_of(inner[1])}
        case origin if origin is Sequence:
            return {"type": "array", "items": schema_of(inner[0])}
        case origin if origin is NotRequired:
            return schema_of(inner[0])
    return {"type": SIMPLE[kind]} if kind in SIMPLE else {}


def job_file() -> Schema:
    """Return the schema of a job file; a list of values makes a job for each."""
    settings = {name: schema_of(kind) for name, kind in get_type_hints(Options).items() if name in SETTINGS}
    settings |= {name: {"type": ["number", "string"], "description": about} for name, about in WITH_UNITS.items()}
    settings["part"] = {"type": "string", "description": "a share of the tree, such as 17/1000"}
    own: Schema = {name: {"type": "object" if name == "rename" else "string"} for name in OWN}
    by_puzzle = [
        {
            "if": {"properties": {"puzzle": {"enum": [name for name, its in names().items() if its == family]}}},
            "then": {"properties": _parameters(family)},
        }
        for family in families()
    ]
    job = {"type": "object", "properties": own | settings}
    jobs = {"type": "array", "items": job | {"required": ["puzzle"], "allOf": by_puzzle}}
    about = {"description": "A job file of parsolve run: [defaults], and a [[job]] for each entry.", "type": "object"}
    return about | {"properties": {"defaults": job, "job": jobs}, "additionalProperties": False}


def _parameters(family: str) -> Schema:
    kinds = {row.name: row.kind for row in parameters_of(load_class(family))}
    members: Schema = {}
    for option, (name, kind) in zip(parameters_as_options(family), kinds.items(), strict=True):
        one: Schema = {"enum": [*option.choices]} if option.choices else {"type": sorted({SIMPLE[kind], "string"})}
        members[name] = {"description": option.help, "anyOf": [one, {"type": "array"}]}
    return members


if __name__ == "__main__":
    main()
