"""The γ matrices of the chiral basis of DeGrand and Rossi, and their sixteen products."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from phasewise.errors import StudyError
from phasewise.tables.keys import nearest
from phasewise.workloads.qcd.fields.part import ComplexField

_ROWS = (
    ((3, 1j), (2, 1j), (1, -1j), (0, -1j)),
    ((3, -1), (2, 1), (1, 1), (0, -1)),
    ((2, 1j), (3, -1j), (0, -1j), (1, 1j)),
    ((2, 1), (3, 1), (0, 1), (1, 1)),
)
"""γ_x, γ_y, γ_z, γ_t: for each row the column that is not 0, and its value."""


def _matrix(rows: tuple[tuple[int, complex], ...]) -> ComplexField:
    found = np.zeros((4, 4), complex)
    for row, (column, value) in enumerate(rows):
        found[row, column] = value
    return found


def _all() -> dict[str, ComplexField]:
    x, y, z, t = map(_matrix, _ROWS)
    five = x @ y @ z @ t
    vectors = {"gx": x, "gy": y, "gz": z, "gt": t}
    found = {"1": np.eye(4, dtype=complex), "g5": five, **vectors}
    found |= {f"g5{name}": five @ one for name, one in vectors.items()}
    pairs = [("x", "y"), ("x", "z"), ("x", "t"), ("y", "z"), ("y", "t"), ("z", "t")]
    for a, b in pairs:
        found[f"s{a}{b}"] = 0.5j * (vectors[f"g{a}"] @ vectors[f"g{b}"]
                                    - vectors[f"g{b}"] @ vectors[f"g{a}"])  # fmt: skip
    for one in found.values():
        one.flags.writeable = False
    return found


GAMMAS: Mapping[str, ComplexField] = _all()
"""1; g5 = γ_x γ_y γ_z γ_t; gx, gy, gz, gt; g5gx = γ₅γ_x and so on; sxy = (i/2) [γ_x, γ_y] and so
on.
"""


def gamma(name: str) -> ComplexField:
    """The matrix of this name, (4, 4); StudyError if there is none."""
    if name not in GAMMAS:
        raise StudyError(
            f'"{name}" is no product of γ matrices; accepted: {", ".join(GAMMAS)}'
            f"{nearest(name, GAMMAS)}"
        )
    return GAMMAS[name]
