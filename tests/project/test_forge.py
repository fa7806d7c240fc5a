"""The workflows, pre-commit's hooks, the recipe and the citation say what README and pyproject.toml say."""

import os
import re
import tomllib

import pytest
import yaml
from conftest import ROOT

import parsolve

pytestmark = pytest.mark.plain

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line]


def commands(job: str) -> list[str]:
    return [step["run"] for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]


def test_it_runs_the_commands_of_the_quick_start() -> None:
    start = (ROOT / "README.md").read_text().split("## Quick start")[1].split("\n\n")[1]
    assert commands("readme") == [line.strip() for line in start.splitlines()]
    assert commands("nightly") == ["./scripts/test all", "./scripts/test nightly"]
    assert all(os.access(ROOT / line.split()[0], os.X_OK) for job in WORKFLOW["jobs"] for line in commands(job))


def test_it_tries_every_python_that_is_supported() -> None:
    assert WORKFLOW["jobs"]["readme"]["strategy"]["matrix"]["python"] == PYTHONS
    script = (ROOT / "scripts" / "venv").read_text()
    first, last = (int(version.removeprefix("3.")) for version in (PYTHONS[0], PYTHONS[-1]))
    assert PROJECT["requires-python"] == f">=3.{first},<3.{last + 1}"
    assert f"(3, {first}) <= sys.version_info < (3, {last + 1})" in script
    assert {*re.findall(r"python(3\.\d+)", script)} == {*PYTHONS}


def test_the_documents_name_the_same_pythons() -> None:
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "scripts" / "try", ROOT / "scripts" / "venv"]
    said = [found for file in files for found in re.findall(r"(?:Python |, )3\.\d\d to 3\.\d\d", file.read_text())]
    assert {text.split(maxsplit=1)[1] for text in said} == {f"{PYTHONS[0]} to {PYTHONS[-1]}"}
    assert len(said) > 4


def test_a_newer_numba_is_not_let_in() -> None:
    """Private parts of it are used: the newest version is one that was tested."""
    assert all("<" in line for line in PROJECT["dependencies"] if line.startswith("numba"))


def test_the_hooks_have_the_ruff_of_the_tests() -> None:
    hooks, *_ = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    (version,) = (
        found[1] for each in PROJECT["optional-dependencies"]["test"] if (found := re.match("ruff==(.+)", each))
    )
    assert hooks["rev"] == f"v{version}"
    assert [hook["id"] for hook in hooks["hooks"]] == ["ruff-check", "ruff-format"]


def test_the_release_needs_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert "secrets." not in text
    assert "password" not in text
    assert yaml.safe_load(text)["jobs"]["publish"]["permissions"] == {"id-token": "write"}


def test_the_version_is_one() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    newest = re.search(r"^## (\S+) – \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest
    assert {citation["version"], recipe["context"]["version"], newest[1]} == {parsolve.__version__}
    assert f"version = {{{parsolve.__version__}}}" in (ROOT / "docs" / "cite.md").read_text()


def test_the_recipe_has_the_dependencies() -> None:
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    expected = {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    assert {each.replace(" ", "") for each in recipe["requirements"]["run"]} == expected
    assert recipe["build"]["python"]["entry_points"] == [f"{n} = {place}" for n, place in PROJECT["scripts"].items()]
