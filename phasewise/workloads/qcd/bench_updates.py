"""The cases of `phasewise bench qcd` that make configurations: a heat-bath, the gradient flow, and
a trajectory of clover quarks. The fast kernels stand beside the plain loops, in one run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.output import console, print_table
from phasewise.runs.timing import WARM_UP_TURNS, measure
from phasewise.study import Study
from phasewise.study.laboratory import grid_on
from phasewise.study.reading import apply_override
from phasewise.workloads.qcd.communication import FAST, KERNELS, check_process_grid
from phasewise.workloads.qcd.model import Qcd, model_of

HEAT_BATH, FLOW, TRAJECTORY = "heat-bath", "flow", "trajectory"
CASES: dict[str, dict[str, Any]] = {
    HEAT_BATH: {
        "lattice": {"size": [16, 16, 16, 16]},
        "gauge": {"beta": 5.7, "start": "hot"},
        "update": {"method": "heat-bath", "over_relaxation": 4},
    },
    FLOW: {
        "lattice": {"size": [16, 16, 16, 16]},
        "gauge": {"beta": 5.7, "start": "hot"},
        "update": {"method": "heat-bath", "over_relaxation": 0},
        "measure": {"every": 1, "flow_step": 0.02, "flow_until": 0.2},
    },
    TRAJECTORY: {
        "lattice": {"size": [8, 8, 8, 16]},
        "gauge": {"beta": 5.5, "start": "hot"},
        "quarks": {"kappa": 0.132, "clover": 1.8},
        "solver": {"precision": "mixed"},
        "update": {"method": "hmc", "length": 1.0, "integrator": "omelyan-2", "steps": [12, 2]},
    },
}  # fmt: skip
"""The study of each case. In that of the flow a single sweep makes each configuration."""
TRAJECTORIES = 3
"""Trajectories that are timed, unless --turns gives it."""
PLAIN_TRAJECTORIES = 1
"""The same with the plain loops, which take longer."""

GROUPS: dict[str, tuple[str, ...]] = {
    "hopping matrix": ("hopping", "hopping_single", "faces"),
    "clover term": ("clover", "local"),
    "vectors": ("combine", "norm", "update", "convert", "advance", "half_step", "products", "turn"),
    "forces": (
        "gauge_force", "quark_force", "force_faces", "clover_force", "clover_tensor",
        "move_momenta", "force_norms", "largest_force",
    ),
    "actions": (
        "gauge_action", "quark_action", "clover_action", "pseudofermions", "momenta", "kinetic",
    ),
    "links": (
        "link_update", "reunitarise", "keep_links", "take_links", "take_links_single",
        "clover_blocks", "clover_convert",
    ),
    "sweeps": ("heat_bath", "over_relaxation"),
    "flow": ("flow", "flow_measures"),
}  # fmt: skip
"""The kernels of each part of a trajectory."""
OTHER, COMMUNICATION = "other kernels", "communication"
STAGES = 3
"""Stages of a step of the flow."""

MAIN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    HEAT_BATH: (GROUPS["sweeps"], ("sweep_",)),
    FLOW: (("flow",), ("links_",)),
    TRAJECTORY: ((), ()),
}
"""Kernels and beginnings of phases whose time ns_per_link counts; a trajectory counts all of it."""


def links_updated(case: str, model: Qcd) -> float:
    """How many links a trajectory updates in `MAIN`: in each sweep, in each stage of the flow, or
    once.
    """
    times = 1.0
    assert model.update is not None
    if case == HEAT_BATH:
        times = 1.0 + model.update.over_relaxation
    if case == FLOW:
        times = float(STAGES * model.measure.flow_steps)
    return 4.0 * model.sites * times


def case_tables(case: str) -> dict[str, Any]:
    """The tables of a case's study."""
    tables: dict[str, Any] = {"workload": "qcd", "trajectories": 1_000, "communication": {}}
    return tables | {name: dict(table) for name, table in CASES[case].items()}


def study_of(case: str, overrides: Sequence[str], ranks: int) -> Study:
    """The study of a case; StudyError if it does not suit the ranks."""
    tables = case_tables(case)
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    measure = model_of(study).measure
    if case == FLOW and not measure.flow_steps:
        raise StudyError(
            f"measure.flow_until = {measure.flow_until:g} has no step of the flow, which "
            f"bench qcd --case {FLOW} times; give more than 0"
        )
    check_process_grid(model_of(study), study.communication, ranks)
    return study


def measured(
    core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
) -> dict[str, Any]:
    """Time a case on the ranks of this run, and again with the plain loops; collective."""
    study = collectively(core, lambda: study_of(case, overrides, core.size()))
    model = model_of(study)
    found = measure(core, study, threads, turns or TRAJECTORIES, iterations_of)
    figures = figures_of(case, model, found)
    kernel = study.communication.tunable()["kernel"]
    result = {
        "case": case,
        "lattice": list(model.lattice.size),
        "process_grid": grid_on(study, core.size()),
        "precision": model.solver.precision,
        "kernel": kernel,
        **found,
        **figures,
    }
    if kernel != FAST:
        return result
    plainly = [*overrides, f"communication.kernel={KERNELS[1]}"]
    other = collectively(core, lambda: study_of(case, plainly, core.size()))
    plain = measure(core, other, threads, PLAIN_TRAJECTORIES, iterations_of, found["roof"])
    return result | {"plain": beside(found, plain, figures_of(case, model, plain))}


