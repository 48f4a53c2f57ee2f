"""The particle dumps of colliding beams: both beams on arrival at the first interaction point."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from phasewise.driver import Communicator
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.particles import Particles
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.common import dumps

PLACE = "ip.1"


def write_dump(folder: Path, driver: CollisionRun, comm: Communicator, study: Study) -> None:
    """Dump the tracked beams at the driver's turn into `folder`/turn-<turn>.h5; collective."""
    model = collision_of(study)
    at = dumps.Moment(driver.turn, study.title, model.revolution_frequency(1), PLACE)
    particles = Particles(driver)
    beams = [
        dumps.DumpedBeam(
            replace(beam.shared, population=float(beam.population_at(driver.turn))),
            beam.particle,
            particles.rows(f"beam{beam.number}"),
        )
        for beam in model.beams
        if not beam.strong
    ]
    dumps.write_dump(folder, at, comm, beams, model.records.particles_fraction)
