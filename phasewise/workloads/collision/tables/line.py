"""The elements between two interaction points, in order.

Each segment s → s+1 is one ``twiss`` element with that segment's phase advance. All that is given
for the whole turn (chromaticity, amplitude detuning, longitudinal motion, an external map, damping,
noise, aperture) belongs entirely to the last segment, which leads back to the first interaction
point: the optics of that point hold for it. The feedback acts first in that segment, with the
optics of the interaction point where it measured the centroid. Longitudinal motion takes place
without dispersion, between the maps that take the dispersion away and bring it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.longitudinal import slip_factor
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Four, Pair

ZERO_PAIR = (0.0, 0.0)
NO_DISPERSION = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Element:
    """One element of a line: its name in the driver and its keys."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)


def elements(model: Collision, beam: Beam, segment: int) -> list[Element]:
    """The elements of ``beam`` from interaction point ``segment`` (from 1) to the next one."""
    last = segment == len(model.ips)
    arc = beam.arc
    here, there = _place(beam, segment - 1), _place(beam, segment % len(beam.optics))
    phase = beam.optics[segment - 1].phase_advance
    if not last:
        return [_twiss(here, there, phase)]
    line = [_feedback(beam)] if any(arc.feedback.gain) else []
    straight = replace(there, dispersion=NO_DISPERSION)
    if arc.tune is not None:
        line.append(_twiss(here, straight, phase, arc.chromaticity, arc.amplitude_detuning))
    line += _longitudinal(model, beam)
    if arc.tune is not None and any(there.dispersion):
        line.append(_twiss(straight, there, ZERO_PAIR))
    if arc.tensor is not None:
        line.append(Element("second-order", {"matrix": arc.matrix, "tensor": arc.tensor}))
    elif arc.matrix is not None:
        line.append(Element("matrix", {"matrix": arc.matrix}))
    if any(arc.damping_turns):
        line.append(_damping(beam))
    if any(arc.noise):
        line.append(Element("noise", {"amplitude": arc.noise}))
    if arc.aperture is not None:
        line.append(Element("aperture", {"shape": arc.aperture_shape, "half_width": arc.aperture}))
    return line


@dataclass(frozen=True)
class _Place:
    """Optics at one end of a map."""

    beta: Pair
    alpha: Pair
    dispersion: Four


def _place(beam: Beam, index: int) -> _Place:
    optics = beam.optics[index]
    return _Place(optics.beta, optics.alpha, optics.dispersion)


def _twiss(
    here: _Place,
    there: _Place,
    phase: Pair,
    chromaticity: Pair = ZERO_PAIR,
    detuning: Four = (0.0, 0.0, 0.0, 0.0),
) -> Element:
    return Element(
        "twiss",
        {
            "beta0": here.beta,
            "alpha0": here.alpha,
            "dispersion0": here.dispersion,
            "beta1": there.beta,
            "alpha1": there.alpha,
            "dispersion1": there.dispersion,
            "phase": phase,
            "chromaticity": chromaticity,
            "detuning": detuning,
        },
    )


def _longitudinal(model: Collision, beam: Beam) -> list[Element]:
    arc = beam.arc
    if arc.longitudinal == "linear":
        beta_z = beam.bunch_length / beam.momentum_spread
        return [Element("synchrotron", {"tune": arc.synchrotron_tune, "beta_z": beta_z})]
    frequency = model.revolution_frequency(beam.number)
    if arc.rf is None or frequency is None:
        return []
    return [
        Element(
            "rf",
            {
                "voltage": arc.rf.voltage,
                "frequency": arc.rf.harmonic * frequency,
                "phase": arc.rf.phase,
                "slip": slip_factor(beam),
                "circumference": model.circumference,
            },
        )
    ]


def _damping(beam: Beam) -> Element:
    arc, optics = beam.arc, beam.optics[0]
    equilibrium = (
        *arc.equilibrium_emittance,
        arc.equilibrium_bunch_length,
        arc.equilibrium_momentum_spread,
    )
    return Element(
        "damping",
        {
            "turns": arc.damping_turns,
            "beta": optics.beta,
            "alpha": optics.alpha,
            "dispersion": optics.dispersion,
            "equilibrium": equilibrium if arc.excitation else (0.0,) * 4,
        },
    )


def _feedback(beam: Beam) -> Element:
    arc, optics = beam.arc, beam.optics[-1]
    return Element(
        "feedback",
        {
            "gain": arc.feedback.gain,
            "noise": arc.feedback.noise,
            "beta": optics.beta,
            "alpha": optics.alpha,
        },
    )
