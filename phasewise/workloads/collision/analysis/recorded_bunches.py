"""The bunches of a run as Gaussian ones with the sizes that were recorded, for integrals over them.

Lenses of the other bunch narrow a bunch that circulates (dynamic β), and more so in its middle: at
a crossing angle its ends meet the other bunch from the side. Where slices were recorded, the sizes
therefore depend on z.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.collision.derived.beamstrahlung import (
    Passage,
    Widths,
    passage,
    same_width,
)
from phasewise.workloads.collision.derived.radiated_spectrum import photons_by_share
from phasewise.workloads.collision.populations import per_macroparticle
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision, collision_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RecordedBunches:
    """The model with the recorded populations, bunch lengths, momentum spreads and sizes at an
    interaction point (from 0), and how the sizes depend on z.
    """

    model: Collision
    ip: int
    widths: tuple[Widths, Widths]

    def passage(self, number: int) -> Passage:
        """What a particle of beam ``number`` radiates in a collision."""
        return passage(self.model, number, self.ip, self.widths)

    def photons_by_share(self, number: int) -> Array:
        """Its photons in each bin of `derived.radiated_spectrum.EDGES`."""
        return photons_by_share(self.model, number, self.ip, self.widths)


def recorded_bunches(results: Results, ip: int, first: int = 0) -> RecordedBunches:
    """Means over the turns from ``first`` on: populations, bunch lengths and sizes on arrival at
    the first point, and sizes of the slices at ``ip`` (from 0) where `records.slices_every` asked
    for them. The size of a slice contains its tilt along z, so that slices must be short.
    """
    model = collision_of(Study.from_dict(results.study))
    found = [_recorded(results, beam, ip, first) for beam in model.beams]
    (one, wide), (two, as_wide) = found
    return RecordedBunches(replace(model, beams=(one, two)), ip, (wide, as_wide))


def _recorded(results: Results, beam: Beam, ip: int, first: int) -> tuple[Beam, Widths]:
    since = np.asarray(results.turn) >= first
    turns = np.asarray(results.turn, dtype=np.float64)[since]
    if beam.strong:
        population = float(np.mean(beam.population_at(turns)))
        return replace(beam, bunch_population=population), same_width
    found = results.beam(beam.number)
    each = per_macroparticle(results.study, beam.number, turns)
    square = (found.size[since] ** 2).mean(axis=0)
    spread = float(np.sqrt(found.covariance[since, 5, 5].mean()))
    spread_out = replace(beam, momentum_spread=spread)
    # Without dispersion, and its share in the squares of the recorded sizes.
    alone = [size**2 for size in replace(beam, momentum_spread=0.0).size(0)]
    spread_by = [size**2 - own for size, own in zip(spread_out.size(0), alone, strict=True)]
    x, y = (
        emittance * float(max(square[k] - spread_by[k], 0.0) / alone[k])
        for k, emittance in enumerate(beam.geometric_emittance)
    )
    scaled = replace(
        spread_out,
        bunch_population=float(np.mean(found.particles[since] * each)),
        bunch_length=float(np.sqrt(square[2])),
        geometric_emittance=(x, y),
    )
    slices = _slices(results, beam.number, ip, first)
    return scaled, same_width if slices is None else _widths(*slices, scaled, ip)


def _slices(results: Any, number: int, ip: int, first: int) -> tuple[Array, Array] | None:
    """Places of the slices from the bunch's centre and their σx² and σy² (S, 2), from the tail on;
    None without records of them, or of one slice.
    """
    turns = [turn for turn in results.snapshots("slices") if turn >= first]
    each = [results.slices(turn, ip + 1, number) for turn in turns]
    if not each or len(each[0]["z"]) < 2:
        return None
    z = np.mean([of["z"] - np.average(of["z"], weights=of["count"]) for of in each], axis=0)
    squares = np.mean([of["sigma"][:, [0, 2]] ** 2 for of in each], axis=0)
    return z[::-1], squares[::-1]


def _widths(z: Array, squares: Array, beam: Beam, ip: int) -> Widths:
    x, y = (squares[:, k] / beam.size(ip)[k] ** 2 for k in (0, 1))
    return lambda at: (np.interp(at, z, x), np.interp(at, z, y))
