"""Notebooks of the examples: their cells run in order, as a reader runs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    """The cells of a notebook."""
    cells: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return cells


@contextmanager
def names_left(notebook: Path) -> Iterator[dict[str, Any]]:
    """The names that a notebook leaves behind, run in its folder; its figures are closed at the
    end.
    """
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(notebook.parent)
        for cell in cells_of(notebook):
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    yield names
    plt.close("all")
