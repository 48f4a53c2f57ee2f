"""The table [bunch]: the particles of the bunch, and its shape at the start of the lattice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.constants import PARTICLES
from phasewise.errors import StudyError
from phasewise.tables.declared import check_needed, key, schema_of
from phasewise.tables.keys import Key, check_table, show, with_defaults
from phasewise.workload.bunches import FILE, SharedBunch, particles_file

Pair = tuple[float, float]
MATCHED = ("lattice", "all-planes", "with-charge")
DISTRIBUTIONS = ("gaussian", "waterbag", "kv", "uniform", FILE)
METRES = "lengths are in metres"
EMITTANCE = Key("numbers", length=2, least=0, most=1, unit="m", hint=METRES)
AGREEMENT = 1e-3
"""Relative difference up to which two statements of one size agree."""


@dataclass(frozen=True, kw_only=True)
class Bunch:
    """The keys of [bunch]."""

    particle: str = key("word", "proton", choices=(*PARTICLES, "ion"))
    mass: float = key("number", above=0, least=1, most=1e12, unit="eV", flat="beam.1.mass")
    charge: float = key(
        "number", least=-200, most=200, unit="elementary charges", flat="beam.1.charge"
    )
    energy: float = key("number", above=0, most=1e21, unit="eV", flat="beam.1.energy")
    """The total energy of a particle [eV]."""
    kinetic_energy: ClassVar[Key] = Key("number", above=0, most=1e21, unit="eV")
    bunch_population: float = key(
        "number", needed="the number of particles of the bunch", above=0, most=1e20,
        flat="beam.1.population",
    )  # fmt: skip
    macroparticles: int = key(
        "integer", needed="the number of macroparticles that stand for the bunch", least=1,
        most=2**32 - 1, flat="beam.1.macroparticles",
    )  # fmt: skip
    distribution: str = key(
        "word",
        choices=DISTRIBUTIONS,
        flat="bunch.distribution",
        # The particles of a file replace those that the driver makes.
        as_flat=lambda name: "gaussian" if name == FILE else name,
    )
    particles: Path | None = key("text")
    quiet: bool = key("flag", False, flat="bunch.quiet")
    geometric_emittance: Pair = key(
        "numbers",
        length=2,
        least=0,
        most=1,
        unit="m",
        hint=METRES,
        flat="bunch.geometric_emittance",
    )
    normalized_emittance: ClassVar[Key] = EMITTANCE
    size: Pair | None = key("numbers", length=2, above=0, most=10, unit="m", hint=METRES)
    """Rms sizes; None: the bunch is matched to the lattice without space charge."""
    beta: ClassVar[Key] = Key("numbers", length=2, above=0, unit="m", hint=METRES)
    matched: str = key("word", MATCHED[0], choices=MATCHED)
    """What a bunch without sizes is matched to: the lattice's transverse modes, all three modes, or
    the transverse modes with the force of the bunch's charge.
    """
    alpha: Pair | None = key("numbers", length=2)
    dispersion: tuple[float, float, float, float] | None = key("numbers", length=4)
    bunch_length: float | None = key("number", above=0, most=1e5, unit="m", hint=METRES)
    """Rms length in z; None: it follows from the momentum spread and the cavities."""
    coasting: bool = key("flag", False)
    """Uniform in z over the solver's period; bunch_length is then the rms length of the period."""
    momentum_spread: float | None = key("number", least=0, most=0.3, hint="it is a fraction")
    """Rms spread of δ; None: it follows from the bunch length and the cavities."""
    cut: float = key("number", 0.0, least=0, unit="rms", flat="bunch.cut")
    offset: tuple[float, ...] = key("numbers", (0.0,) * 6, length=6, flat="bunch.offset")

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass

    @property
    def beta_gamma(self) -> float:
        """Momentum over mass."""
        return math.sqrt((self.gamma - 1) * (self.gamma + 1))

    @property
    def shared(self) -> SharedBunch:
        """The bunch in the form that all workloads of a ring share."""
        return SharedBunch(
            number=1,
            mass=self.mass,
            charge=self.charge,
            energy=self.energy,
            population=self.bunch_population,
            macroparticles=self.macroparticles,
        )

    @property
    def rms(self) -> tuple[float | None, ...]:
        """Rms of x, px, y, py, z, δ at the start [m, 1]; None where the lattice decides it."""
        spread = self.momentum_spread
        long = (self.bunch_length, spread)
        if self.size is None or self.alpha is None or self.dispersion is None or spread is None:
            return (None, None, None, None, *long)
        planes = []
        for k, (size, emittance) in enumerate(
            zip(self.size, self.geometric_emittance, strict=True)
        ):
            angle = emittance / size * math.hypot(1, self.alpha[k])
            at, slope = (spread * d for d in self.dispersion[2 * k : 2 * k + 2])
            planes += [math.hypot(size, at), math.hypot(angle, slope)]
        return (*planes, *long)

    @property
    def velocity(self) -> float:
        """Velocity in units of c."""
        return self.beta_gamma / self.gamma


