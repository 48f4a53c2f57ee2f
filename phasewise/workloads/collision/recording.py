"""Datasets that a run of colliding beams records (docs/records.md), and its particle dumps."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Floats, Run
from phasewise.errors import StudyError
from phasewise.runs.layout import MAX_SNAPSHOTS, Dataset, Detail, Recording, Write
from phasewise.study import Study
from phasewise.workloads.collision.derived.radiated_spectrum import DECADES, EDGES, PER_DECADE
from phasewise.workloads.collision.driver import COORDINATES, CollisionRun
from phasewise.workloads.collision.luminosity import LuminosityUnit
from phasewise.workloads.collision.openpmd import write_dump
from phasewise.workloads.collision.tables.model import Collision, collision_of

IS_LENGTH = (1, 0, 1, 0, 1, 0)
"""Powers of the metre of the coordinates."""


def _metres(power: int) -> str:
    return {0: "1", 1: "m"}.get(power, f"m^{power}")


def _units(order: int) -> tuple[str, ...]:
    """Units of each coordinate's moments of this order."""
    return tuple(_metres(order * length) for length in IS_LENGTH)


SQUARES = tuple(tuple(_metres(one + other) for other in IS_LENGTH) for one in IS_LENGTH)

ROWS = {
    "mean": Dataset((6,), "Mean of each coordinate.", _units(1), COORDINATES),
    "covariance": Dataset((6, 6), "Central second moments.", SQUARES, COORDINATES),
    "moment3": Dataset((6,), "Central third moment of each coordinate.", _units(3), COORDINATES),
    "moment4": Dataset((6,), "Central fourth moment of each coordinate.", _units(4), COORDINATES),
    "emittance": Dataset(
        (3,), "Geometric emittances, in x and y without dispersion.", "m", ("x", "y", "z")
    ),
    "particles": Dataset((), "Living macroparticles.", kind="i8"),
    "losses": Dataset((), "Macroparticles lost so far.", kind="i8"),
    "debunched": Dataset((), "Living macroparticles outside the RF bucket.", kind="i8"),
}
"""A beam's entries whose shape is that of any study."""

POPULATION = Dataset((), "Real particles for which the living macroparticles stand.")
"""Of a beam whose population changes."""

PHOTONS = {
    "photons": "Photons of beamstrahlung per particle",
    "photon_loss": "Sum over them of their shares of the particle's energy, per particle,",
    "photon_square": "Sum over them of these shares squared, per particle,",
    "upsilon": "Largest Upsilon of their field",
}
"""A beam's entries if particles radiate in the other beam's field."""

LOST = {
    "lost_by_energy": "Macroparticles lost in the turn by their energy, other than by scattering,"
}
"""A beam's entries if particles may be lost by their energy."""

EVENTS = {
    "bhabha_events": "Events of radiative Bhabha scattering that were drawn",
    "bhabha_lost": "Macroparticles lost in the turn after such an event",
}
EXPECTED = {
    "bhabha_expected": "Events of radiative Bhabha scattering that the luminosity lets expect",
    "bhabha_losses_expected": "Particles that they would take beyond the momentum aperture",
}
"""A beam's entries if particles are scattered by those of the other beam."""

SLICES = {
    "count": Dataset((), "Macroparticles of each slice, head first."),
    "z": Dataset((), "Longitudinal centre of each slice.", "m"),
    "mean": Dataset((4,), "Centroid of each slice.", _units(1)[:4], COORDINATES[:4]),
    "sigma": Dataset((4,), "Rms sizes of each slice.", _units(1)[:4], COORDINATES[:4]),
}
"""A slice's entries."""

FIELD_AXES = {
    axis: Dataset((), f"Places of the mesh's nodes in {axis}.", "m") for axis in ("x", "y")
}
FIELD_GRIDS = {
    "charge": Dataset((), "Charge of each node, that of a macroparticle being 1."),
    "potential": Dataset((), "Potential, that of a macroparticle at distance r being -ln r."),
    "ex": Dataset((), "Field in x, minus the gradient of the potential.", "m^-1"),
    "ey": Dataset((), "Field in y, minus the gradient of the potential.", "m^-1"),
}


