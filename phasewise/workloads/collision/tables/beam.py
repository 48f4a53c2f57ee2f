"""The keys of [beam.1] and [beam.2]: a beam's particles and its bunch at the first point."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from phasewise.tables.declared import key
from phasewise.tables.keys import Key
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.collision.tables.arc import Arc
from phasewise.workloads.collision.tables.optics import (
    METRES,
    Optics,
    Pair,
    Six,
    Triple,
    matched_rms,
)

Array = NDArray[np.float64]

SHAPES = ("gaussian", "q-gaussian", "parabolic", "hollow")
DISTRIBUTIONS = (*SHAPES, "quiet", "file")
Q_MOST = 1e3
"""Whoever reads q says why 5/3 and more are refused."""

PARTICLES = ("proton", "antiproton", "electron", "positron", "ion")
EMITTANCE = Key("numbers", length=2, above=0, least=1e-25, most=1e-2, unit="m", hint=METRES)


@dataclass(frozen=True, kw_only=True)
class PopulationRamp:
    """A number of particles that changes while the macroparticles stay."""

    turns: tuple[int, ...] = key("any", needed="a list of two or more turns")
    particles: tuple[float, ...] = key("any", needed="the particles of the bunch at these turns")

    def at(self, turn: float | Array) -> Array:
        """Particles of the bunch in a turn: linear between those given, constant outside."""
        return np.asarray(np.interp(turn, self.turns, self.particles))


@dataclass(frozen=True, kw_only=True)
class SecondPart:
    """A second part of a bunch, with its own size and distribution."""

    share: float = key("number", needed="its share of the particles", above=0, most=0.999999)
    size: Triple = key(
        "numbers", needed="its rms over that of the first part", length=3, shared=True, above=0,
        least=1e-3, most=1e3,
    )  # fmt: skip
    distribution: str = key("word", "gaussian", choices=SHAPES)
    q: Triple = key("numbers", (1.0,) * 3, length=3, shared=True, least=-100, most=Q_MOST)


@dataclass(frozen=True, kw_only=True)
class Beam:
    """One beam: its particles, its bunch at the first interaction point, its arc and its optics."""

    number: int
    like: ClassVar[Key] = Key("word", choices=("beam.1", "beam.2"))
    particle: str = key("word", "proton", choices=PARTICLES)
    mass: float = key("number", above=0, least=1, most=1e12, unit="eV", flat=True)
    charge: float = key("number", least=-200, most=200, unit="elementary charges", flat=True)
    energy: float = key(
        "number", needed="the total energy of a particle in eV", above=0, unit="eV", most=1e21,
        hint="the unit is electronvolts", flat=True,
    )  # fmt: skip
    bunch_population: float = key(
        "number", needed="the number of particles of a bunch", above=0, least=1, most=1e20,
        flat="population",
    )  # fmt: skip
    population_ramp_: ClassVar[Key] = Key("table")
    population_ramp: PopulationRamp | None
    macroparticles: int = key(
        # A strong beam may leave it out.
        "integer", needed="the number of macroparticles that stand for the bunch", least=1,
        most=2**32 - 1, flat=True, as_flat=lambda count: max(count, 1),
    )  # fmt: skip
    normalized_emittance: ClassVar[Key] = EMITTANCE
    geometric_emittance: Pair = key(
        "numbers", length=2, above=0, least=1e-25, most=1e-2, unit="m", hint=METRES, flat=True
    )
    size_: ClassVar[Key] = Key(
        "numbers", length=2, above=0, least=1e-15, most=1, unit="m", hint=METRES
    )
    bunch_length: float = key(
        "number", needed="the rms length of the bunch in m", above=0, least=1e-12, most=10,
        unit="m", hint=METRES, flat=True,
    )  # fmt: skip
    momentum_spread: float = key(
        "number", needed="the relative rms spread of the momenta", least=0, most=0.1,
        hint="it is a fraction, not a percentage", flat=True,
    )  # fmt: skip
    orbit: str = key("word", "closed", choices=("closed", "reference"))
    """Where the bunch's centre starts in a ring with a lattice: on the orbit that closes, or on the
    reference orbit.
    """
    offset: Six = key("numbers", (0.0,) * 6, length=6, least=-1, most=1, hint=METRES, flat=True)
    offset_sigma: ClassVar[Key] = Key("numbers", length=6, least=-1e3, most=1e3, unit="rms")
    mismatch: Six = key("numbers", (1.0,) * 6, length=6, least=0, most=1e3, flat=True)
    cut: Triple = key("numbers", (0.0,) * 3, length=3, shared=True, least=0, unit="rms", flat=True)
    distribution: str = key("word", choices=DISTRIBUTIONS)
    quiet: bool = key("flag", False)
    """Whether a Sobol sequence stands for random numbers."""
    q: Triple = key("numbers", (1.0,) * 3, length=3, shared=True, least=-100, most=Q_MOST)
    """Of q-Gaussians in x, y and z: 1 is a Gaussian, 0 a parabola."""
    second_: ClassVar[Key] = Key("table")
    second: SecondPart | None
    particles: Path | None = key("text")
    resample: bool = key("flag", False)
    """Whether particles are drawn from the file by their weights."""
    strong: bool
    """Whether it is the strong beam of a weak-strong study, which is not tracked."""
    arc: Arc
    optics: tuple[Optics, ...]

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass

    @property
    def beta(self) -> float:
        """Velocity in units of c."""
        return self.shared.beta

    def population_at(self, turn: float | Array) -> Array:
        """Particles of the bunch in a turn, or in several, if none of its macroparticles is
        lost.
        """
        if self.population_ramp is None:
            return np.full(np.shape(turn), self.bunch_population)
        return self.population_ramp.at(turn)

    @property
    def shared(self) -> SharedBunch:
        """The bunch in the form that all workloads of a ring share."""
        return SharedBunch(
            number=self.number,
            mass=self.mass,
            charge=self.charge,
            energy=self.energy,
            population=self.bunch_population,
            macroparticles=self.macroparticles,
            # Between several interaction points the arc is a part of the ring too.
            beta_function=self.optics[0].beta if len(self.optics) == 1 else None,
            on_closed_orbit=self.orbit == "closed" and self.lattice_alone,
        )

    @property
    def lattice_alone(self) -> bool:
        """Whether nothing of the arc's own moves the bunch between two collisions, so that the
        orbit of a lattice in its place is that of the ring.
        """
        arc, identity = self.arc, tuple(float(i % 7 == 0) for i in range(36))
        quiet = arc.longitudinal == "none" and not any((*arc.damping_turns, *arc.feedback.gain))
        alone = arc.tune is None and arc.tensor is None and arc.matrix == identity
        return len(self.optics) == 1 and alone and quiet

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
