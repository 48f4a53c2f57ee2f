"""ARPACK, as SciPy has it, on the matrix of our own eigensolver: called as ours is, without a
factorisation, and with one around zero. SciPy is needed for this comparison alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.kernels.model import WANTED

LARGEST_PLAIN = 128
"""Without a factorisation ARPACK takes minutes on larger grids."""
TOLERANCE = 1e-10
"""Largest residual over its eigenvalue; errors of eigenvalues go as the squares of residuals."""
MATRIX_NORM = 8.0


def arpack(n: int, begin: Callable[[], Any], largest: int = LARGEST_PLAIN) -> list[dict[str, Any]]:
    """What differs from the row of our own solver, for each way of ARPACK on the n x n Laplacian:
    the flops are ours, since ARPACK does not count any. Nothing without SciPy.
    """
    try:
        from scipy.sparse.linalg import eigsh
    except ImportError:
        begin()
        return []
    matrix = laplacian(n)
    ways: dict[str, dict[str, Any]] = {"arpack-shift-invert": {"sigma": 0.0}}
    if n <= largest:
        ways["arpack"] = {"which": "SA"}
    rows = []
    for library, settings in ways.items():
        begin()
        start = time.perf_counter()
        values = eigsh(matrix, WANTED, tol=TOLERANCE, return_eigenvectors=True, **settings)[0]
        seconds = time.perf_counter() - start
        error = np.abs(np.sort(values) - exact(n)).max()
        residual = float(error / (np.finfo(float).eps * MATRIX_NORM))
        rows.append({"library": library, "seconds": seconds, "residual": residual})
    return rows


def laplacian(n: int) -> Any:
    """The five-point Laplacian of n x n points."""
    from scipy.sparse import diags_array, eye_array, kron

    line = diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    unit = eye_array(n)
    return (kron(line, unit) + kron(unit, line)).tocsc()


def exact(n: int) -> NDArray[np.float64]:
    """The smallest eigenvalues of that matrix."""
    line = 4 * np.sin(np.pi * np.arange(1, WANTED + 1) / (2 * (n + 1))) ** 2
    return np.sort((line[:, None] + line[None, :]).ravel())[:WANTED]
