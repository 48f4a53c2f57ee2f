"""Longitudinal motion at small amplitude: slip factor, synchrotron tune, matched bunch."""

from __future__ import annotations

import math

from phasewise.errors import StudyError
from phasewise.workloads.collision.tables.arc import RadioFrequency
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import Collision


def slip_factor(beam: Beam) -> float:
    """η = α_c - 1/γ²: positive above transition."""
    return (beam.arc.momentum_compaction or 0.0) - 1 / beam.gamma**2


def rf_kick(beam: Beam, rf: RadioFrequency) -> float:
    """|q|V/(β²E): the largest change of δ that the RF gives a particle."""
    return abs(beam.charge) * rf.voltage / (beam.beta**2 * beam.energy)


def bucket_focusing(beam: Beam) -> float:
    """(2πQs)² = 2π h η cos(2πφ) |q| V / (β² E) of a beam with RF; negative if it defocuses.

    The small-amplitude form of δ → δ + |q|V/(β²E) [sin 2π(φ + fz/βc) - sin 2πφ], z → z - ηCδ; see
    S. Y. Lee, Accelerator Physics, section 3.I. The phase is that of the charge's own acceleration.
    """
    rf = beam.arc.rf
    if rf is None:
        return 0.0
    phase = 2 * math.pi * rf.phase
    return 2 * math.pi * rf.harmonic * slip_factor(beam) * math.cos(phase) * rf_kick(beam, rf)


def check_bucket(beam: Beam) -> None:
    """StudyError if the RF of ``beam`` does not hold its particles together."""
    rf, focusing = beam.arc.rf, bucket_focusing(beam)
    if rf is None:
        return
    if focusing <= 0:
        phase = 0.0 if math.cos(2 * math.pi * rf.phase) < 0 else 0.5
        raise StudyError(
            f"the RF of beam {beam.number} defocuses at phase {rf.phase:g} (turns), charge "
            f"{beam.charge:g} and slip factor {slip_factor(beam):.3g}; did you mean phase = "
            f"{phase:g}?"
        )
    # Kick and drift together are stable below a trace of -2.
    if focusing >= 4:
        raise StudyError(
            f"the RF of beam {beam.number} is too strong: (2πQs)² = {focusing:.3g} must be below 4"
        )


def synchrotron_tune(beam: Beam) -> float:
    """Synchrotron oscillations per turn: as given for a linear map, of small amplitude with RF."""
    if beam.arc.rf is None:
        return beam.arc.synchrotron_tune
    return math.acos(1 - bucket_focusing(beam) / 2) / (2 * math.pi)


def matched_beta_z(model: Collision, beam: Beam) -> float | None:
    """Bunch length over momentum spread [m] that the RF keeps, |η| C/(2π Qs); None without RF."""
    tune = synchrotron_tune(beam)
    if beam.arc.rf is None or model.circumference is None or tune == 0:
        return None
    return abs(slip_factor(beam)) * model.circumference / (2 * math.pi * tune)
