"""What is allowed in a study and yet probably not meant, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from phasewise.study.longitudinal import matched_beta_z
from phasewise.study.model import Pair, Study

FEWEST_PER_SLICE = 100
"""Macroparticles of a slice below which its field is mostly noise: 10 % in its charge."""

MATCHED = 0.1
"""Relative mismatch of a bunch to its RF bucket that passes unmentioned."""

SMALLEST_MESH = 4.0
"""Rms that a fixed mesh should reach: a Gaussian leaves 6e-5 of its particles outside in a plane.
"""


def advice(study: Study, xi: Sequence[Sequence[Pair]]) -> Iterator[str]:
    """Warnings on ``study``; ``xi[ip][beam]`` are the beam-beam parameters in x and y."""
    yield from _slices(study)
    yield from _meshes(study)
    yield from _bucket(study)
    yield from _stop_band(study, xi)


def _slices(study: Study) -> Iterator[str]:
    for k, ip in enumerate(study.ips, 1):
        for beam in study.beams:
            if ip.model == "none" or beam.strong:
                continue
            if beam.macroparticles < FEWEST_PER_SLICE * ip.slices:
                yield (
                    f"ip.{k}.slices = {ip.slices} leaves fewer than {FEWEST_PER_SLICE} of the "
                    f"{beam.macroparticles} macroparticles of beam {beam.number} in a slice"
                )


def _meshes(study: Study) -> Iterator[str]:
    for k, ip in enumerate(study.ips, 1):
        if ip.mesh_half_width is None or ip.model != "strong-strong":
            continue
        for beam in study.beams:
            for plane, axis in enumerate("xy"):
                size = beam.size(k - 1)[plane]
                half = ip.mesh_half_width[plane]
                if half < SMALLEST_MESH * size:
                    yield (
                        f"ip.{k}.mesh_half_width = {half:g} m in {axis} is only {half / size:.2g} "
                        "rms "
                        f"of beam {beam.number}: particles outside feel no field"
                    )


def _bucket(study: Study) -> Iterator[str]:
    for beam in study.beams:
        matched = matched_beta_z(study, beam)
        if matched is None or beam.momentum_spread == 0:
            continue
        ratio = beam.bunch_length / beam.momentum_spread / matched
        if abs(ratio - 1) > MATCHED:
            yield (
                f"bunch_length over momentum_spread of beam {beam.number} is {ratio:.3g} times "
                "what its "
                "RF bucket keeps: the bunch will oscillate in length"
            )


def _stop_band(study: Study, xi: Sequence[Sequence[Pair]]) -> Iterator[str]:
    """One thin lens of strength 4πξ/β per turn: stable where |cos 2πQ ∓ 2πξ sin 2πQ| < 1."""
    if len(study.ips) != 1 or study.ips[0].model == "none":
        return
    attractive = study.beams[0].charge * study.beams[1].charge < 0
    for beam in study.beams:
        tune = beam.arc.tune
        if tune is None or beam.strong:
            continue
        for plane, axis in enumerate("xy"):
            shift = xi[0][beam.number - 1][plane] * (1 if attractive else -1)
            phase = 2 * math.pi * tune[plane]
            if abs(math.cos(phase) - 2 * math.pi * shift * math.sin(phase)) >= 1:
                yield (
                    f"with its beam-beam parameter of {abs(shift):.3g}, the tune {tune[plane]:g} "
                    "of beam "
                    f"{beam.number} in {axis} lies in the stop band of an integer or half-integer"
                )
