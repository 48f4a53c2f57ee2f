"""`phasewise bench collision`: seconds per turn, core-nanoseconds per particle-encounter, and each
kernel against the measured roof of the machine, or of the device where it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from phasewise.driver import Core, Run
from phasewise.mpi.ranks import collectively
from phasewise.output import number_of, print_table
from phasewise.report.benching import Bench
from phasewise.runs.timing import Figures, measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.study.study import CPU
from phasewise.tuning.running import settle_together
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.tables.model import collision_of

_SIZES: dict[str, tuple[int, int, int]] = {
    "paper": (2_500_000, 256, 8),  # the source paper's: 5 million particles, 256², 8 slices
    "fine": (1_025_000, 128, 15),
    "small": (100_000, 64, 16),
    "eic": (1_790_000, 128, 15),  # that of Octopus.jl: 3.58 million particles, 128², 15 slices
}
"""Macroparticles per beam, nodes each way, slices."""


TURNS = {"paper": 7, "fine": 9, "small": 25, "eic": 5}
"""Number of turns that are timed, unless --turns gives it."""

ROWS: dict[str, tuple[str, ...]] = {
    "one plane": (),
    "two planes": ("ip.1.interpolation='linear'", "ip.1.planes='pair'"),
    "two planes, longitudinal kick": (
        "ip.1.interpolation='linear'",
        "ip.1.planes='pair'",
        "ip.1.longitudinal_kick=true",
    ),
    "shared": ("ip.1.interpolation='linear'", "ip.1.longitudinal_kick=true"),
    "gaussian": ("ip.1.model='soft-gaussian'", "ip.1.longitudinal_kick=true"),
    "weak-strong": ("ip.1.model='weak-strong'", "ip.1.longitudinal_kick=true"),
}
"""What is timed of a case, the plainest first: planes of a slice, and the kick in energy; `shared`
has all of both, with planes that neighbouring slices share. Then Gaussian slices instead of a mesh,
on both beams and on one.
"""

PARTICLE_BYTES = 6 * 8 + 4
"""Bytes of one macroparticle: six coordinates and its number."""


def collision_case(name: str) -> dict[str, Any]:
    """The study of a case: two beams, a production turn with luminosity and second moments, one
    field plane per pair of slices (``ip.1.interpolation`` switches to two). The beams are those of
    the Electron-Ion Collider in the case eic, else protons that meet head-on.
    """
    macroparticles, nodes, slices = _SIZES[name]
    point: dict[str, Any] = {
        "model": "strong-strong",
        "grid": [nodes, nodes],
        "slices": slices,
        "interpolation": "none",
        "longitudinal_kick": False,
    }
    common = {
        "title": f"benchmark {name}",
        "turns": 1000,
        "seed": 1,
        "records": {"moments_order": 2},
    }
    if name == "eic":
        return common | _electrons_on_protons(macroparticles, point)
    return common | {
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
        "ip": {"1": {"beta": [0.55, 0.55], **point}},
    }


def _electrons_on_protons(macroparticles: int, point: dict[str, Any]) -> dict[str, Any]:
    """Beams, ring and interaction point of the Electron-Ion Collider at its highest luminosity
    (Conceptual Design Report, BNL-221006-2021-FORE, Table 3.3).
    """
    return {
        "beam": {
            "1": {
                "particle": "proton",
                "energy": 275e9,
                "bunch_population": 6.88e10,
                "macroparticles": macroparticles,
                "geometric_emittance": [11.3e-9, 1.0e-9],
                "bunch_length": 0.06,
                "momentum_spread": 6.8e-4,
            },
            "2": {
                "particle": "electron",
                "energy": 10e9,
                "bunch_population": 1.72e11,
                "macroparticles": macroparticles,
                "geometric_emittance": [20.0e-9, 1.3e-9],
                "bunch_length": 0.007,
                "momentum_spread": 5.8e-4,
            },
        },
        "ring": {"circumference": 3833.8, "bunches": 1160},
        "arc": {
            "1": {"tune": [28.228, 27.210], "synchrotron_tune": 0.01},
            "2": {
                "tune": [51.08, 48.14],
                "synchrotron_tune": 0.069,
                "damping_turns": [4000, 4000, 2000],
            },
        },
        "ip": {
            "1": {
                **point,
                "half_crossing_angle": 12.5e-3,
                "beam": {
                    "1": {
                        "beta": [0.80, 0.072],
                        "crab": {"strength": 1.0, "frequency": 197e6},
                    },
                    "2": {
                        "beta": [0.455, 0.056],
                        "crab": {"strength": 1.0, "frequency": 394e6},
                    },
                },
            }
        },
    }


def _figures(core: Core, study: Study, threads: int) -> Figures:
    """What the collision adds to a measurement."""

    def figures(simulation: Run, seconds: float) -> dict[str, Any]:
        own = cast(CollisionRun, simulation)
        particles = sum(own.macroparticles(beam) for beam in _tracked(study))
        encounters = encounters_of(study, own)
        return {
            "core_ns_per_encounter": core.size() * threads * seconds / encounters * 1e9,
            "encounters_per_second": encounters / seconds,
            "particle_bytes": PARTICLE_BYTES * particles / core.size(),
            "device_bytes": own.device_bytes,
        }

    return figures


def encounters_of(study: Study, run: CollisionRun) -> float:
    """Particle-encounters of a turn: each tracked particle meets all slices of the other beam."""
    slices = collision_of(study).ips[0].slices
    return float(sum(run.macroparticles(beam) * slices[2 - beam] for beam in _tracked(study)))


def _tracked(study: Study) -> list[int]:
    return [beam.number for beam in collision_of(study).beams if not beam.strong]


def _row(measured: dict[str, Any]) -> dict[str, Any]:
    """What a row says of a measurement."""
    said = (
        "row",
        "seconds_per_turn",
        "core_ns_per_encounter",
        "encounters_per_second",
        "device_bytes",
        "kernels",
    )
    return {key: measured[key] for key in said}


def _studies(case: str, overrides: Sequence[str]) -> dict[str, Study]:
    """The studies of the rows of a case, without those that are the same as an earlier one."""
    studies: dict[str, Study] = {}
    for name, changes in ROWS.items():
        study = case_study(case, [*changes, *overrides])
        if all(study.parameters() != other.parameters() for other in studies.values()):
            studies[name] = study
    return studies


def case_study(case: str, overrides: Sequence[str]) -> Study:
    """The study of a case with overrides."""
    tables = collision_case(case)
    for change in overrides:
        apply_override(tables, change)
    return Study.from_dict(tables)


class CollisionBench(Bench):
    """Its benchmark."""

    CASES = tuple(_SIZES)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective. The figures are those of its first row;
        `rows` has those of all ROWS, without those that the overrides make equal to an earlier one.
        """
        studies = collectively(core, lambda: _studies(case, overrides))
        found: list[dict[str, Any]] = []
        for name, given in studies.items():
            study = settle_together(given, core, None, shown=not found)
            roof = found[0]["roof"] if found else None
            measured = measure(
                core, study, threads, turns or TURNS[case], _figures(core, study, threads), roof
            )
            found.append({"row": name, **measured})
        return {"case": case, **found[0], "rows": [_row(one) for one in found]}

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as tables: the kernels of each row, then the rows."""
        roof = result["roof"]
        levels = (f"{one['name']} {one['bytes_per_second'] / 1e9:.1f}" for one in roof["levels"])
        title = (
            f"{result['case']}: {number_of(result['ranks'], 'rank')} × "
            f"{number_of(result['threads'], 'thread')}, "
            f"{_where(result)}; roof {roof['flops_per_second'] / 1e9:.1f} Gflop/s, "
            f"GB/s {', '.join(levels)}"
        )
        if "additions_per_second" in roof:
            title += f", {roof['additions_per_second'] / 1e9:.2f}e9 additions/s"
        headings = ["kernel", "ms/turn", "% of turn", "Gflop/s", "GB/s", "data in", "% of roof"]
        for row in result["rows"]:
            turn = f"{row['row']}, {row['seconds_per_turn']:.4f} s per turn"
            print_table(f"{title}\n{turn}".strip(), [*headings, "bound by"], _kernel_rows(row))
            title = ""
        print_table(
            "",
            ["", "ms/turn", "core-ns/encounter", "encounters/s"],
            [
                [
                    row["row"],
                    f"{row['seconds_per_turn'] * 1e3:.2f}",
                    f"{row['core_ns_per_encounter']:.1f}",
                    f"{row['encounters_per_second']:.3g}",
                ]
                for row in result["rows"]
            ],
        )


def _where(result: dict[str, Any]) -> str:
    if result["device"] == CPU:
        return "on the CPU"
    held = result["device_bytes"] / result["particle_bytes"]
    return (
        f"on the device {result['roof']['name']}, buffers {held:.2f} times the particles' own bytes"
    )


def _kernel_rows(row: dict[str, Any]) -> list[list[str]]:
    return [
        [
            kernel["name"],
            f"{kernel['seconds'] * 1e3:.2f}",
            f"{kernel['seconds'] / row['seconds_per_turn'] * 100:.1f}",
            f"{kernel['gigaflops']:.2f}",
            f"{kernel['gigabytes_per_second']:.2f}",
            kernel["level"] or "-",
            f"{kernel['roof_share'] * 100:.0f}",
            kernel["bound"] if kernel["level"] else "-",
        ]
        for kernel in sorted(row["kernels"], key=lambda kernel: -kernel["seconds"])
    ]
