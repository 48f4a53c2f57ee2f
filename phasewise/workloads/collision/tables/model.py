"""Two colliding beams as plain values: every default filled in, every length in metres, every angle
in radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from phasewise.constants import SPEED_OF_LIGHT
from phasewise.study import Study
from phasewise.tables.declared import key
from phasewise.workload.bunches import SharedBunch
from phasewise.workload.interface import Former
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.optics import METRES
from phasewise.workloads.collision.tables.point import InteractionPoint


@dataclass(frozen=True, kw_only=True)
class Ring:
    """The keys of [ring]."""

    circumference: float | None = key(
        "number", above=0, least=1e-3, most=1e9, unit="m", hint=METRES
    )
    bunches: int | None = key("integer", least=1, most=10**9)


@dataclass(frozen=True, kw_only=True)
class Records:
    """The keys of [records] for beams; for keys that count turns, 0 means never."""

    moments_order: int = key("integer", 2, least=2, most=4, flat=True)
    slices_every: int = key("integer", 0, least=0, flat=True)
    pair_luminosity_every: int = key("integer", 0, least=0)
    photon_spectrum_every: int = key("integer", 0, least=0)
    particles_every: int = key("integer", 0, least=0)
    particles_fraction: float = key("number", 1.0, above=0, most=1)
    tracked: int = key("integer", 0, least=0, most=10**7, flat=True)
    field: bool = key("flag", False)


@dataclass(frozen=True, kw_only=True)
class Collision:
    """What a study of colliding beams has beside what every study has."""

    ring: Ring
    beams: tuple[Beam, Beam]
    ips: tuple[InteractionPoint, ...]
    records: Records

    @property
    def circumference(self) -> float | None:
        """The ring's circumference [m]."""
        return self.ring.circumference

    @property
    def bunches(self) -> int | None:
        """Bunches of each beam."""
        return self.ring.bunches

    def beam(self, number: int) -> Beam:
        """Beam 1 or 2."""
        return self.beams[number - 1]

    @property
    def has_field(self) -> bool:
        """Whether a slice's field can be shown: on the mesh of the first interaction point, where
        the beams are after a turn.
        """
        return self.ips[0].model == "strong-strong"

    @property
    def loses_by_energy(self) -> bool:
        """Whether particles may lose energy in a collision, or be lost by their energy."""
        return any(ip.radiates or ip.scatters for ip in self.ips) or any(
            beam.arc.momentum_aperture is not None for beam in self.beams
        )

    @property
    def meshes(self) -> tuple[InteractionPoint, ...]:
        """The interaction points that have a mesh."""
        return tuple(ip for ip in self.ips if ip.model == "strong-strong")

    def slices_met(self, ip: InteractionPoint) -> float:
        """Slices of the opposing beam that a tracked particle meets at a point, on average."""
        tracked = [beam for beam in self.beams if not beam.strong]
        met = sum(beam.macroparticles * ip.slices[2 - beam.number] for beam in tracked)
        return met / sum(beam.macroparticles for beam in tracked)

    def revolution_frequency(self, beam: int) -> float | None:
        """βc/C [Hz] of beam 1 or 2; None if the ring has no circumference."""
        if self.circumference is None:
            return None
        return self.beam(beam).beta * SPEED_OF_LIGHT / self.circumference


def bunches(model: Collision) -> tuple[SharedBunch, ...]:
    """The bunches that are tracked."""
    return tuple(beam.shared for beam in model.beams if not beam.strong)


def formerly(model: Collision) -> dict[str, Former]:
    """Slices had planes of pairs."""
    return {
        f"ip.{k}.planes": Former("pair", matters=ip.has_two_planes)
        for k, ip in enumerate(model.ips, 1)
    }


def collision_of(study: Study) -> Collision:
    """The model of a study of colliding beams."""
    return cast(Collision, study.model)
