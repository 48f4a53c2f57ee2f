"""What is allowed in a study and yet probably not meant, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from phasewise.tables.keys import shortest, show
from phasewise.workloads.collision.derived.beamstrahlung import DerivedBeamstrahlung
from phasewise.workloads.collision.derived.bhabha import candidates
from phasewise.workloads.collision.derived.bucket import Bucket
from phasewise.workloads.collision.derived.resolution import (
    Resolution,
    overlap_length,
    shortest_beta,
    slice_length,
)
from phasewise.workloads.collision.tables.longitudinal import matched_beta_z
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Pair
from phasewise.workloads.collision.tables.point import InteractionPoint

FEWEST_PER_SLICE = 100
"""Macroparticles of a slice below which its field is mostly noise: 10 % in its charge."""

SLOWEST = 1.001
"""Lorentz factor below which an energy is probably not the total one."""

MATCHED = 0.1
"""Relative mismatch of a bunch to its RF bucket up to which there is no warning."""

DEBUNCHED = 1e-4
"""Share of a bunch outside of its RF bucket up to which there is no warning."""

FEWEST_CELLS = 3.0
"""Cells per rms size below which bilinear weighting widens the charge by 2 % and more: h²/6σ²."""

LONGEST_SLICE = 0.5
"""Length of a slice, in β* or overlap lengths, above which it costs 1 % and more."""

SMALLEST_MESH = 4.0
"""Rms that a mesh should reach: a Gaussian leaves 6e-5 of its particles outside in a plane."""

HEAVY = 5e8
"""Rest energy [eV] above which particles hardly radiate: between a muon's and a proton's."""

NEGLIGIBLE = 1e-9
"""Relative energy loss in a collision below which there is no effect: the momentum spread that the
photons make does not reach 1e-6 in 1e6 turns.
"""

LARGEST_UPSILON = 10.0
"""Υ above which photons of the beamstrahlung make pairs in the field within the bunch."""

DRAWS = 511
"""Candidates for an event of scattering that a particle draws at most in a passage."""

MANY = 0.4
"""Share of these at which there is a warning: a mesh has larger densities than a Gaussian."""

OUTSIDE = (
    "the charge of particles outside the mesh is left out, and the opposing slice kicks them "
    "like a Gaussian with the moments of its charge on the mesh"
)


def advice(
    model: Collision,
    xi: Sequence[Pair],
    buckets: Sequence[Bucket | None],
    found: Resolution,
    radiation: Sequence[DerivedBeamstrahlung | None],
) -> Iterator[str]:
    """Warnings on ``model``; ``xi`` are the beams' effective beam-beam parameters in x and y,
    ``buckets`` their RF buckets, ``found`` how finely the collision is resolved, ``radiation`` the
    beamstrahlung at each point.
    """
    yield from _slow(model)
    yield from _slices(model)
    yield from _meshes(model)
    yield from _coarse_meshes(model, found)
    yield from _long_slices(model, found)
    yield from _strong_beam(model)
    yield from _crabbed_head_on(model)
    yield from _radiation(model, radiation)
    yield from _scattering(model)
    yield from _no_photons(model)
    yield from _bucket(model)
    yield from _debunched(model, buckets)
    yield from _stop_band(model, xi)


def _slow(model: Collision) -> Iterator[str]:
    for beam in model.beams:
        if beam.gamma < SLOWEST:
            yield (
                f"beam.{beam.number}.energy = {show(beam.energy)} eV, the total energy, is hardly "
                f"more than the rest energy, {beam.mass:g} eV: the beam moves at {beam.beta:.2g} c"
            )


def _slices(model: Collision) -> Iterator[str]:
    for k, ip in enumerate(model.ips, 1):
        for beam in model.beams:
            # A beam that meets a strong one has no field of its own.
            if ip.model in ("none", "weak-strong") or beam.strong:
                continue
            slices, count = ip.slices[beam.number - 1], beam.macroparticles
            many = f"{count} macroparticle" + ("s" if count > 1 else "")
            if count >= FEWEST_PER_SLICE * slices:
                continue
            if slices == 1:
                yield (
                    f"beam {beam.number} has {many} at ip.{k}, fewer than {FEWEST_PER_SLICE}: its "
                    "field is mostly noise"
                )
            else:
                yield (
                    f"ip.{k}.slices = {_slices_given(ip)} leaves fewer than {FEWEST_PER_SLICE} of "
                    f"the {many} of beam {beam.number} in a slice"
                )


def _slices_given(ip: InteractionPoint) -> str:
    return show(shortest(ip.slices))


def _meshes(model: Collision) -> Iterator[str]:
    for k, ip in enumerate(model.ips, 1):
        if ip.model != "strong-strong":
            continue
        if ip.mesh_half_width is None:
            if ip.mesh_extent < SMALLEST_MESH:
                yield f"ip.{k}.mesh_extent = {ip.mesh_extent:g} rms is little: {OUTSIDE}"
            continue
        for beam in model.beams:
            for plane, axis in enumerate("xy"):
                size = beam.size(k - 1)[plane]
                half = ip.mesh_half_width[plane]
                if half < SMALLEST_MESH * size:
                    yield (
                        f"ip.{k}.mesh_half_width = {half:g} m in {axis} is only {half / size:.2g} "
                        f"rms of beam {beam.number}: {OUTSIDE}"
                    )


def _coarse_meshes(model: Collision, found: Resolution) -> Iterator[str]:
    for k, (ip, own) in enumerate(zip(model.ips, found.ips, strict=True), 1):
        for plane, axis in enumerate("xy"):
            if own.cells_per_sigma is None or own.cells_per_sigma[plane] >= FEWEST_CELLS:
                continue
            cells = own.cells_per_sigma[plane]
            low = 100 / (6 * cells**2)
            yield (
                f"ip.{k}.grid = [{ip.grid[0]}, {ip.grid[1]}] gives {cells:.2g} cells to the "
                f"smallest rms size in {axis}: "
                + (
                    f"the field comes out about {low:.2g} % low; use a finer grid"
                    if cells >= 1
                    else "the mesh does not resolve the beam; use a finer grid"
                )
            )


def _long_slices(model: Collision, found: Resolution) -> Iterator[str]:
    """Slices of length L sample a bell of width w by the midpoint rule: the error is about
    L²/24w².
    """
    for k, (ip, own) in enumerate(zip(model.ips, found.ips, strict=True), 1):
        ratio = own.slice_over_beta
        if ratio is None or ratio <= LONGEST_SLICE:
            continue
        at_angle = overlap_length(model, k - 1) < shortest_beta(model, k - 1)
        what = "the length over which the bunches overlap" if at_angle else "the smallest β*"
        longest = max(model.beams, key=lambda beam: slice_length(ip, beam))
        place = "" if len(set(ip.slices)) == 1 else f" in beam {longest.number}"
        yield (
            f"ip.{k}.slices = {_slices_given(ip)} makes slices{place} of {ratio:.2g} times {what}: "
            + (
                f"the collision is resolved to about {100 * ratio**2 / 24:.1g} % along z; "
                if ratio <= 1
                else "they do not resolve the collision along z; "
            )
            + f"use {math.ceil(ip.slices[longest.number - 1] * ratio / LONGEST_SLICE)} or more"
            + (place and " there")
        )


def _strong_beam(model: Collision) -> Iterator[str]:
    for beam in model.beams:
        shaped = [
            name
            for name, given in (
                ("mismatch", any(factor != 1 for factor in beam.mismatch)),
                ("cut", any(beam.cut)),
                ("distribution", beam.distribution not in ("gaussian", "quiet")),
                ("second", beam.second is not None),
            )
            if given
        ]
        if beam.strong and shaped:
            verb = "has" if len(shaped) == 1 else "have"
            yield (
                f"{' and '.join(shaped)} of beam {beam.number} {verb} no effect: a strong beam is "
                "a Gaussian of its design size"
            )


def _crabbed_head_on(model: Collision) -> Iterator[str]:
    for k, ip in enumerate(model.ips):
        for beam in model.beams:
            if ip.half_crossing_angle == 0 and beam.optics[k].crab_cavities:
                yield (
                    f"crab cavities of beam {beam.number} tilt its bunch at ip.{k + 1}, where the "
                    "beams cross at no angle: the derived quantities leave the tilt out"
                )


def _radiation(model: Collision, radiation: Sequence[DerivedBeamstrahlung | None]) -> Iterator[str]:
    for k, (ip, found) in enumerate(zip(model.ips, radiation, strict=True), 1):
        if found is None:
            continue
        for index, beam in enumerate(model.beams):
            if beam.strong:
                continue
            of = f"of beam {beam.number} at ip.{k}"
            loss, photons, upsilon = found.loss[index], found.photons[index], found.upsilon[index]
            if beam.mass > HEAVY and loss < NEGLIGIBLE:
                yield (
                    f"the beamstrahlung {of} is negligible: particles of {beam.mass:.4g} eV lose "
                    f"{loss:.2g} of their energy in a collision"
                )
            if upsilon > LARGEST_UPSILON:
                yield (
                    f"Υ {of} reaches {upsilon:.3g}, above {LARGEST_UPSILON:g}: the field of a "
                    "bunch then makes pairs, which the simulation leaves out"
                )
            met = ip.slices[1 - index]
            if photons > met:
                yield (
                    f"ip.{k}.slices = {_slices_given(ip)} makes particles of beam {beam.number} "
                    f"emit {photons / met:.2g} photons where they meet one slice: use "
                    f"{math.ceil(photons)} or more"
                )


def _scattering(model: Collision) -> Iterator[str]:
    for k, ip in enumerate(model.ips, 1):
        if ip.bhabha is None or not ip.scatters:
            continue
        found = max(candidates(model, k - 1, number) for number in (1, 2))
        if found > MANY * DRAWS:
            most = ip.bhabha.scale * MANY * DRAWS / found
            digit = 10.0 ** math.floor(math.log10(most))
            yield (
                f"ip.{k}.bhabha.scale = {ip.bhabha.scale:g} draws {found:.2g} candidates for a "
                f"particle in a collision, and leaves out those beyond {DRAWS}: give at most "
                f"{math.floor(most / digit) * digit:.1g}"
            )


def _no_photons(model: Collision) -> Iterator[str]:
    quanta = any(ip.radiates and ip.beamstrahlung == "quantum" for ip in model.ips)
    if model.records.photon_spectrum_every and not quanta:
        yield (
            "records.photon_spectrum_every has no effect: beams collide nowhere with "
            'beamstrahlung = "quantum"'
        )


def _bucket(model: Collision) -> Iterator[str]:
    for beam in model.beams:
        matched = matched_beta_z(model, beam)
        if matched is None or beam.momentum_spread == 0:
            continue
        ratio = beam.bunch_length / beam.momentum_spread / matched
        if abs(ratio - 1) > MATCHED:
            yield (
                f"bunch_length over momentum_spread of beam {beam.number} is {ratio:.3g} times "
                "what its RF bucket keeps: the bunch will oscillate in length"
            )


def _debunched(model: Collision, buckets: Sequence[Bucket | None]) -> Iterator[str]:
    for beam, found in zip(model.beams, buckets, strict=True):
        if found is not None and not beam.strong and found.debunched > DEBUNCHED:
            yield (
                f"{100 * found.debunched:.2g} % of the bunch of beam {beam.number} begin outside "
                f"of its RF bucket, which reaches to {found.height:.3g} in delta and "
                f"{found.ends[1] - found.ends[0]:.3g} m in z: they will drift along the ring"
            )


def _stop_band(model: Collision, xi: Sequence[Pair]) -> Iterator[str]:
    """One thin lens of strength 4πξ/β per turn: stable where |cos 2πQ ∓ 2πξ sin 2πQ| < 1."""
    if len(model.ips) != 1 or model.ips[0].model == "none":
        return
    attractive = model.beams[0].charge * model.beams[1].charge < 0
    for beam in model.beams:
        tune = beam.arc.tune
        if tune is None or beam.strong:
            continue
        for plane, axis in enumerate("xy"):
            shift = xi[beam.number - 1][plane] * (1 if attractive else -1)
            phase = 2 * math.pi * tune[plane]
            if abs(math.cos(phase) - 2 * math.pi * shift * math.sin(phase)) >= 1:
                yield (
                    f"with its beam-beam parameter of {abs(shift):.3g}, the tune {tune[plane]:g} "
                    f"of beam {beam.number} in {axis} lies in the stop band of an integer or "
                    "half-integer"
                )
