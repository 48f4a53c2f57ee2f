"""The elements between two interaction points, in order.

Each segment s → s+1 is one ``twiss`` element with that segment's phase advance. All that is given
for the whole turn (chromaticity, amplitude detuning, longitudinal motion, an external map, damping,
noise, feedback, aperture) stands wholly in the last segment, which leads back to the first
interaction point: the latter's optics hold for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from phasewise.study.longitudinal import slip_factor
from phasewise.study.model import Beam, Study

ZERO_PAIR = (0.0, 0.0)


@dataclass(frozen=True)
class Element:
    """One element of a line: its name in the driver and its keys."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)


def elements(study: Study, beam: Beam, segment: int) -> list[Element]:
    """The elements of ``beam`` from interaction point ``segment`` (from 1) to the next one."""
    last = segment == len(study.ips)
    arc = beam.arc
    line = [] if last and arc.tune is None else [_twiss(beam, segment, last)]
    if not last:
        return line
    line += _longitudinal(study, beam)
    if arc.tensor is not None:
        line.append(Element("second-order", {"matrix": arc.matrix, "tensor": arc.tensor}))
    elif arc.matrix is not None:
        line.append(Element("matrix", {"matrix": arc.matrix}))
    if any(arc.damping_turns):
        line.append(_damping(beam))
    if any(arc.noise):
        line.append(Element("noise", {"amplitude": arc.noise}))
    if any(arc.feedback_gain):
        line.append(_feedback(beam))
    if arc.aperture is not None:
        line.append(Element("aperture", {"shape": arc.aperture_shape, "half_width": arc.aperture}))
    return line


def _twiss(beam: Beam, segment: int, last: bool) -> Element:
    here, there = beam.optics[segment - 1], beam.optics[segment % len(beam.optics)]
    return Element(
        "twiss",
        {
            "beta0": here.beta,
            "alpha0": here.alpha,
            "dispersion0": here.dispersion,
            "beta1": there.beta,
            "alpha1": there.alpha,
            "dispersion1": there.dispersion,
            "phase": here.phase_advance,
            "chromaticity": beam.arc.chromaticity if last else ZERO_PAIR,
            "detuning": beam.arc.amplitude_detuning if last else (0.0,) * 4,
        },
    )


def _longitudinal(study: Study, beam: Beam) -> list[Element]:
    arc = beam.arc
    if arc.longitudinal == "linear":
        beta_z = beam.bunch_length / beam.momentum_spread
        return [Element("synchrotron", {"tune": arc.synchrotron_tune, "beta_z": beta_z})]
    frequency = study.revolution_frequency(beam.number)
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
                "circumference": study.circumference,
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
    arc, optics = beam.arc, beam.optics[0]
    return Element(
        "feedback",
        {
            "gain": arc.feedback_gain,
            "noise": arc.feedback_noise,
            "beta": optics.beta,
            "alpha": optics.alpha,
        },
    )
