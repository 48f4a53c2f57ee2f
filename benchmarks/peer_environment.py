"""Separate environments for other codes, from PyPI."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from phasewise.errors import RunError
from phasewise.output import message

HERE = Path(__file__).resolve().parent


def interpreter_of(name: str, title: str, needs: str) -> Path:
    """The interpreter of the environment `.venv-<name>` with the packages of
    `requirements-<name>.txt`, which is first made if it is missing or outdated.

    needs: what the installation needs, for the error if it fails.
    """
    environment, requirements = HERE / f".venv-{name}", HERE / f"requirements-{name}.txt"
    stamp = environment / "requirements.sha256"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    interpreter = environment / "bin" / "python"
    if not (stamp.is_file() and stamp.read_text() == digest and interpreter.exists()):
        message(f"installing {title} into {environment}")
        _call([sys.executable, "-m", "venv", "--clear", str(environment)], title, needs)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "-r", str(requirements)]
        _call(pip, title, needs)
        stamp.write_text(digest)
    return interpreter


def fetch_source(interpreter: Path, requirement: str, folder: Path) -> Path:
    """The source package of a requirement `name==version`, fetched from PyPI into a folder."""
    name = requirement.partition("==")[0]
    message(f"fetching the source package {requirement}")
    pip = [str(interpreter), "-m", "pip", "download", "--quiet", "--no-deps"]
    _call(
        [*pip, "--no-binary", name, "--dest", str(folder), requirement],
        f"the source package {requirement}",
        "PyPI within reach",
    )
    (package,) = folder.glob("*.tar.gz")
    return package


def _call(command: list[str], title: str, needs: str) -> None:
    """Run a command whose output goes to standard error."""
    status = subprocess.run(command, stdout=sys.stderr).returncode
    if status != 0:
        raise RunError(f"{' '.join(command)} ended with status {status}; {title} needs {needs}")
