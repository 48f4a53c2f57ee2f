"""`phasewise bench collision`: seconds per turn, core-nanoseconds per particle-encounter, and each
kernel against the machine's measured roof.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.output import print_table
from phasewise.runs.timing import measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.tuning.running import settle_together
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.tables.model import collision_of

_SIZES: dict[str, tuple[int, int, int]] = {
    "paper": (2_500_000, 256, 8),  # the source paper's: 5 million particles, 256², 8 slices
    "fine": (1_025_000, 128, 15),
    "small": (100_000, 64, 16),
}
"""Macroparticles per beam, nodes each way, slices."""

CASES = tuple(_SIZES)

TURNS = {"paper": 7, "fine": 9, "small": 25}
"""Timed turns without --turns."""

PARTICLE_BYTES = 6 * 8 + 4
"""Bytes of one macroparticle: six coordinates and its number."""


def collision_case(name: str) -> dict[str, Any]:
    """The study of a case: head-on proton beams, a production turn with luminosity and second
    moments, one field plane per pair of slices (``ip.1.interpolation`` switches to two).
    """
    macroparticles, nodes, slices = _SIZES[name]
    return {
        "title": f"benchmark {name}",
        "turns": 1000,
        "seed": 1,
        "beam": {
            "1": {
                "particle": "proton",
                "energy": 7e12,
                "bunch_population": 1.15e11,
                "macroparticles": macroparticles,
                "normalized_emittance": [3.75e-6, 3.75e-6],
                "bunch_length": 0.0755,
                "momentum_spread": 1.13e-4,
            },
            "2": {"like": "beam.1"},
        },
        "ring": {"circumference": 26658.883, "bunches": 2808},
        "arc": {
            "tune": [64.31, 59.32],
            "synchrotron_tune": 0.0019,
            "chromaticity": [2.0, 2.0],
        },
        "ip": {
            "1": {
                "beta": [0.55, 0.55],
                "model": "strong-strong",
                "grid": [nodes, nodes],
                "slices": slices,
                "interpolation": "none",
                "longitudinal_kick": False,
            }
        },
        "records": {"moments_order": 2},
    }


def run(
    core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
) -> dict[str, Any]:
    """Time a case on the ranks of this run; collective."""
    given = collectively(core, lambda: _study(case, overrides))
    study = settle_together(given, core, None, shown=True)

    def figures(simulation: Run, seconds: float) -> dict[str, Any]:
        own = cast(CollisionRun, simulation)
        particles = sum(own.macroparticles(beam) for beam in (1, 2))
        slices = collision_of(study).ips[0].slices
        encounters = sum(own.macroparticles(beam) * slices[2 - beam] for beam in (1, 2))
        return {
            "core_ns_per_encounter": core.size() * threads * seconds / encounters * 1e9,
            "particle_bytes": PARTICLE_BYTES * particles / core.size(),
        }

    return {"case": case, **measure(core, study, threads, turns or TURNS[case], figures)}


def _study(case: str, overrides: Sequence[str]) -> Study:
    tables = collision_case(case)
    for override in overrides:
        apply_override(tables, override)
    return Study.from_dict(tables)


def show(result: dict[str, Any]) -> None:
    """Print a measurement as a table."""
    rows = [
        [
            kernel["name"],
            f"{kernel['seconds'] * 1e3:.2f}",
            f"{kernel['seconds'] / result['seconds_per_turn'] * 100:.1f}",
            f"{kernel['gigaflops']:.2f}",
            f"{kernel['gigabytes_per_second']:.2f}",
            kernel["level"] or "-",
            f"{kernel['roof_share'] * 100:.0f}",
        ]
        for kernel in sorted(result["kernels"], key=lambda kernel: -kernel["seconds"])
    ]
    roof = result["roof"]
    levels = (f"{one['name']} {one['bytes_per_second'] / 1e9:.1f}" for one in roof["levels"])
    print_table(
        f"{result['case']}: {result['ranks']} ranks × {result['threads']} threads, "
        f"{result['seconds_per_turn']:.4f} s per turn, "
        f"{result['core_ns_per_encounter']:.1f} core-ns per encounter; roof "
        f"{roof['flops_per_second'] / 1e9:.1f} Gflop/s, GB/s {', '.join(levels)}",
        ["kernel", "ms/turn", "% of turn", "Gflop/s", "GB/s", "data in", "% of roof"],
        rows,
    )
