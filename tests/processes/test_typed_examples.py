"""The Python examples of README and docs/ satisfy a strict type checker."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from shown import PAGES

pytestmark = pytest.mark.processes


def test_the_examples_have_the_right_types(tmp_path: Path) -> None:
    """The package is found as it is installed."""
    for page in PAGES:
        examples = doctest.DocTestParser().get_examples(page.read_text())
        source = "".join(each.source for each in examples if each.exc_msg is None)
        if source:
            (tmp_path / page.name.replace("-", "_")).with_suffix(".py").write_text(source)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert {"README.py", "library.py", "seeing.py"} <= set(files)
    command = [sys.executable, "-m", "mypy", "--strict", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
