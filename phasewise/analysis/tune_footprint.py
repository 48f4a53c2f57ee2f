"""Incoherent tunes of tracked particles: the footprint of a beam in the tune plane.

Each particle's tune is the strongest line of its phasor near the machine's tune (NAFF's first step:
J. Laskar, Icarus 88 (1990) 266). The difference between the two halves of the record measures how
regular the motion is (frequency map analysis: J. Laskar, Physica D 67 (1993) 257).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis.spectrum import Complexes, Floats, fraction, make_window, phasor, refine

MIN_TURNS = 64
# Most turns that are analysed: a longer record does not sharpen a picture, but costs K·T.
MAX_TURNS = 8192
BLOCK = 64


@dataclass(frozen=True)
class Footprint:
    """Tunes of K particles, those that survived the whole record.

    `tune` (K, 2) fractions in [0, 1) of x and y; `amplitude` (K, 2) in rms, √(2J/ε) of the line;
    `diffusion` (K,) log10 of the tune's change between the halves of the record, in turns⁻¹;
    `particle` (K,) their indices among the tracked; `turns` analysed; `resolution` 1/turns.
    """

    tune: Floats
    amplitude: Floats
    diffusion: Floats
    particle: NDArray[np.int64]
    turns: int
    resolution: float


@dataclass(frozen=True)
class Optics:
    """Optics where the particles were recorded, x and y: beta [m], alpha, dispersion [m, 1 ×2]."""

    beta: tuple[float, float]
    alpha: tuple[float, float] = (0.0, 0.0)
    dispersion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


def tune_footprint(
    tracked: Floats,
    tune: tuple[float, float],
    emittance: tuple[float, float],
    optics: Optics,
    reach: float = 0.1,
) -> Footprint | None:
    """Footprint from coordinates (T, K, 6) of tracked particles, turn by turn.

    tune: the machine's, of either integer part; a line is looked for within `reach` of it.
    emittance: geometric, m. None with fewer than 64 turns or no particle alive.
    """
    record = np.asarray(tracked[:MAX_TURNS], dtype=np.float64)
    if record.ndim != 3 or record.shape[0] < MIN_TURNS:
        return None
    alive = np.flatnonzero(np.isfinite(record).all(axis=(0, 2)))
    if len(alive) == 0:
        return None
    turns = record.shape[0]
    motion = normalised_motion(record[:, alive], optics)
    found = [line_tunes(plane, fraction(tune[i]), reach) for i, plane in enumerate(motion)]
    halves = [
        [line_tunes(half, fraction(tune[i]), reach)[0] for half in _halves(plane)]
        for i, plane in enumerate(motion)
    ]
    change = np.hypot(*[_circular(late - early) for early, late in halves])
    amplitude = [found[i][1] / np.sqrt(emittance[i]) for i in range(2)]
    return Footprint(
        tune=np.stack([plane[0] for plane in found], axis=1),
        amplitude=np.stack(amplitude, axis=1),
        diffusion=np.log10(np.maximum(change, 1e-16)),
        particle=alive.astype(np.int64),
        turns=turns,
        resolution=1 / turns,
    )


def normalised_motion(record: Floats, optics: Optics) -> tuple[Complexes, Complexes]:
    """Betatron phasors (K, T) of x and y in m^½ from coordinates (T, K, 6), without dispersion."""
    delta = record[:, :, 5]
    planes = []
    for plane in range(2):
        position = record[:, :, 2 * plane] - optics.dispersion[2 * plane] * delta
        momentum = record[:, :, 2 * plane + 1] - optics.dispersion[2 * plane + 1] * delta
        planes.append(phasor(position, momentum, optics.beta[plane], optics.alpha[plane]).T)
    return planes[0], planes[1]


def line_tunes(signals: Complexes, centre: float, reach: float) -> tuple[Floats, Floats]:
    """Tune (K,) and amplitude (K,) of the strongest line within `reach` of `centre`, for signals
    (K, T).

    Hann window; a lone line's tune is true to 1e-3/T, two lines within 2/T cannot be separated.
    """
    from scipy import fft

    count, turns = signals.shape
    weights = make_window("hann", turns)
    frequency = np.arange(2 * turns) / (2 * turns)
    inside = np.abs((frequency - centre + 0.5) % 1.0 - 0.5) <= max(reach, 2 / turns)
    tune, height = np.empty(count), np.empty(count)
    for begin in range(0, count, BLOCK):
        block = slice(begin, begin + BLOCK)
        centred = signals[block] - signals[block].mean(axis=1, keepdims=True)
        power = np.abs(fft.fft(centred * weights, 2 * turns, axis=1))
        start = frequency[inside][np.argmax(power[:, inside], axis=1)]
        tune[block], height[block] = refine(centred, start, weights)
    return tune % 1.0, height / weights.sum()


def _halves(plane: Complexes) -> tuple[Complexes, Complexes]:
    half = plane.shape[1] // 2
    return plane[:, :half], plane[:, -half:]


def _circular(difference: Floats) -> Floats:
    return np.asarray((difference + 0.5) % 1.0 - 0.5, dtype=np.float64)
