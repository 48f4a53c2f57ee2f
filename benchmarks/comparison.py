"""The parts of a side-by-side comparison: cases, the same numbers for both codes, statistics.

Nothing here runs a code; the two sides are `phasewise_side.py` and `xfields_worker.py`.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import RunError

Floats = NDArray[np.float64]

HALF_LENGTH = 3.5
"""Where the longitudinal mesh of xfields ends, in rms. Beyond it lie 5e-4 of a Gaussian bunch,
which xfields neither deposits nor kicks."""
MESH_HALF_WIDTH = 6.0
"""Half width of both codes' transverse mesh, in rms sizes at the interaction point."""


LARGEST_DIFFERENCE = 0.03
"""Both codes solve the same problem up to this rms difference of the kicks over the rms kick.

Each code's field on the coarsest mesh here, 64² over ±6 rms, errs by 1.5 % of its maximum.
"""


@dataclass(frozen=True)
class Case:
    """Sizes of one comparison: macroparticles of each beam, nodes in each direction, slices."""

    model: str
    macroparticles: int
    slices: int
    nodes: int = 0

    @property
    def encounters(self) -> int:
        """Particle-encounters per turn: both beams' particles times opposing slices."""
        return 2 * self.macroparticles * self.slices


PIC = "pic"
SOFT_GAUSSIAN = "soft-gaussian"

CASES: dict[str, tuple[Case, ...]] = {
    "fine": (Case(PIC, 1_025_000, 15, 128), Case(SOFT_GAUSSIAN, 100_000, 16)),
    "small": (Case(PIC, 100_000, 15, 64), Case(SOFT_GAUSSIAN, 20_000, 16)),
}


@dataclass(frozen=True)
class Timing:
    """Seconds of one turn: by the clock, and of the processor."""

    seconds: float
    processor_seconds: float


def flat_values(parameters: str) -> dict[str, str]:
    """Keys and values of the driver's flat parameter text, one ``key = value`` per line."""
    lines = (line.partition("#")[0] for line in parameters.splitlines())
    pairs = (line.partition("=") for line in lines if line.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def without_arc(parameters: str) -> str:
    """The flat parameter text with empty lines between the interaction points."""
    kept = [line for line in parameters.splitlines() if not line.startswith("line.")]
    return "\n".join([*kept, "line.1.1.count = 0", "line.2.1.count = 0"]) + "\n"


def slice_extent(nodes: int) -> float:
    """Extent, in rms, of `nodes` slices of equal width with the spacing of `nodes` mesh nodes
    between ± `HALF_LENGTH`.
    """
    return HALF_LENGTH * nodes / (nodes - 1)


def xfields_case(case: Case, parameters: str) -> dict[str, Any]:
    """What the xfields side needs, read from the flat parameters of the phasewise side."""
    flat = flat_values(parameters)
    bunch_length = float(flat["beam.1.bunch_length"])
    return {
        "macroparticles": case.macroparticles,
        "slices": case.slices,
        "nodes": case.nodes,
        "mass": float(flat["beam.1.mass"]),
        "energy": float(flat["beam.1.energy"]),
        "bunch_population": float(flat["beam.1.population"]),
        "bunch_length": bunch_length,
        "momentum_spread": float(flat["beam.1.momentum_spread"]),
        "beta": _floats(flat["ip.1.beta.1"]),
        "tune": _floats(flat["line.1.1.1.phase"]),
        "chromaticity": _floats(flat["line.1.1.1.chromaticity"]),
        "synchrotron_tune": float(flat["line.1.1.2.tune"]),
        "mesh_half_width": _floats(flat["ip.1.mesh_half_width"]),
        "half_length": HALF_LENGTH * bunch_length,
    }


def _floats(words: str) -> list[float]:
    return [float(word) for word in words.split()]


def agreement(kick: Mapping[str, Floats], reference: Mapping[str, Floats]) -> dict[str, float]:
    """How a code's kicks on the same particles compare with another's, in both planes together.

    ``scale`` is the factor that fits ``kick = scale * reference`` best; ``difference`` is the rms
    of the remaining difference, over the rms kick.
    """
    a = np.concatenate([kick[name] for name in ("px", "py")])
    b = np.concatenate([reference[name] for name in ("px", "py")])
    scale = float(a @ b / (b @ b))
    return {"scale": scale, "difference": float(np.linalg.norm(a - b) / np.linalg.norm(b))}


def check_agreement(name: str, found: Mapping[str, float]) -> None:
    """Raise RunError if the kicks of ``name`` differ from those of xfields: no time counts then."""
    if not found["difference"] <= LARGEST_DIFFERENCE:
        raise RunError(
            f"the kicks of phasewise ({name}) differ from those of xfields by "
            f"{found['difference']:.2g} of their rms, more than {LARGEST_DIFFERENCE:g}: the two "
            "codes do not compute the same collision"
        )


def summary(case: Case, timings: Sequence[Timing]) -> dict[str, float]:
    """Medians over the turns of one code on one core, and that core's ns per particle-encounter."""
    seconds = statistics.median(timing.seconds for timing in timings)
    return {
        "seconds_per_turn": seconds,
        "fastest_turn": min(timing.seconds for timing in timings),
        "slowest_turn": max(timing.seconds for timing in timings),
        "processor_seconds_per_turn": statistics.median(
            timing.processor_seconds for timing in timings
        ),
        "core_ns_per_encounter": seconds / case.encounters * 1e9,
    }


def ratios(reference: Sequence[Timing], code: Sequence[Timing]) -> dict[str, float]:
    """How many times faster ``code`` is, on the clock and in processor time.

    Each is the median over the repetitions of the quotient of two successive turns, so that longer
    disturbances of the machine cancel.
    """
    pairs = list(zip(reference, code, strict=True))
    return {
        "times_faster": statistics.median(a.seconds / b.seconds for a, b in pairs),
        "times_faster_processor": statistics.median(
            a.processor_seconds / b.processor_seconds for a, b in pairs
        ),
    }


def table_row(name: str, result: Mapping[str, Any]) -> list[str]:
    """Cells of one code: seconds per turn by the clock and of the processor, ns per encounter, how
    many times faster than xfields it is by each, and its kicks compared with those of xfields.
    """
    kicks = result.get("agreement")
    return [
        name,
        f"{result['seconds_per_turn']:.3f}",
        f"{result['processor_seconds_per_turn']:.3f}",
        f"{result['core_ns_per_encounter']:.1f}",
        f"{result['times_faster']:.1f}",
        f"{result['times_faster_processor']:.1f}",
        "" if kicks is None else f"{kicks['scale']:.4f}",
        "" if kicks is None else f"{kicks['difference']:.4f}",
    ]
