"""Longitudinal motion at small amplitude: slip factor, synchrotron tune, matched bunch."""

from __future__ import annotations

import math

from phasewise.study.model import Beam, Study


def slip_factor(beam: Beam) -> float:
    """η = α_c - 1/γ²: positive above transition."""
    return (beam.arc.momentum_compaction or 0.0) - 1 / beam.gamma**2


def synchrotron_tune(beam: Beam) -> float:
    """Synchrotron oscillations per turn, signed as given for a linear map, positive for RF.

    With RF, Qs² = h |η cos(2πφ)| q V / (2π β² E) (Wiedemann, Particle Accelerator Physics, the
    phase equation at small amplitude); 0 where there is no longitudinal motion.
    """
    rf = beam.arc.rf
    if rf is None:
        return beam.arc.synchrotron_tune
    kick = rf.harmonic * abs(beam.charge) * rf.voltage
    focusing = abs(slip_factor(beam) * math.cos(2 * math.pi * rf.phase))
    return math.sqrt(kick * focusing / (2 * math.pi * beam.beta**2 * beam.energy))


def matched_beta_z(study: Study, beam: Beam) -> float | None:
    """Bunch length over momentum spread [m] that the RF keeps, |η| C/(2π Qs); None without RF."""
    tune = synchrotron_tune(beam)
    if beam.arc.rf is None or study.circumference is None or tune == 0:
        return None
    return abs(slip_factor(beam)) * study.circumference / (2 * math.pi * tune)
