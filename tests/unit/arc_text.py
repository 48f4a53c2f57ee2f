"""Parameter texts of lines of elements, for the tests of the arc."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Value = float | str | Sequence[float]

BEAM = {"charge": 1, "mass": 938272088.16, "energy": 7e12}

TWISS: dict[str, Value] = {
    "element": "twiss",
    "beta0": [0.55, 0.4],
    "alpha0": [0.3, -0.2],
    "dispersion0": [0.1, -0.02, 0.03, 0.01],
    "beta1": [2.0, 3.0],
    "alpha1": [-1.1, 0.7],
    "dispersion1": [1.5, 0.2, -0.1, 0.05],
    "phase": [64.31, 59.32],
    "chromaticity": [2.0, -3.0],
    "detuning": [4e4, -1e4, -1e4, 3e4],
}


def text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return " ".join(map(repr, value)) if isinstance(value, Sequence) else repr(value)


def line(*elements: Mapping[str, Value], beam: int = 1, segment: int = 1, seed: int = 1) -> str:
    """Parameters of one line of `elements`; the segments before it are empty."""
    rows = [f"seed = {seed}"]
    rows += [f"beam.{beam}.{key} = {value!r}" for key, value in BEAM.items()]
    rows += [f"line.{beam}.{s}.count = 0" for s in range(1, segment)]
    rows.append(f"line.{beam}.{segment}.count = {len(elements)}")
    for number, element in enumerate(elements, start=1):
        at = f"line.{beam}.{segment}.{number}"
        rows += [f"{at}.{key} = {text(value)}" for key, value in element.items()]
    return "\n".join(rows)
