"""Write what shells and editors complete by, from the parsers of all commands: the scripts that `parsolve completion`
prints, and the schema of job files.

.venv/bin/python scripts/completion.py
"""

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from grammar import Option, options_of, parameters_as_options, takes_puzzle, words_after

from parsolve.cli import COMMANDS
from parsolve.cli.commands import completion as printed
from parsolve.puzzle.catalogue import names
from parsolve.search.request import Request

SCRIPT = Path(printed.__file__ or "")
"""Whose other suffixes are the scripts."""

SCHEMA = Path(__file__).parents[1] / "docs" / "schemas" / "jobs.json"

BASH = """\
_parsolve() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=${{COMP_WORDS[1]}} puzzle=${{COMP_WORDS[2]}} words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W {commands} -- "$current"))
        return
    fi
    case "$command $before" in
{values}
    esac
    case "$command $puzzle $before" in
{puzzle_values}
    esac
    if [[ -z $words && $current == -* ]]; then
        case "$command" in
{options}
        esac
        case "$command $puzzle" in
{puzzle_options}
        esac
    elif [[ -z $words && $COMP_CWORD == 2 ]]; then
        case "$command" in
{first_words}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o bashdefault -o default -F _parsolve parsolve
"""


def files() -> dict[Path, str]:
    """Return the text of each file."""
    fish = "".join(f"{line}\n" for line in fish_lines())
    return {SCRIPT.with_suffix(".bash"): bash_script(), SCRIPT.with_suffix(".fish"): fish, SCHEMA: job_schema()}


def job_schema() -> str:
    """Return the schema of job files, whose keys that say how to search are options and fields of a `Request`."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    keys = schema["definitions"]["job"]["properties"]
    options = {option.names[0]: option for option in options_of("solve")}
    for each in fields(Request):
        if each.metadata["in_jobs"]:
            option = options[f"--{each.name.replace('_', '-')}"]
            kinds = [name for kind, name in ((int, "integer"), (float, "number")) if kind in get_args(each.type)]
            kinds += ["string"] * (each.metadata["read"] is not None)
            values: dict[str, Any] = {"enum": option.choices} if option.choices else {"type": kinds}
            keys[each.name] = values | {"title": option.value, "description": option.help.replace("--", "")}
    return json.dumps(schema, indent=2) + "\n"


def bash_script() -> str:
    """Return the script for bash; zsh reads it too."""
    by_command = {command: options_of(command) for command in COMMANDS}
    by_puzzle = {puzzle: parameters_as_options(puzzle) for puzzle in names()}
    about_puzzles = list(filter(takes_puzzle, COMMANDS))
    return BASH.format(
        commands=shlex.quote(" ".join(COMMANDS)),
        values=_cases(
            (f'"{command} {name}"', option.choices)
            for command, options in by_command.items()
            for option in options
            for name in option.names
        ),
        puzzle_values=_cases(
            (f'*" {puzzle} {name}"', option.choices)
            for puzzle, options in by_puzzle.items()
            for option in options
            for name in option.names
        ),
        options=_cases((command, _names(options)) for command, options in by_command.items()),
        puzzle_options=_cases(
            (" | ".join(f'"{command} {puzzle}"' for command in about_puzzles), _names(options))
            for puzzle, options in by_puzzle.items()
        ),
        first_words=_cases((command, words_after(command)) for command in COMMANDS),
    )


def fish_lines() -> Iterator[str]:
    """Yield the lines of the script for fish."""
    first, second = "__fish_use_subcommand", "test (count (commandline -opc)) -eq 2"
    for command, about in COMMANDS.items():
        yield f"complete -c parsolve -n {first} -f -a {command} -d {shlex.quote(about)}"
    for command in COMMANDS:
        seen = f"__fish_seen_subcommand_from {command}"
        if words := words_after(command):
            no_files = "" if takes_puzzle(command) else " -f"  # a puzzle may be a file
            where = shlex.quote(f"{seen}; and {second}")
            yield f"complete -c parsolve -n {where}{no_files} -a {shlex.quote(' '.join(words))}"
        for option in options_of(command):
            yield _fish_option(seen, option)
    for puzzle in names():
        for option in parameters_as_options(puzzle):
            yield _fish_option(f"__fish_seen_subcommand_from {puzzle}", option)


def _fish_option(condition: str, option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    no_others = "-r" if option.takes_files else "-x"
    value = f" {no_others} -a {shlex.quote(' '.join(option.choices))}" if option.choices else " -r" * bool(option.value)
    return f"complete -c parsolve -n {shlex.quote(condition)} {names}{value} -d {shlex.quote(option.help)}"


def _names(options: Sequence[Option]) -> list[str]:
    return [name for option in options for name in option.names]


def _cases(rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the branches of a `case` that add to `words`; those with nothing to add are left out."""
    return "\n".join(
        f'{" " * 8}{pattern}) words+=" "{shlex.quote(" ".join(words))};;' for pattern, words in rows if words
    )


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
