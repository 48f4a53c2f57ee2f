"""The fields of the example on one rank and on three, against the formulas."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")

SCRIPT = Path(__file__).parent / "transform.py"
ROUNDING = 1e-12


def errors(text: str) -> list[float]:
    """The errors that the script prints."""
    return [float(error) for error in re.findall(r"right to ([\d.]+e-\d\d)", text)]


def test_one_rank_has_the_formulas() -> None:
    text = subprocess.run(
        [sys.executable, SCRIPT], capture_output=True, text=True, check=True
    ).stdout
    assert len(errors(text)) == 3
    assert max(errors(text)) < ROUNDING


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
def test_three_ranks_have_them_too() -> None:
    found = errors(printed([str(SCRIPT)], 3, Path()))
    assert len(found) == 9
    assert max(found) < ROUNDING
