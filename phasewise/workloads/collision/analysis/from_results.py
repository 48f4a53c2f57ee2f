"""The analyses of a run: records in, dataclasses out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from phasewise.analysis.growth_rate import SECONDS_PER_HOUR, Growth, growth_rate
from phasewise.analysis.spectrum import Complexes, Floats, find_peak
from phasewise.analysis.tune_footprint import (
    Footprint,
    normalised_motion,
    tune_footprint,
)
from phasewise.workloads.collision.analysis.both_beams import BothBeams, alike, both_beams
from phasewise.workloads.collision.analysis.coherent import (
    CoherentModes,
    PlaneModes,
    pair_modes,
    unresolved,
    without_modes,
)
from phasewise.workloads.collision.analysis.luminosity_history import Luminosity, luminosity_history
from phasewise.workloads.collision.analysis.moments import sampling_error
from phasewise.workloads.collision.analysis.noise_floor import NoiseFloor, noise_floor
from phasewise.workloads.collision.analysis.setting import BeamSetting, Setting, setting

# A footprint is sought within this many ξ of the tune: the strongest beam-beam tune shift of a
# particle is ξ, and the rest is room for the machine's own detuning.
FOOTPRINT_REACH = 3.0
MIN_FOOTPRINT_REACH = 0.03
MAX_FOOTPRINT_REACH = 0.25


class BeamRecords(Protocol):
    """Records of one beam over T turns, as `phasewise.runs.results` gives them."""

    @property
    def mean(self) -> Floats: ...
    @property
    def emittance(self) -> Floats: ...
    @property
    def tracked(self) -> Floats: ...


class RunRecords(Protocol):
    """Records of a run."""

    @property
    def turn(self) -> Any: ...
    @property
    def luminosity(self) -> Floats: ...
    @property
    def study(self) -> dict[str, Any]: ...
    @property
    def derived(self) -> dict[str, Any]: ...
    def beam(self, number: int, /) -> BeamRecords: ...


@dataclass(frozen=True)
class EmittanceGrowth:
    """Growth of one emittance of one beam, beside what macroparticles alone would do.

    growth: relative per turn (None with too few turns). noise_floor (per turn) and
    noise_floor_per_hour: the estimate `noise_floor.noise_floor`. They are None for z and if there
    is no estimate, for the reason in `noise_floor_why`; the one per hour also without a
    circumference. sampling_error: the relative error of the value itself, 1/√N.
    """

    growth: Growth | None
    noise_floor: float | None
    noise_floor_per_hour: float | None
    noise_floor_why: str
    sampling_error: float | None


@dataclass(frozen=True)
class BeamGrowth:
    """Growth of a beam's emittances."""

    x: EmittanceGrowth
    y: EmittanceGrowth
    z: EmittanceGrowth


def setting_of(results: RunRecords) -> Setting:
    """The machine of a run."""
    return setting(results.study, results.derived)


def centroid_phasors(results: RunRecords) -> tuple[tuple[Complexes, Complexes], ...]:
    """Betatron phasors (T,) of the centroids at the first IP, [beam][plane], in m^½."""
    phasors = []
    for index, beam in enumerate(setting_of(results).beams):
        record = np.asarray(results.beam(index + 1).mean, dtype=np.float64)
        x, y = normalised_motion(record[:, None, :], beam.optics)
        phasors.append((x[0], y[0]))
    return tuple(phasors)


def coherent_modes(results: RunRecords) -> CoherentModes:
    """σ and π modes of both planes, from the centroids at the first IP; ξ summed over the IPs.

    A run that cannot show them (`coherent.unresolved`) has none, and says why. If a map gives the
    arc, its tune is the strongest line of the sum of the centroids.
    """
    machine = setting_of(results)
    first, second = centroid_phasors(results)
    planes = [_plane_modes(machine, first[plane], second[plane], plane) for plane in range(2)]
    return CoherentModes(planes[0], planes[1])


