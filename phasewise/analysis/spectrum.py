"""Spectra of turn-by-turn signals: windowed amplitude spectra and the frequency of a line.

The frequency is the maximum over ω of |F(ω)|, F(ω) = Σ_n w_n s_n exp(-iωn), w a window: the first
step of the numerical analysis of fundamental frequencies (J. Laskar, Icarus 88 (1990) 266). It is
started at the maximum of a zero-padded FFT, interpolated by a parabola through the logarithm of
three points (M. Gasior, J. L. Gonzalez, CERN-AB-Note-2004-021), and finished by Newton steps.

All frequencies are in turns⁻¹. A real signal shows frequencies in [0, 0.5]; the complex phasor of
`phasor` turns counter-clockwise at the tune, and shows the fraction of the tune in [0, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Signal = Floats | Complexes
WindowName = Literal["rectangular", "hann", "blackman-harris"]

COSINES = {
    "rectangular": (1.0,),
    "hann": (0.5, 0.5),
    "blackman-harris": (0.35875, 0.48829, 0.14128, 0.01168),
}
"""Coefficients a of the periodic windows Σ (-1)^k a_k cos 2πkn/T (F. J. Harris, Proc. IEEE 66
(1978) 51). They are written here because importing scipy.signal takes a second, as long as the
start of a rank.
"""

# Half-width of the main lobe, in bins of 1/turns.
MAIN_LOBE = {"rectangular": 1, "hann": 2, "blackman-harris": 4}
PADDING = 4
# Fewer turns than this give no spectrum worth reading.
MIN_TURNS = 16


@dataclass(frozen=True)
class Spectrum:
    """Amplitude spectrum: a line of amplitude A stands A high, in the unit of the signal."""

    frequency: Floats
    amplitude: Floats


@dataclass(frozen=True)
class Peak:
    """A line of a spectrum.

    `frequency` and its standard error `uncertainty` in turns⁻¹, `amplitude` in the unit of the
    signal, `signal_to_noise` the line's height over the rms height of the noise around it.
    """

    frequency: float
    uncertainty: float
    amplitude: float
    signal_to_noise: float


def make_window(name: WindowName, turns: int) -> Floats:
    """Window of a number of turns, shape (turns,); ValueError when the name is unknown."""
    if name not in COSINES:
        raise ValueError(f"window {name!r} is unknown; accepted are {', '.join(COSINES)}")
    angle = 2 * np.pi * np.arange(turns) / turns
    terms = [(-1) ** k * a * np.cos(k * angle) for k, a in enumerate(COSINES[name])]
    return np.asarray(np.sum(terms, axis=0), dtype=np.float64)


def phasor(x: Floats, px: Floats, beta: float, alpha: float = 0.0) -> Complexes:
    """Courant-Snyder phasor (x - i(αx + βpx))/√β in m^½, |phasor|² = 2J, turning at +tune.

    x [m] and px [1] have the same shape; beta in m.
    """
    return np.asarray((x - 1j * (alpha * x + beta * px)) / np.sqrt(beta), dtype=np.complex128)


def amplitude_spectrum(
    signal: Signal, window: WindowName = "hann", padding: int = PADDING
) -> Spectrum:
    """Amplitude spectrum of one signal (T,), its mean removed, padded with zeros `padding` times.

    Real signals give [0, 0.5], complex ones [0, 1).
    """
    weights = make_window(window, len(signal))
    frequency, transform = _transform(signal, weights, padding)
    both_sides = 1.0 if np.iscomplexobj(signal) else 2.0
    return Spectrum(frequency, both_sides * np.abs(transform) / weights.sum())


def find_peak(
    signal: Signal,
    low: float = 0.0,
    high: float | None = None,
    window: WindowName = "hann",
    false_alarm: float = 1e-3,
) -> Peak | None:
    """Highest line of a signal (T,) between two frequencies; None if nothing rises from noise.

    low and high are taken modulo 1 for a complex signal and folded into [0, 0.5] for a real one.
    In noise alone the power of a bin is exponentially distributed, so the highest of M bins passes
    S ln(M/p) with probability p: a line must be higher, S being the mean noise power.

    The standard error is that of the maximum in white noise of power S,
    σ_ω² = (S/2) (Σw²t²/Σw²) / ((|F|/Σw)² (Σwt²)²), t counted from the window's centre; for the
    rectangular window it is the Cramér-Rao bound 24σ²/(A²T³). The systematic error of a lone line
    is that of the window's side lobes: below 1e-3/T for the Hann window once the line stands
    ten bins from 0 and 0.5.
    """
    turns = len(signal)
    if turns < MIN_TURNS or not np.all(np.isfinite(signal)):
        return None
    weights = make_window(window, turns)
    frequency, transform = _transform(signal, weights, PADDING)
    scale = float(np.max(np.abs(signal)))
    if np.max(np.abs(transform)) <= 1e-13 * scale * turns:
        return None
    inside = _in_band(frequency, low, high, complex_signal=np.iscomplexobj(signal))
    if not inside.any():
        return None
    power = np.abs(transform) ** 2
    top = int(np.flatnonzero(inside)[np.argmax(power[inside])])
    noise = _noise_power(power, inside, top, MAIN_LOBE[window])
    bins = max(1, int(inside.sum()) // PADDING)
    if power[top] <= noise * np.log(bins / false_alarm) or _on_a_slope(power, top):
        return None
    start = np.array([_parabola(frequency, power, top)])
    rows = np.asarray(signal - np.mean(signal), dtype=np.complex128)[None, :]
    found, height = refine(rows, start, weights)
    return _peak(float(found[0]), float(height[0]), noise, weights, np.iscomplexobj(signal))


def refine(
    signals: Complexes, start: Floats, weights: Floats, steps: int = 4
) -> tuple[Floats, Floats]:
    """Maxima of |F| near `start`: frequencies (K,) and heights |F| (K,), for signals (K, T).

    Newton steps on |F|², each limited to half a bin, and two bins from the start in all.
    """
    turns = signals.shape[1]
    centred = np.arange(turns) - (turns - 1) / 2
    weighted = signals * weights
    frequency = start.astype(np.float64)
    for _ in range(steps):
        wave = np.exp(-2j * np.pi * frequency[:, None] * centred) * weighted
        value = wave.sum(axis=1)
        first = -1j * (wave @ centred)
        second = -(wave @ centred**2)
        slope = (value.conj() * first).real
        curvature = np.abs(first) ** 2 + (value.conj() * second).real
        step = -slope / np.where(curvature < 0, curvature, -np.inf) / (2 * np.pi)
        frequency += np.clip(step, -0.5 / turns, 0.5 / turns)
        frequency = np.clip(frequency, start - 2 / turns, start + 2 / turns)
    wave = np.exp(-2j * np.pi * frequency[:, None] * centred) * weighted
    return frequency, np.abs(wave.sum(axis=1))


def unsteadiness(signal: Signal, peak: Peak, window: WindowName = "hann") -> float:
    """The uncertainty of a line's frequency beyond white noise [turns⁻¹], for a signal (T,).

    The line is sought again in three overlapping halves of the record. There, unresolved
    neighbours, damping and drifts shift it by at least twice as much as in the whole record, and
    white noise shifts it by √7 standard errors (the variance of a half is 8 times that of the
    whole, and an efficient estimate has its own variance as covariance with every part). Half of
    the rms shift beyond the noise's share is returned.
    """
    half = len(signal) // 2
    starts = (0, (len(signal) - half) // 2, len(signal) - half)
    parts = np.array([signal[k : k + half] for k in starts], dtype=np.complex128)
    parts -= parts.mean(axis=1, keepdims=True)
    found, _ = refine(parts, np.full(3, peak.frequency), make_window(window, half))
    shift = float(np.mean((found - peak.frequency) ** 2))
    return float(np.sqrt(max(shift - 7 * peak.uncertainty**2, 0.0)) / 2)


def fraction(tune: float) -> float:
    """Fractional part of a tune, in [0, 1)."""
    return tune % 1.0


def unfold(frequency: float, tune: float) -> float:
    """Fraction in [0, 1) near `tune` that a real signal shows at `frequency` in [0, 0.5].

    A tune of 0.69 shows at 0.31: above 0.5, a higher tune shows at a lower frequency.
    """
    target = fraction(tune)
    candidates = (frequency % 1.0, (-frequency) % 1.0)
    return min(candidates, key=lambda value: abs(_around(value - target)))


def _around(difference: float) -> float:
    """Difference of two fractions, in [-0.5, 0.5)."""
    return (difference + 0.5) % 1.0 - 0.5


def _transform(signal: Signal, weights: Floats, padding: int) -> tuple[Floats, Complexes]:
    from scipy import fft

    points = padding * len(signal)
    centred = (signal - np.mean(signal)) * weights
    if np.iscomplexobj(signal):
        return np.arange(points) / points, np.asarray(fft.fft(centred, points))
    return np.asarray(fft.rfftfreq(points)), np.asarray(fft.rfft(centred, points))


def _in_band(
    frequency: Floats, low: float, high: float | None, complex_signal: bool
) -> NDArray[np.bool_]:
    if high is None:
        return np.ones(len(frequency), dtype=bool)
    if complex_signal:
        return (frequency - low) % 1.0 <= min(high - low, 1.0)
    upwards = (frequency - low) % 1.0 <= min(high - low, 1.0)
    downwards = (-frequency - low) % 1.0 <= min(high - low, 1.0)
    return np.asarray(upwards | downwards, dtype=bool)


def _noise_power(power: Floats, inside: NDArray[np.bool_], top: int, lobe: int) -> float:
    """Mean noise power around the band: the median of an exponential distribution is ln 2 times its
    mean.

    The band is widened to 64 bins where it is narrow, and the line itself is left out.
    """
    from scipy import ndimage

    margin = (64 * PADDING - int(inside.sum())) // 2
    near = ndimage.binary_dilation(inside, iterations=margin) if margin > 0 else inside.copy()
    line = slice(max(0, top - lobe * PADDING), top + lobe * PADDING + 1)
    near[line] = False
    return float(np.median(power[near]) / np.log(2)) if near.any() else 0.0


def _on_a_slope(power: Floats, top: int) -> bool:
    """True where the maximum of a band is only the flank of a line outside it."""
    last = len(power) - 1
    return bool(
        (top > 0 and power[top - 1] > power[top]) or (top < last and power[top + 1] > power[top])
    )


def _parabola(frequency: Floats, power: Floats, top: int) -> float:
    """Vertex of the parabola through the logarithm of three points.

    Its bias with the Hann window is below 1.6 % of the spacing without padding (Gasior, Gonzalez).
    """
    spacing = frequency[1] - frequency[0]
    if top in (0, len(power) - 1):
        return float(frequency[top])
    left, centre, right = np.log(np.maximum(power[top - 1 : top + 2], np.finfo(float).tiny))
    bend = left - 2 * centre + right
    shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(frequency[top] + np.clip(shift, -0.5, 0.5) * spacing)


def _peak(
    frequency: float, height: float, noise: float, weights: Floats, complex_signal: bool
) -> Peak:
    total = weights.sum()
    time = np.arange(len(weights)) - (weights @ np.arange(len(weights))) / total
    spread = (weights**2 @ time**2) / (weights @ weights)
    variance = 0.5 * noise * spread / ((height / total) * (weights @ time**2)) ** 2
    return Peak(
        frequency=frequency % 1.0 if complex_signal else abs(frequency),
        uncertainty=float(np.sqrt(variance) / (2 * np.pi)),
        amplitude=(1.0 if complex_signal else 2.0) * height / total,
        signal_to_noise=float(height / np.sqrt(noise)) if noise > 0 else float("inf"),
    )
