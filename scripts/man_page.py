"""Write the manual page, docs/parsolve.1, from the help of every command.

.venv/bin/python scripts/man_page.py
man docs/parsolve.1
"""

from pathlib import Path

from grammar import Option, options_of

from parsolve.cli import COMMANDS, EPILOG, GROUPS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "parsolve.1"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())


def page() -> str:
    """Return the page in the language of man(7)."""
    examples, _, codes = EPILOG.partition("\nexit codes: ")
    codes = codes.partition("\n\n")[0]
    parts = [
        '.TH PARSOLVE 1 "" "parsolve" "User Commands"',
        ".SH NAME",
        "parsolve \\- count and list every cheapest solution of a puzzle, on every core, exactly",
        ".SH SYNOPSIS",
        ".B parsolve",
        "COMMAND [options]",
        ".SH COMMANDS",
    ]
    for title, group in GROUPS.items():
        parts.append(f".SS {escaped(title.capitalize())}")
        for name, summary in group.items():
            parts += [".TP", f".B {name}", escaped(summary)]
    parts.append(".SH OPTIONS")
    parts.append("`parsolve help PUZZLE' shows a puzzle's own parameters, which are options too.")
    for name in COMMANDS:
        parts.append(f".SS parsolve {name}")
        for option in options_of(name):
            parts += [".TP", f".B {escaped(heading(option))}", escaped(option.help or "show the help")]
    parts += [".SH EXAMPLES", ".EX", escaped(examples.partition("examples:\n")[2]), ".EE"]
    parts += [".SH EXIT STATUS", escaped(codes)]
    return "\n".join(parts) + "\n"


def heading(option: Option) -> str:
    """Return an option with what it takes."""
    return f"{', '.join(option.names)} {option.value}".rstrip()


def escaped(text: str) -> str:
    """Return a text for man(7): backslashes, minus signs and what would be a request at a line's beginning."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


if __name__ == "__main__":
    main()