def _plane_modes(machine: Setting, first: Complexes, second: Complexes, plane: int) -> PlaneModes:
    tune = machine.tune(plane)
    one, two = machine.beams
    tunes = None if one.tune is None or two.tune is None else (one.tune[plane], two.tune[plane])
    if why := unresolved(len(first), (one.xi[plane], two.xi[plane]), tunes):
        return without_modes(machine.xi(plane), machine.like_charges, why)
    if tune is None:
        strongest = find_peak(first + second)
        tune = 0.0 if strongest is None else strongest.frequency
    return pair_modes(first, second, tune, machine.xi(plane), machine.like_charges)


def growth(results: RunRecords) -> tuple[BeamGrowth, BeamGrowth]:
    """Emittance growth of beams 1 and 2, relative per turn, with error bars and noise floors, or
    the reasons why there are none.
    """
    machine = setting_of(results)
    turns = int(results.turn[-1] - results.turn[0]) + 1 if len(results.turn) else 0
    floor = noise_floor(results.study, results.derived, turns)
    beams = []
    for index, beam in enumerate(machine.beams):
        history = np.asarray(results.beam(index + 1).emittance, dtype=np.float64)
        transverse = None if beam.strong else floor
        floors = [_floor(transverse, index, 0), _floor(transverse, index, 1), (None, "")]
        planes = [
            _emittance_growth(results.turn, history[:, plane], beam, machine, floors[plane])
            for plane in range(3)
        ]
        beams.append(BeamGrowth(*planes))
    return beams[0], beams[1]


def growth_of_both(results: RunRecords) -> tuple[BothBeams | None, ...]:
    """Growth of the sum of both beams' emittances in x, y and z, and whether equal beams disagree;
    None with too few turns or a strong beam.
    """
    machine = setting_of(results)
    one, two = machine.beams
    if one.strong or two.strong:
        return None, None, None
    first, second = (
        np.asarray(results.beam(number).emittance, dtype=np.float64) for number in (1, 2)
    )
    equal, frequency = alike(one, two), machine.revolution_frequency
    return tuple(
        both_beams(results.turn, first[:, plane], second[:, plane], equal, frequency)
        for plane in range(3)
    )


def _floor(found: NoiseFloor | None, beam: int, plane: int) -> tuple[float | None, str]:
    if found is None or found.growth is None:
        return None, found.why if found else ""
    return found.growth[beam][plane], ""


def _emittance_growth(
    turn: Floats,
    history: Floats,
    beam: BeamSetting,
    machine: Setting,
    floor_and_why: tuple[float | None, str],
) -> EmittanceGrowth:
    frequency, (floor, why) = machine.revolution_frequency, floor_and_why
    per_hour = None
    if floor is not None and frequency is not None:
        per_hour = floor * frequency * SECONDS_PER_HOUR
    fit = None if beam.strong else growth_rate(turn, history, frequency)
    error = sampling_error(beam.macroparticles) if beam.macroparticles else None
    return EmittanceGrowth(fit, floor, per_hour, why, error)


def luminosity(results: RunRecords) -> tuple[Luminosity | None, ...]:
    """Luminosity of each IP, in cm⁻²s⁻¹ if the study gives bunches and circumference, else per
    crossing in m⁻²; None if the study does not ask for it.
    """
    machine = setting_of(results)
    history = np.asarray(results.luminosity, dtype=np.float64)
    return tuple(
        luminosity_history(
            results.turn, history[:, k], nominal, machine.bunches, machine.revolution_frequency
        )
        if machine.luminosity_recorded[k]
        else None
        for k, nominal in enumerate(machine.nominal)
    )


def footprint(results: RunRecords, beam: int = 1) -> Footprint | None:
    """Footprint of the tracked particles of a beam; None without them or without a tune."""
    own = setting_of(results).beams[beam - 1]
    if own.tune is None or own.strong:
        return None
    reach = max(FOOTPRINT_REACH * max(own.xi), MIN_FOOTPRINT_REACH)
    return tune_footprint(
        results.beam(beam).tracked,
        own.tune,
        own.emittance,
        own.optics,
        min(reach, MAX_FOOTPRINT_REACH),
    )
