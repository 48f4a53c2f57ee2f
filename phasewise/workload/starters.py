"""The studies with which `phasewise init` begins: starter.toml in the folders of the workloads."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from phasewise.workload.interface import PACKAGE

FILE = "starter.toml"

RING = "ring"
"""What the starter of the folder `composite` is called, which is that of several workloads."""


def starters() -> dict[str, Path]:
    """The files by the names of their workloads, in the order of the names."""
    folders = import_module(PACKAGE).__path__
    files = [file for folder in folders for file in Path(folder).glob(f"*/{FILE}")]
    named = {file.parent.name: file for file in files}
    return dict(
        sorted((RING if name == "composite" else name, file) for name, file in named.items())
    )
