"""The elements between two interaction points, in order.

Each segment s → s+1 is one ``twiss`` element with that segment's phase advance. All that is given
for the whole turn (chromaticity, amplitude detuning, longitudinal motion, an external map, damping,
noise, aperture) belongs entirely to the last segment, which leads back to the first interaction
point: the optics of that point hold for it. The feedback acts first in that segment, with the
optics of the interaction point where it measured the centroid. Longitudinal motion takes place
without dispersion, between the maps that take the dispersion away and bring it back. Where a beam
is coupled at an interaction point, the linear map acts on the normal modes, to which and from which
a matrix leads at each end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.longitudinal import slip_factor
from phasewise.workloads.collision.tables.model import Collision
from phasewise.workloads.collision.tables.optics import Four, Optics, Pair

ZERO_PAIR = (0.0, 0.0)
NO_DISPERSION = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Element:
    """One element of a line: its name in the driver and its keys."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)


def elements(model: Collision, beam: Beam, segment: int) -> list[Element]:
    """The elements of ``beam`` from interaction point ``segment`` (from 1) to the next one."""
    here, there = beam.optics[segment - 1], beam.optics[segment % len(beam.optics)]
    if segment < len(model.ips):
        return _between_modes(
            [_twiss(_place(here), _place(there), here.phase_advance)], here, there
        )
    arc = beam.arc
    feedback = [_feedback(beam)] if any(arc.feedback.gain) else []
    damping = [_damping(beam)] if any(arc.damping_turns) else []
    if arc.tensor is not None:
        given = [Element("second-order", {"matrix": arc.matrix, "tensor": arc.tensor})]
    else:
        given = [] if arc.matrix is None else [Element("matrix", {"matrix": arc.matrix})]
    if arc.tune is None:
        line = _longitudinal(model, beam) + given + _between_modes(damping, there, there)
    elif given:
        line = _between_modes(_tuned(model, beam, here, there), here, there)
        line += given + _between_modes(damping, there, there)
    else:
        line = _between_modes(_tuned(model, beam, here, there) + damping, here, there)
    if any(arc.noise):
        line.append(Element("noise", {"amplitude": arc.noise}))
    if arc.aperture is not None:
        line.append(Element("aperture", {"shape": arc.aperture_shape, "half_width": arc.aperture}))
    return feedback + line


def _tuned(model: Collision, beam: Beam, here: Optics, there: Optics) -> list[Element]:
    """The linear map that leads to the first interaction point, and longitudinal motion."""
    arc, end = beam.arc, _place(there)
    straight = replace(end, dispersion=NO_DISPERSION)
    phase, detuning = here.phase_advance, arc.amplitude_detuning
    line = [_twiss(_place(here), straight, phase, arc.chromaticity, detuning)]
    line += _longitudinal(model, beam)
    if any(end.dispersion):
        line.append(_twiss(straight, end, ZERO_PAIR))
    return line


def _between_modes(line: list[Element], here: Optics, there: Optics) -> list[Element]:
    """Elements that act on the normal modes, between the maps to these modes and back, where x and
    y are coupled.
    """
    if not line:
        return []
    before = [_matrix(here.unmixing)] if here.coupled else []
    after = [_matrix(there.mixing)] if there.coupled else []
    return before + line + after


def _matrix(of_transverse: NDArray[np.float64]) -> Element:
    whole = np.eye(6)
    whole[:4, :4] = of_transverse
    return Element("matrix", {"matrix": tuple(map(float, whole.ravel()))})


@dataclass(frozen=True)
class _Place:
    """Optics at one end of a map, of the normal modes where x and y are coupled."""

    beta: Pair
    alpha: Pair
    dispersion: Four


def _place(optics: Optics) -> _Place:
    return _Place(optics.beta, optics.alpha, optics.mode_dispersion)


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
            "dispersion": optics.mode_dispersion,
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
