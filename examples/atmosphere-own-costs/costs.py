"""Writes costs.csv: seconds of 48 × 96 columns of a model, which takes longer in a storm."""

from pathlib import Path

import numpy as np

QUIET, STORM = 5e-6, 25e-6
"""Seconds of a column."""


def seconds() -> np.ndarray:
    """(48, 96): of each column, from the south and from the west."""
    j, i = np.mgrid[0:48, 0:96]
    return QUIET + STORM * np.exp(-(((j - 33) / 6.0) ** 2) - ((i - 24) / 10.0) ** 2)


if __name__ == "__main__":
    np.savetxt(Path("costs.csv"), seconds(), delimiter=",", fmt="%.6e")
