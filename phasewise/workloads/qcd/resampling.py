"""Errors of means, and of functions of means, by the jackknife and by the Γ method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.errors import StudyError


def jackknife(
    samples: ArrayLike, function: Callable[[NDArray[Any]], ArrayLike] = np.asarray, block: int = 1
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A function of the mean of samples, and its error from leaving out one block after another
    (Miller, Biometrika 61 (1974) 1).

    Args:
        samples: (N, ...), one for each configuration.
        function: What is made of their mean; by default the mean itself.
        block: How many consecutive samples are left out together, more than their autocorrelation.

    Returns:
        The function of the mean, and its error; of complex values, the errors of real and
        imaginary part as a complex number.

    Raises:
        StudyError: There are fewer than two blocks.
    """
    values = np.asarray(samples)
    blocks = len(values) // max(1, block)
    if block < 1 or blocks < 2:
        raise StudyError(
            f"{len(values)} samples make {blocks} blocks of {block}, and an error needs two blocks"
        )
    kept = values[: blocks * block]
    means = kept.reshape(blocks, block, *kept.shape[1:]).mean(axis=1)
    total = means.sum(axis=0)
    parts = np.array([np.asarray(function((total - one) / (blocks - 1))) for one in means])
    off = parts - parts.mean(axis=0)
    factor = (blocks - 1) / blocks
    error = np.sqrt(factor * (off.real**2).sum(axis=0))
    if np.iscomplexobj(off):
        error = error + 1j * np.sqrt(factor * (off.imag**2).sum(axis=0))
    return np.asarray(function(values.mean(axis=0))), error


def linearised(
    samples: ArrayLike, function: Callable[[NDArray[Any]], ArrayLike]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A function of the mean of samples, and a series whose mean has its error.

    To first order a function of means fluctuates as the mean of a series of numbers does: what each
    sample contributes to the function. The Γ method applied to this series gives the function's
    error with all autocorrelation (U. Wolff, Comput. Phys. Commun. 156 (2004) 143, eqs. 13 to 15);
    the derivative is that of leaving a sample out.

    Args:
        samples: (N, ...), two or more.
        function: What is made of their mean.

    Returns:
        The function of the mean (...), and the series (N, ...).
    """
    values = np.asarray(samples)
    count, total = len(values), values.sum(axis=0)
    value = np.asarray(function(total / count))
    parts = np.array([np.asarray(function((total - one) / (count - 1))) for one in values])
    return value, value + (count - 1) * (parts.mean(axis=0) - parts)
