"""The shallow-water model among the examples of SHTns, fetched and run in the peers' environment.

It comes with the source package, which is not installed, and runs as it stands: only the numbers
of its settings are replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer_environment import HERE, fetch_source
from benchmarks.transform_peers import peers_python
from phasewise.errors import RunError

NAME = "examples/shallow_water.py"
SHA256 = "13d0b036a902f98426f80eaf7bfdf278643249bc6ff6c35061f94b66d3769a56"
"""Of its text in shtns 3.7.5."""
REQUIREMENTS = HERE / "requirements-transforms.txt"


def with_settings(text: str, settings: Mapping[str, float]) -> str:
    """The text with other numbers in its lines `name = …`; RunError unless there is one of each."""
    for name, value in settings.items():
        text, lines = re.subn(rf"(?m)^( *{name} = ).*$", rf"\g<1>{value!r}", text)
        if lines != 1:
            raise RunError(
                f"{NAME} of SHTns sets {name} in {lines} lines, and this benchmark replaces one"
            )
    return text


def known(text: bytes) -> bool:
    """Whether a text is the example."""
    return hashlib.sha256(text).hexdigest() == SHA256


def taken_from(package: Path) -> bytes:
    """The example in a source package; RunError if it is missing, or not the one that is known."""
    with tarfile.open(package) as archive:
        found = [member for member in archive.getmembers() if member.name.endswith(f"/{NAME}")]
        entry = archive.extractfile(found[0]) if found else None
        text = b"" if entry is None else entry.read()
    if not known(text):
        raise RunError(f"{package.name} has no {NAME} with the sha256 {SHA256}")
    return text


class Example:
    """The example on some grid, with some settings."""

    def __init__(self, settings: Mapping[str, float], folder: Path) -> None:
        """settings: numbers by the names that they have in the example's text.
        folder: for its text and what it computes.
        """
        self._python = peers_python()
        self._settings = settings
        self._script = folder / "shallow_water.py"
        self._vorticity = folder / "vorticity.npy"
        self._text = self._fetched()

    def run(self, timesteps: int) -> tuple[list[float], NDArray[np.float64]]:
        """CPU seconds of each timestep, in a process of its own on one thread, and the vorticity
        [1/s] after the last, (NLAT, NLON).
        """
        text = with_settings(self._text, {**self._settings, "itmax": timesteps})
        self._script.write_text(text, encoding="utf-8")
        worker = HERE / "shtns_example_worker.py"
        done = subprocess.run(
            [str(self._python), str(worker), str(self._script), str(self._vorticity)],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
            raise RunError(f"{NAME} of SHTns failed: {lines[-1]}")
        return json.loads(done.stdout)["seconds"], np.load(self._vorticity)

    def _fetched(self) -> str:
        """Its text, which stays in the environment once it was fetched."""
        kept = self._python.parents[1] / "shtns-shallow_water.py"
        if not (kept.is_file() and known(kept.read_bytes())):
            pins = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
            (pin,) = (line for line in pins if line.startswith("shtns=="))
            with tempfile.TemporaryDirectory() as folder:
                kept.write_bytes(taken_from(fetch_source(self._python, pin, Path(folder))))
        return kept.read_text(encoding="utf-8")
