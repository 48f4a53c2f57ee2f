"""How the spectrum of a signal changes along a run: amplitude spectra in windows that overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.analysis.spectrum import Floats, Signal, fraction, make_window

PADDING = 8


@dataclass(frozen=True)
class Waterfall:
    """Amplitude spectra of W windows at F frequencies.

    `turn` (W,) the windows' centres, counted from the first turn; `away` (F,) frequency minus the
    centre [turns⁻¹], evenly spaced; `amplitude` (W, F) in the unit of the signal; `window` turns.
    """

    turn: Floats
    away: Floats
    amplitude: Floats
    window: int


def waterfall(signal: Signal, centre: float, reach: float, window: int, rows: int) -> Waterfall:
    """Spectra of a phasor (T,) within `reach` of a tune, in up to `rows` windows of `window` turns.

    Hann window, the mean of each window taken off; two lines within 2/window of each other are one.
    ValueError if the signal is shorter than the window.
    """
    from scipy import fft

    if len(signal) < window:
        raise ValueError(f"the signal has {len(signal)} turns; accepted are {window} or more")
    first = np.unique(np.linspace(0, len(signal) - window, rows).astype(int))
    points = PADDING * window
    half = min(int(reach * points), points // 2 - 1)
    around = np.arange(-half, half + 1)
    chosen = (round(fraction(centre) * points) + around) % points
    weights = make_window("hann", window)
    amplitude = np.empty((len(first), len(around)))
    for row, begin in enumerate(first):
        part = signal[begin : begin + window]
        spectrum = np.abs(fft.fft((part - part.mean()) * weights, points))
        amplitude[row] = spectrum[chosen] / weights.sum()
    return Waterfall(first + (window - 1) / 2, around / points, amplitude, window)