def read_bunch(table: object, folder: Path) -> Bunch:
    """The bunch of a study in `folder`; StudyError if its keys do not describe one."""
    schema = schema_of(Bunch)
    given = check_table(table, schema, "bunch")
    check_needed(given, schema, "bunch")
    values = with_defaults(given, schema)
    values["distribution"], values["particles"] = particles_file(given, folder, "bunch")
    values["mass"], values["charge"] = _particle(given, values)
    values["energy"] = _energy(given, values["mass"])
    gamma = values["energy"] / values["mass"]
    values["geometric_emittance"] = _emittance(given, math.sqrt((gamma - 1) * (gamma + 1)))
    values["size"] = _size(given, values["geometric_emittance"])
    for name, none in (("alpha", (0.0, 0.0)), ("dispersion", (0.0,) * 4)):
        if values["size"] is None and values[name] is not None:
            raise StudyError(f"bunch.{name} needs bunch.beta or bunch.size beside it")
        if values["size"] is not None and values[name] is None:
            values[name] = none
    _check_matched(values, given)
    for other in ("kinetic_energy", "normalized_emittance", "beta"):
        values.pop(other)
    return Bunch(**values)


def _check_matched(values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """StudyError for combinations of keys that a matched bunch does not allow or that are
    incomplete. A momentum spread that is neither given nor matched becomes 0.
    """
    if values["size"] is not None and "matched" in given and values["matched"] != MATCHED[0]:
        raise StudyError(
            f"bunch.matched = {show(values['matched'])} and the bunch's size or beta exclude each "
            "other"
        )
    length, spread = values["bunch_length"], values["momentum_spread"]
    if values["matched"] == "all-planes" and (length is None) == (not spread):
        raise StudyError(
            'bunch.matched = "all-planes" needs either bunch_length or momentum_spread: the '
            "cavities give the other"
        )
    if values["coasting"] and values["matched"] == "all-planes":
        raise StudyError(
            'bunch.matched = "all-planes" does not belong to a coasting beam: nothing bunches it'
        )
    needed = values["matched"] == "lattice" or not spread
    if length is None and needed and not values["coasting"]:
        raise StudyError("bunch.bunch_length is missing")
    if values["matched"] == "lattice":
        values["momentum_spread"] = spread or 0.0


def _particle(given: Mapping[str, Any], values: Mapping[str, Any]) -> Pair:
    name = values["particle"]
    if name == "ion":
        for own, unit in (("mass", "eV"), ("charge", "elementary charges")):
            if own not in given:
                raise StudyError(f'bunch.{own} ({unit}) is missing: particle = "ion" needs it')
        if given["charge"] == 0:
            raise StudyError("bunch.charge must not be 0: a neutral bunch has no field")
        return given["mass"], given["charge"]
    mass, charge = PARTICLES[name]
    for own, known in (("mass", mass), ("charge", charge)):
        if given.get(own, known) != known:
            raise StudyError(
                f"bunch.{own} = {show(given[own])} is not the {name}'s {known:g}; "
                'for another particle say particle = "ion"'
            )
    return mass, charge


def _energy(given: Mapping[str, Any], mass: float) -> float:
    if ("energy" in given) == ("kinetic_energy" in given):
        raise StudyError("bunch needs either energy or kinetic_energy, in eV")
    if "kinetic_energy" in given:
        return float(mass + given["kinetic_energy"])
    energy = float(given["energy"])
    if energy <= mass:
        raise StudyError(
            f"bunch.energy = {energy:g} eV is not above the rest energy, {mass:g} eV: it is the "
            "total energy, and kinetic_energy is the energy above rest"
        )
    return energy


def _emittance(given: Mapping[str, Any], beta_gamma: float) -> Pair:
    if ("geometric_emittance" in given) == ("normalized_emittance" in given):
        raise StudyError("bunch needs either geometric_emittance or normalized_emittance, in m")
    if "geometric_emittance" in given:
        found: Pair = given["geometric_emittance"]
        return found
    x, y = given["normalized_emittance"]
    return x / beta_gamma, y / beta_gamma


def _size(given: Mapping[str, Any], emittance: Pair) -> Pair | None:
    size: Pair | None = given.get("size")
    beta = given.get("beta")
    of_beta = None
    if beta is not None:
        of_beta = (math.sqrt(beta[0] * emittance[0]), math.sqrt(beta[1] * emittance[1]))
    if size is not None and of_beta is not None:
        for axis, one, other in zip("xy", size, of_beta, strict=True):
            if abs(other - one) > AGREEMENT * one:
                raise StudyError(
                    f"bunch.size and bunch.beta disagree in {axis}: {one:g} m and, with the "
                    f"emittance, {other:g} m"
                )
    return size or of_beta
