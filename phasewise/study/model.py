"""A resolved study as plain values: every default filled in, every length in metres, every angle in
radians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.study.communication import Communication

Pair = tuple[float, float]
Triple = tuple[float, float, float]
Four = tuple[float, float, float, float]
Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Optics:
    """Twiss functions of one beam at one interaction point, and its phase advance [turns] to the
    next one.
    """

    beta: Pair
    alpha: Pair
    dispersion: Four
    phase_advance: Pair
    crab: Pair
    """Strength (1 = full compensation of the crossing angle) and frequency [Hz] (0 = linear)."""

    @property
    def gamma(self) -> Pair:
        """Twiss γ = (1 + α²)/β [1/m] in x and y."""
        x, y = ((1 + a * a) / b for a, b in zip(self.alpha, self.beta, strict=True))
        return (x, y)


def matched_rms(optics: Optics, emittance: Pair, bunch_length: float, spread: float) -> Six:
    """Rms of x, px, y, py, z, delta [m and 1] of a bunch matched to ``optics``: sqrt(εβ + (Dσδ)²),
    sqrt(εγ + (D'σδ)²).
    """
    squares = []
    for plane in (0, 1):
        d, dp = optics.dispersion[2 * plane : 2 * plane + 2]
        squares.append(emittance[plane] * optics.beta[plane] + (d * spread) ** 2)
        squares.append(emittance[plane] * optics.gamma[plane] + (dp * spread) ** 2)
    x, px, y, py = (math.sqrt(square) for square in squares)
    return (x, px, y, py, bunch_length, spread)


@dataclass(frozen=True)
class RadioFrequency:
    """Sinusoidal RF: voltage [V], harmonic number, phase [turns]."""

    voltage: float
    harmonic: int
    phase: float


@dataclass(frozen=True)
class Arc:
    """Everything between the last interaction point and the first, for one beam."""

    tune: Pair | None
    synchrotron_tune: float
    chromaticity: Pair
    amplitude_detuning: Four
    longitudinal: str
    momentum_compaction: float | None
    rf: RadioFrequency | None
    damping_turns: Triple
    equilibrium_emittance: Pair
    equilibrium_bunch_length: float
    equilibrium_momentum_spread: float
    excitation: bool
    aperture: Pair | None
    aperture_shape: str
    feedback_gain: Pair
    feedback_noise: Pair
    noise: Four
    matrix: tuple[float, ...] | None
    """36 numbers, row by row."""
    tensor: tuple[float, ...] | None
    """216 numbers T[i][j][k], k fastest."""


@dataclass(frozen=True)
class Beam:
    """One beam: its particles, its bunch at the first interaction point, its arc and its optics."""

    number: int
    particle: str
    mass: float
    charge: float
    energy: float
    bunch_population: float
    macroparticles: int
    geometric_emittance: Pair
    bunch_length: float
    momentum_spread: float
    offset: Six
    mismatch: Six
    cut: float
    distribution: str
    particles: Path | None
    strong: bool
    arc: Arc
    optics: tuple[Optics, ...]

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass

    @property
    def beta(self) -> float:
        """Velocity in units of c."""
        gamma = self.gamma
        return float(((gamma - 1) * (gamma + 1)) ** 0.5 / gamma)

    def rms(self, ip: int) -> Six:
        """Matched rms of x, px, y, py, z, delta at interaction point ``ip`` (from 0) [m and 1],
        with dispersion.
        """
        return matched_rms(
            self.optics[ip], self.geometric_emittance, self.bunch_length, self.momentum_spread
        )

    def size(self, ip: int) -> Pair:
        """Matched rms sizes in x and y at interaction point ``ip`` (from 0) [m]."""
        rms = self.rms(ip)
        return (rms[0], rms[2])


@dataclass(frozen=True)
class InteractionPoint:
    """One interaction point: geometry and model of the collision, common to both beams."""

    half_crossing_angle: float
    crossing_plane: float
    separation: Four
    """Beam 1 minus beam 2 [m]: x and y before the ramp, x and y after it."""
    separation_ramp: tuple[int, int]
    model: str
    strong_beam: int
    grid: tuple[int, int]
    slices: int
    slicing: str
    slice_extent: float
    weighting: str
    interpolation: str
    longitudinal_kick: bool
    mesh: str
    mesh_extent: float
    mesh_half_width: Pair | None
    luminosity: bool
    green_function: str


@dataclass(frozen=True)
class Records:
    """What is written, and how often [turns; 0 = never]."""

    every: int
    moments_order: int
    slices_every: int
    pair_luminosity_every: int
    particles_every: int
    particles_fraction: float
    tracked: int
    field: bool
    checkpoint_every: int
    checkpoint_minutes: float


@dataclass(frozen=True)
class Study:
    """A study with every key checked and every default filled in; build it with ``load`` or
    ``Study.from_dict``.
    """

    title: str
    turns: int
    seed: int
    circumference: float | None
    bunches: int | None
    beams: tuple[Beam, Beam]
    ips: tuple[InteractionPoint, ...]
    records: Records
    communication: Communication

    @classmethod
    def from_dict(cls, study: dict[str, Any], folder: str | Path = ".") -> Study:
        """A study from a dictionary shaped as the TOML file; paths in it are relative to
        ``folder``.

        Raises StudyError, one sentence, where a key or a value cannot be used.
        """
        from phasewise.study.resolve import resolve

        return resolve(study, Path(folder))

    def beam(self, number: int) -> Beam:
        """Beam 1 or 2."""
        return self.beams[number - 1]

    @property
    def has_field(self) -> bool:
        """Whether a slice's field can be shown: on the mesh of the first interaction point, where
        the beams stand after a turn.
        """
        return self.ips[0].model == "strong-strong"

    def revolution_frequency(self, beam: int) -> float | None:
        """βc/C [Hz] of beam 1 or 2; None where the ring has no circumference."""
        if self.circumference is None:
            return None
        return self.beam(beam).beta * SPEED_OF_LIGHT / self.circumference

    def resolved(self) -> dict[str, Any]:
        """This study as a dictionary for JSON, shaped as the TOML file, from which ``from_dict``
        builds it again.
        """
        from phasewise.study.resolved import resolved

        return resolved(self)

    def derived(self) -> dict[str, Any]:
        """Derived quantities (phasewise.study.derived.Derived) as a dictionary for JSON."""
        from phasewise.study.derived import derive

        return derive(self).to_dict()

    def parameters(self) -> str:
        """The flat parameter text for the driver (docs/architecture.md)."""
        from phasewise.study.parameters import parameters

        return parameters(self)