def _at_points(
    texts: Mapping[str, str], points: tuple[int], kind: str = "f8"
) -> dict[str, Dataset]:
    return {
        name: Dataset(points, f"{text} at each interaction point.", kind=kind)
        for name, text in texts.items()
    }


def _scheduled(first: int, turns: int, every: int) -> range:
    return range(-(-first // every) * every, turns, every) if every else range(0)


def _field(run: CollisionRun, comm: Communicator, study: Study, beam: int) -> dict[str, Any]:
    """Send the field of the middle slice to rank 0 from the lowest rank that holds the beam."""
    slices = collision_of(study).ips[0].slices[beam - 1]
    here = run.slice_field(1, beam, (slices + 1) // 2)
    holders = [r for r, has in enumerate(comm.gather(b"1" if here else b"")) if has]
    lowest = int(comm.broadcast(str(min(holders, default=-1)).encode()))
    data = io.BytesIO()
    if comm.rank() == lowest:
        np.savez(data, **dict(here))  # type: ignore[arg-type]
    parts = comm.gather(data.getvalue())
    if lowest < 0 or comm.rank() != 0:
        return {}
    with np.load(io.BytesIO(parts[lowest])) as arrays:
        return dict(arrays)


def _radiating(model: Collision) -> list[int]:
    """The beams that emit photon by photon somewhere."""
    photons = any(ip.radiates and ip.beamstrahlung == "quantum" for ip in model.ips)
    return [beam.number for beam in model.beams if photons and not beam.strong]


def _spectrum_of(points: int) -> Dataset:
    return Dataset(
        (points, EDGES.size - 1),
        f"Photons of beamstrahlung in the turn at each interaction point, by the share of the "
        f"energy that they take: {PER_DECADE} bins to a decade from 1e-{DECADES} to 1, the first "
        "with those below.",
    )


def spectra_of_ranks(run: CollisionRun, comm: Communicator, points: int, beam: int) -> Floats:
    """Photons of all ranks (IP, bins) on rank 0; whole numbers, whose sum has no rounding."""
    here = np.stack([run.photon_spectrum(ip + 1, beam) for ip in range(points)])
    parts = comm.gather(here.tobytes())
    return np.asarray(sum((np.frombuffer(part).reshape(here.shape) for part in parts), 0 * here))


def _due(turn: int, every: int) -> bool:
    return every > 0 and turn % every == 0


class CollisionRecording(Recording):
    """What its runs record."""

    GROUPS = ("slices", "pair_luminosity", "photon_spectrum", "field")

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Each dataset that is extended turn by turn."""
        model = collision_of(study)
        points = (len(model.ips),)
        luminosity = "Luminosity of each interaction point per crossing."
        layout = {"luminosity": Dataset(points, luminosity, "m^-2")}
        for beam in model.beams:
            tracked = 0 if beam.strong else model.records.tracked
            entries = ROWS | {
                "outside": Dataset(
                    points, "Deposits outside the mesh at each interaction point.", kind="i8"
                ),
                "tracked": Dataset(
                    (tracked, 6), "Coordinates of the tracked particles.", _units(1), COORDINATES
                ),
            }
            if beam.population_ramp is not None:
                entries["population"] = POPULATION
            if model.loses_by_energy:
                entries |= _at_points(LOST, points, "i8")
            if any(ip.radiates for ip in model.ips):
                entries |= _at_points(PHOTONS, points)
            if any(ip.scatters for ip in model.ips):
                entries |= _at_points(EVENTS, points, "i8") | _at_points(EXPECTED, points)
            layout |= {f"beam{beam.number}/{name}": row for name, row in entries.items()}
        return layout

    def values(self, _study: Study, record: Mapping[str, Any]) -> dict[str, Any]:
        """The driver's record by dataset: a beam's entries begin with its number."""
        return {f"beam{name}" if name[0] in "12" else name: value for name, value in record.items()}

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        """Every dataset that is written once, for turns from `first` on."""
        model = collision_of(study)
        records = model.records
        colliding = [(k, ip) for k, ip in enumerate(model.ips, 1) if ip.model != "none"]
        for turn in _scheduled(first, study.count, records.slices_every):
            for k, ip in colliding:
                for beam in (1, 2):
                    group, slices = f"slices/{turn}/ip{k}/beam{beam}", ip.slices[beam - 1]
                    for name, one in SLICES.items():
                        yield f"{group}/{name}", replace(one, shape=(slices, *one.shape))
        pairs = "Luminosity of each pair of slices per crossing, those of beam 1 first."
        for turn in _scheduled(first, study.count, records.pair_luminosity_every):
            for k, ip in colliding:
                yield f"pair_luminosity/{turn}/ip{k}", Dataset(ip.slices, pairs, "m^-2")
        for turn in _scheduled(first, study.count, records.photon_spectrum_every):
            for beam in _radiating(model):
                yield f"photon_spectrum/{turn}/beam{beam}", _spectrum_of(len(model.ips))
        if records.field and model.has_field:
            grid = model.ips[0].grid
            for beam in (1, 2):
                group = f"field/{study.count - 1}/ip1/beam{beam}"
                for (name, axis), nodes in zip(FIELD_AXES.items(), grid, strict=True):
                    yield f"{group}/{name}", replace(axis, shape=(nodes,))
                for name, plane in FIELD_GRIDS.items():
                    yield f"{group}/{name}", replace(plane, shape=grid)

    def check(self, study: Study) -> None:
        """StudyError if the records ask for more snapshots than one file can be laid out for."""
        for key in ("slices_every", "pair_luminosity_every", "photon_spectrum_every"):
            every = getattr(collision_of(study).records, key)
            if every and study.count / every > MAX_SNAPSHOTS:
                least = -(-study.count // MAX_SNAPSHOTS)
                raise StudyError(
                    f"records.{key} = {every} asks for {-(-study.count // every)} snapshots in "
                    f"{study.count} turns, and a file holds {MAX_SNAPSHOTS}: give at least {least}"
                )

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the snapshots that are due after the turn just done; collective."""
        driver, model = cast(CollisionRun, run), collision_of(study)
        records, turn = model.records, run.turn - 1
        points = [k for k, ip in enumerate(model.ips, 1) if ip.model != "none"]
        for k in points:
            if _due(turn, records.slices_every):
                for beam, found in driver.slices(k).items():
                    write(f"slices/{turn}/ip{k}/beam{beam}", found)
            if _due(turn, records.pair_luminosity_every):
                write(f"pair_luminosity/{turn}/ip{k}", {"": driver.pair_luminosity(k)})
        if _due(turn, records.photon_spectrum_every):
            for beam in _radiating(model):
                photons = spectra_of_ranks(driver, comm, len(model.ips), beam)
                write(f"photon_spectrum/{turn}/beam{beam}", {"": photons})
        if records.field and turn == study.count - 1 and model.has_field:
            for beam in (1, 2):
                write(f"field/{turn}/ip1/beam{beam}", _field(driver, comm, study, beam))

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """What leaves nothing to collide: a beam that is lost or moves across its axis, or a
        luminosity that is no number.
        """
        for beam in collision_of(study).beams:
            if not beam.strong and record[f"{beam.number}/particles"] == 0:
                return f"beam {beam.number} is lost: none of its particles is left"
            for axis, row in (("px", 1), ("py", 3)):
                square = record[f"{beam.number}/covariance"][row, row]
                if square >= 1:
                    return (
                        f"beam {beam.number} no longer moves along its axis: the rms of {axis} is "
                        f"{math.sqrt(square):.3g} times the reference momentum"
                    )
        if not np.all(np.isfinite(record["luminosity"])):
            return "the luminosity is not a finite number"
        return ""

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        """Dump the particles at the start, at the turns that are due, and after the last turn;
        collective.
        """
        every = collision_of(study).records.particles_every
        if every and (at_start or run.turn % every == 0 or run.turn == study.count):
            write_dump(folder, cast(CollisionRun, run), comm, study)

    def detail(self, study: Study) -> Detail:
        """The luminosity of the first interaction point."""
        unit = LuminosityUnit(study.resolved(), study.derived())
        return lambda record: unit.show(float(record["luminosity"][0]))
