"""The recipes in packaging/ and CITATION.cff say what pyproject.toml says."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

RENAMED = {"matplotlib": "matplotlib-base"}
"""Packages that conda-forge calls otherwise."""


@pytest.fixture
def project(repository: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    return found


def needed(project: dict[str, Any]) -> dict[str, str]:
    """The least version of each package that phasewise needs to run, and of Python."""
    pairs = (word.split(">=") for word in project["dependencies"])
    return dict(pairs) | {"python": project["requires-python"].removeprefix(">=")}


def test_spack_s_recipe_has_the_version_and_the_needed_packages(
    repository: Path, project: dict[str, Any]
) -> None:
    tree = ast.parse((repository / "packaging/package.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    said: dict[str, list[str]] = {}
    for call in calls:
        if isinstance(call.func, ast.Name) and call.args and isinstance(call.args[0], ast.Constant):
            said.setdefault(call.func.id, []).append(str(call.args[0].value))
    assert said["version"] == [project["version"]]
    assert said["license"] == [project["license"]]
    for name, least in needed(project).items():
        spack = name if name == "python" else f"py-{name}"
        assert f"{spack}@{least}:" in said["depends_on"]


def test_conda_s_recipe_has_the_version_and_the_needed_packages(
    repository: Path, project: dict[str, Any]
) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    recipe = yaml.safe_load((repository / "packaging/meta.yaml").read_text())
    assert recipe["package"]["version"] == project["version"]
    assert recipe["about"]["license"] == project["license"]
    for name, least in needed(project).items():
        assert f"{RENAMED.get(name, name)} >={least}" in recipe["requirements"]["run"]
    (script,) = project["scripts"].items()
    assert recipe["build"]["entry_points"] == [" = ".join(script)]


def test_the_citation_has_the_version(repository: Path, project: dict[str, Any]) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    cited = yaml.safe_load((repository / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])


@pytest.mark.parametrize("name", ["Dockerfile", "phasewise.def"])
def test_a_container_is_made_by_make_setup(name: str, repository: Path) -> None:
    text = (repository / "packaging" / name).read_text()
    assert "debian:12" in text
    assert re.search(r"make -C /opt/phasewise setup PORTABLE=1", text)
    # Commands of the shell can be parsed: each RUN of the one, the parts of the other.
    if name == "Dockerfile":
        whole = text.replace("\\\n", " ")
        scripts = re.findall(r"^RUN (.*)$", whole, re.MULTILINE)
    else:
        scripts = re.findall(
            r"^%(?:post|environment|runscript)\n((?: .*\n|\n)*)", text, re.MULTILINE
        )
    assert len(scripts) >= 2
    shell = shutil.which("bash")
    assert shell is not None
    for script in scripts:
        subprocess.run([shell, "-n", "-c", script], check=True)


def test_public_ci_runs_what_every_change_must_pass(repository: Path) -> None:
    text = (repository / ".github/workflows/ci.yml").read_text()
    assert "bash .ci/run" in text and (repository / ".ci/run").is_file()
