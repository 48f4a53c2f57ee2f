"""Coherent dipole modes of two colliding bunches, and the Yokoya factor.

In the σ mode the two centroids move together and no force acts between the beams, Q_σ = Q; in the
π mode they move against each other, Q_π = Q ∓ Yξ, below for like charges, above for opposite ones.
Y = |Q_π - Q_σ|/|ξ| is the Yokoya factor: 1.214 for round, 1.330 and 1.239 for flat beams in the
wide and the narrow plane (K. Yokoya, H. Koiso, Part. Accel. 27 (1990) 181, Vlasov equation).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from phasewise.analysis.spectrum import (
    MAIN_LOBE,
    Floats,
    Peak,
    Signal,
    WindowName,
    find_peak,
    fraction,
    unfold,
    unsteadiness,
)
from phasewise.workload.interface import Unit

# The π mode is searched for within this many ξ of the tune: beyond the largest factor, 1.330.
REACH = 2.2
RESOLVING = 3.0
"""Turns times ξ from which on the two modes, about 1.2 ξ apart, are more than 2/T apart."""
ALIKE = 0.1
"""Relative difference in ξ, and difference in tune over ξ, up to which beams count as equal."""


@dataclass(frozen=True)
class PlaneModes:
    """σ and π mode of one plane; None if no line rises from the noise.

    `sigma` and `pi` hold fractional tunes in [0, 1), their uncertainty from noise and from the
    line's unsteadiness over the record (`spectrum.unsteadiness`); `xi` is the sum of ``|ξ|`` over
    the IPs; `shift` = Q_π - Q_σ with its sign; `yokoya` = ``|shift|/ξ``, `yokoya_error` its
    standard error. `expected_sign` is -1 for like charges, +1 for opposite ones. `why` says in a
    clause why there are no modes or no factor; empty if there are. `sought`: whether the modes were
    looked for.
    """

    sigma: Peak | None
    pi: Peak | None
    xi: float
    shift: float | None
    yokoya: float | None
    yokoya_error: float | None
    expected_sign: int
    why: str = ""
    sought: bool = True

    @property
    def shifted_as_expected(self) -> bool | None:
        """Whether Q_π lies on the side of Q_σ that follows from the charges; None without both
        modes.
        """
        return None if self.shift is None else self.shift * self.expected_sign > 0

    def to_dict(self) -> dict[str, float | str | None]:
        """The modes as JSON has them: sigma, pi (tunes), xi, yokoya, yokoya_error, why."""
        return {
            "sigma": None if self.sigma is None else self.sigma.frequency,
            "pi": None if self.pi is None else self.pi.frequency,
            "xi": self.xi,
            "yokoya": self.yokoya,
            "yokoya_error": self.yokoya_error,
            "why": self.why or None,
        }


@dataclass(frozen=True)
class CoherentModes:
    """σ and π modes in both planes."""

    x: PlaneModes
    y: PlaneModes

    def to_dict(self) -> dict[str, dict[str, float | str | None]]:
        """The modes as JSON has them, by plane."""
        return {"x": self.x.to_dict(), "y": self.y.to_dict()}


def sum_and_difference(first: Signal, second: Signal) -> tuple[Signal, Signal]:
    """Half the sum and half the difference of the two beams' centroids, each (T,).

    These are the modes themselves when the beams are equal in tune, intensity and size; otherwise
    each contains some of the other.
    """
    return (first + second) / 2, (first - second) / 2


def pair_modes(
    first: Signal,
    second: Signal,
    tune: float,
    xi: float,
    like_charges: bool = True,
    window: WindowName = "hann",
) -> PlaneModes:
    """σ and π mode from the centroids of the two beams (T,) in one plane.

    Complex phasors (`spectrum.phasor`) tell a tune from its mirror image about 0.5; with real
    centroids, a line counts as the one nearer to `tune`. xi is the sum over the IPs.
    """
    sign = -1 if like_charges else 1
    size = abs(xi)
    if not (_moves(first) and _moves(second)):
        return without_modes(size, like_charges, "the centroids do not move")
    together, against = sum_and_difference(first, second)
    lobe = MAIN_LOBE[window] / len(first)
    centre = fraction(tune)
    sigma = _line(together, centre, max(0.5 * size, 3 * lobe), tune, window)
    pi = _line(against, centre, max(REACH * size, 3 * lobe), tune, window)
    if sigma is None or pi is None or size == 0:
        return PlaneModes(sigma, pi, size, None, None, None, sign, _lacking(sigma, pi))
    shift = (pi.frequency - sigma.frequency + 0.5) % 1.0 - 0.5
    error = float(np.hypot(sigma.uncertainty, pi.uncertainty)) / size
    return PlaneModes(sigma, pi, size, shift, abs(shift) / size, error, sign)


def without_modes(xi: float, like_charges: bool, why: str) -> PlaneModes:
    """A plane in which no modes are looked for."""
    return PlaneModes(None, None, abs(xi), None, None, None, -1 if like_charges else 1, why, False)


def unresolved(turns: int, xi: tuple[float, float], tunes: tuple[float, float] | None) -> str:
    """Why the σ and π mode of two beams cannot be told apart; empty if they can.

    xi: of both beams, summed over the IPs. tunes: of both beams, None if they are not known. The
    modes are Yξ apart, and lines closer than 2/T are one (the main lobe of the Hann window ends
    there). Two beams whose tunes differ by ΔQ have modes sqrt(ΔQ² + (Yξ)²) apart: `ALIKE` keeps
    what that adds to Y below a half of 1 %.
    """
    mean = (xi[0] + xi[1]) / 2
    if mean == 0:
        return "no force acts between the beams"
    if abs(xi[0] - xi[1]) > ALIKE * mean:
        return f"the beams differ: ξ is {xi[0]:.3g} and {xi[1]:.3g}"
    if tunes is not None:
        apart = abs((tunes[0] - tunes[1] + 0.5) % 1.0 - 0.5)
        if apart > ALIKE * mean:
            return f"the beams' tunes are {apart:.3g} apart, which is {apart / mean:.2g} ξ"
    if turns * mean < RESOLVING:
        return (
            f"{Unit().of(turns)} times ξ is {turns * mean:.2g}, and {RESOLVING:g} is needed: "
            f"run {Unit().of(ceil(RESOLVING / mean))}"
        )
    return ""


def _lacking(sigma: Peak | None, pi: Peak | None) -> str:
    lacking = [name for name, peak in (("σ", sigma), ("π", pi)) if peak is None]
    return f"no {' and no '.join(lacking)} line rises from the noise" if lacking else "ξ is 0"


def shift_in_xi(frequency: Floats, tune: float, xi: float, complex_signal: bool) -> Floats:
    """Axis (Q - Q_tune)/ξ of a spectrum, folded where a real signal shows a tune above 0.5."""
    centre = fraction(tune)
    direction = -1.0 if not complex_signal and centre > 0.5 else 1.0
    shown = direction * frequency
    return np.asarray(((shown - centre + 0.5) % 1.0 - 0.5) / abs(xi), dtype=np.float64)


def _moves(signal: Signal) -> bool:
    return bool(np.all(np.isfinite(signal)) and np.ptp(np.abs(signal - np.mean(signal))) > 0)


def _line(
    signal: Signal, centre: float, reach: float, tune: float, window: WindowName
) -> Peak | None:
    reach = min(reach, 0.499)
    peak = find_peak(signal, centre - reach, centre + reach, window)
    if peak is None:
        return None
    error = float(np.hypot(peak.uncertainty, unsteadiness(signal, peak, window)))
    shown = peak.frequency if np.iscomplexobj(signal) else unfold(peak.frequency, tune)
    return replace(peak, frequency=shown, uncertainty=error)