def iterations_of(run: Run, _seconds: float) -> dict[str, Any]:
    """The iterations of the last trajectory by term of the action; none without quarks."""
    prefix = "iterations_"
    return {
        "iterations": {
            name.removeprefix(prefix): int(value)
            for name, value in run.record().items()
            if name.startswith(prefix)
        }
    }


def figures_of(case: str, model: Qcd, found: Mapping[str, Any]) -> dict[str, Any]:
    """ns_per_link: core nanoseconds for the update of a link, with what belongs to it (`MAIN`);
    roof_share: of these kernels, or of a whole trajectory; shares: of the parts of a trajectory in
    its time on rank 0.
    """
    kernels, phases = MAIN[case]
    cores = found["ranks"] * found["threads"]
    own = [one for one in found["kernels"] if not kernels or one["name"] in kernels]
    computing = sum(one["seconds"] for one in own)
    seconds = float(found["seconds_per_trajectory"])
    if kernels:
        seconds = computing + of_a_trajectory(found, phases)
    reached = sum(one["roof_share"] * one["seconds"] for one in own)
    whole = computing if kernels else seconds
    return {
        "ns_per_link": 1e9 * seconds * cores / links_updated(case, model),
        "roof_share": reached / whole if whole > 0 else 0.0,
        "shares": shares_of(found),
    }


def of_a_trajectory(found: Mapping[str, Any], beginnings: Iterable[str] = ("",)) -> float:
    """Seconds of rank 0 in a trajectory in the phases whose names begin so; by default all."""
    starts = tuple(beginnings)
    every = int(found["trajectories"]) + WARM_UP_TURNS
    own = (float(p["seconds"]) for p in found["phases"] if str(p["name"]).startswith(starts))
    return sum(own) / every


def shares_of(found: Mapping[str, Any]) -> dict[str, float]:
    """The share of each part in the time of kernels and phases of a trajectory on rank 0."""
    seconds: dict[str, float] = {}
    parts = {kernel: part for part, names in GROUPS.items() for kernel in names}
    for kernel in found["kernels"]:
        part = parts.get(kernel["name"], OTHER)
        seconds[part] = seconds.get(part, 0.0) + kernel["seconds"]
    seconds[COMMUNICATION] = of_a_trajectory(found)
    whole = sum(seconds.values())
    return {part: own / whole for part, own in seconds.items() if own > 0}


def beside(
    fast: Mapping[str, Any], plain: Mapping[str, Any], figures: Mapping[str, Any]
) -> dict[str, Any]:
    """The plain loops: their time, and how many times as fast the others are, whole and by
    kernel.
    """
    before, now = _of_an_item(plain), _of_an_item(fast)
    known = {kernel for names in GROUPS.values() for kernel in names}
    return {
        "seconds_per_trajectory": plain["seconds_per_trajectory"],
        "ns_per_link": figures["ns_per_link"],
        "times_as_fast": {
            name: before[name] / own
            for name, own in now.items()
            if name in before and name in known and own > 0
        },
    }


def _of_an_item(found: Mapping[str, Any]) -> dict[str, float]:
    """Seconds of an item by kernel."""
    return {one["name"]: one["seconds"] / one["items"] for one in found["kernels"] if one["items"]}


def show(result: Mapping[str, Any]) -> None:
    """Print a measurement as tables."""
    show_points([result])
    faster = result.get("plain", {}).get("times_as_fast", {})
    of = result["seconds_per_trajectory"]
    rows = [
        [one["name"], f"{1e3 * one['seconds']:.3f}", f"{100 * one['seconds'] / of:.1f}",
         f"{one['gigaflops']:.2f}", f"{one['gigabytes_per_second']:.2f}", str(one["level"]),
         f"{100 * one['roof_share']:.0f}",
         f"{faster[one['name']]:.2f}" if one["name"] in faster else "–"]
        for one in sorted(result["kernels"], key=lambda one: -one["seconds"])
        if one["seconds"] > 0
    ]  # fmt: skip
    heads = [
        "kernel", "ms a trajectory", "% of it", "Gflop/s", "GB/s", "level", "% of roof",
        "plain/fast",
    ]  # fmt: skip
    print_table("kernels on rank 0; plain/fast: seconds of an item", heads, rows)
    parts = ", ".join(f"{part} {100 * own:.1f} %" for part, own in result["shares"].items())
    console().print(f"Of kernels and communication on rank 0: {parts}.", soft_wrap=True)
    if result["iterations"]:
        solved = ", ".join(f"{name} {count}" for name, count in result["iterations"].items())
        console().print(f"Iterations of the last trajectory: {solved}.", soft_wrap=True)


def show_points(results: Sequence[Mapping[str, Any]]) -> None:
    """Print measurements of several cases or numbers of ranks in one table."""
    rows = [
        [one["case"], "×".join(map(str, one["lattice"])), f"{one['ranks']} × {one['threads']}",
         one["process_grid"], one["kernel"], f"{one['seconds_per_trajectory']:.4g}",
         f"{one['ns_per_link']:.1f}", f"{100 * one['roof_share']:.0f}",
         f"{one['plain']['ns_per_link'] / one['ns_per_link']:.2f}" if "plain" in one else "–"]
        for one in results
    ]  # fmt: skip
    heads = [
        "case", "lattice", "ranks × threads", "grid", "kernel", "s", "core ns a link",
        "% of roof", "plain/fast",
    ]  # fmt: skip
    print_table("trajectories", heads, rows)
    console().print(
        "A link counts in each sweep of heat-bath, in each stage of flow, and once in trajectory.",
        soft_wrap=True,
    )
