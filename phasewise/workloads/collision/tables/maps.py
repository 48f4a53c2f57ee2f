"""External 6×6 maps: read from a file, and refused if they are not symplectic or not stable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.tables.declared import schema_of
from phasewise.tables.files import parse, read_text
from phasewise.tables.keys import check_table
from phasewise.workloads.collision.tables.arc import MapFile
from phasewise.workloads.collision.tables.optics import Six

SYMPLECTIC_TOLERANCE = 1e-6
"""Largest |MᵀJM - J| in coordinates divided by the matched rms: what seven digits in a file leave.
"""

STABLE_TOLERANCE = 1e-5
"""Largest ||λ| - 1| of an eigenvalue of a map that is the whole arc."""


def read_map(path: Path, where: str) -> dict[str, Any]:
    """``matrix`` (36 numbers) and, if the file has one, ``tensor`` (216 numbers) of a TOML map
    file.
    """
    try:
        given = check_table(parse(read_text(path), str(path)), schema_of(MapFile), "")
    except StudyError as error:
        raise StudyError(f"{where}.map: {error}") from None
    if "matrix" not in given:
        raise StudyError(f"{where}.map: {path} gives no matrix, six lists of six numbers")
    return given


def check_map(matrix: tuple[float, ...], rms: Six, whole: bool, where: str) -> None:
    """Refuse a 6×6 ``matrix`` (row by row) that is not symplectic or, as the ``whole`` arc, not
    stable.
    """
    m = np.array(matrix).reshape(6, 6)
    # Rms of each plane in units of the root of its emittance, so that an entry counts by what it
    # does to a bunch.
    scale = np.ones(6)
    for plane in (0, 2, 4):
        if rms[plane + 1] > 0:
            scale[plane] = np.sqrt(rms[plane] / rms[plane + 1])
            scale[plane + 1] = 1 / scale[plane]
    normalised = m * scale[np.newaxis, :] / scale[:, np.newaxis]
    form = np.kron(np.eye(3), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    with np.errstate(over="ignore", invalid="ignore"):
        defect = float(np.max(np.abs(normalised.T @ form @ normalised - form)))
    if not defect <= SYMPLECTIC_TOLERANCE:
        raise StudyError(
            f"{where}.map is not symplectic: |MᵀJM - J| reaches {defect:.2g} in normalised "
            f"coordinates, at most {SYMPLECTIC_TOLERANCE:g} is accepted"
        )
    if whole:
        growth = float(np.max(np.abs(np.abs(np.linalg.eigvals(m)) - 1)))
        if not growth <= STABLE_TOLERANCE:
            raise StudyError(
                f"{where}.map is unstable: an eigenvalue is {growth:.2g} off the unit circle, "
                f"at most {STABLE_TOLERANCE:g} is accepted"
            )
