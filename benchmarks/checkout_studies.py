"""What `compare_checkouts` asks of a checkout: the calls of `phasewise`, study by study.

A study is a small version of an example, with changes to its physics and to the exchange of its
data. Every model, algorithm, layout and crossing is in some study, and ranks divide the work evenly
or unevenly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Words = tuple[str, ...]
WORK, OUT = "{work}", "{out}"
"""In the words of a call, these stand for the folder of all calls and for the call's own folder."""


@dataclass(frozen=True)
class Call:
    """One call of `phasewise`, and the names under which the facts from it are kept.

    stage: the calls of a stage begin when those of the preceding stage are done. counts: whether
    what the ranks recorded of their messages is kept too.
    """

    section: str
    case: str
    label: str
    words: Words
    stage: int
    counts: bool = True


MEASURING, ALONE, IN_RANKS = range(3)
"""Stages: machine files that predictions need; calls of one process; runs of several ranks."""


@dataclass(frozen=True)
class Case:
    """An example with changes, on this many ranks of `machine`.

    particles: whether it is also run and simulated with particles.
    """

    name: str
    example: str
    ranks: int
    machine: str
    physics: Words = ()
    exchange: Words = ()
    particles: bool = False


MEASURED = {"bassi": 32, "bluegene-l": 16}
"""Simulated machines whose messages are measured, and the number of ranks."""

DRAGON, PLACES = f"{WORK}/dragon.toml", f"{WORK}/places.txt"
FILES = {
    "dragon.toml": """\
name = "dragon"
node.ranks = 1
processor = { peak = 1e10, flops = 1e9, bandwidth = 2e9 }
[network]
kind = "dragonfly"
latency = 1e-6
hop_latency = 1e-7
groups = 4
routers = 4
router_nodes = 4
flow_bandwidth = 1e9
adapter_bandwidth = 2e9
link_bandwidth = 1e9
global_bandwidth = 2e9
""",
    "places.txt": "1 3 0\n2 2 0\n1 2 0\n2 1 0\n1 1 0\n2 0 0\n1 0 0\n",
}
"""Files of the folder WORK: a network that no described machine has; a layout of 7 ranks."""

FEW: Words = (
    *("beam.1.macroparticles=2203", "beam.2.macroparticles=1800"),
    *("turns=2", "records.checkpoint_every=2"),
)
"""Changes to every study; the checkpoint at the end has all coordinates."""
SMALL: Words = (
    *FEW,
    *("records.slices_every=0", "records.particles_every=0", "records.pair_luminosity_every=0"),
    *("records.field=false", "records.tracked=5", "records.moments_order=4", "ip.1.grid=[48, 40]"),
)
"""Changes to every case; examples record what their own studies say."""

UNEVEN, MESH_256, FOUR = "ip.1.grid=[46, 42]", "ip.1.grid=[256, 256]", "ip.1.slices=4"
ONE_PLANE, TSC = "ip.1.interpolation=none", "ip.1.weighting=tsc"
SOFT, EVERY_STEP = "ip.1.model=soft-gaussian", "ip.1.green_function=every-step"
FIXED: Words = ("ip.1.mesh=fixed", "ip.1.mesh_half_width=[3e-5, 3e-5]")
LOSSES: Words = (
    *("arc.aperture_sigma=[2.5, 2.5]", "arc.noise=[1e-7, 1e-9, 1e-7, 1e-9]"),
    *("arc.damping_turns=[100, 200, 50]", "beam.2.offset_sigma=[0.2, 0, 0.1, 0, 0, 0]"),
)
SECOND: Words = ("ip.2.beta=[0.6, 0.5]", "ip.1.phase_advance=[32.2, 29.7]")
SECOND_MESH: Words = (
    *SECOND,
    *("ip.2.grid=[32, 36]", "ip.2.slices=4", "ip.2.weighting=tsc"),
    *("ip.2.separation_sigma=[8.0, 3.0]", "ip.2.interpolation=none"),
)


def exchange(reduce: str, broadcast: str, *changes: str) -> Words:
    """Overrides of [communication]: its two algorithms, and other keys."""
    given = (f"reduce={reduce}", f"broadcast={broadcast}", *changes)
    return tuple(f"communication.{change}" for change in given)


def grid(first: str, second: str | None = None) -> str:
    """The process grid of both beams, or of each."""
    return f'process_grid="{first}"' if second is None else f'process_grid=["{first}", "{second}"]'


OPTIMISED = ("layout=column-first", "crossing=4a", "padded=false")
SINGLE = (
    *("phase.green.algorithm=bruck", "phase.solve.algorithm=ring", "phase.solve.aggregate=false"),
    *("phase.reduce_row.algorithm=direct", "phase.reduce_row.schedule=pairwise"),
    *("phase.reduce_row.aggregate=false", "phase.broadcast_column.algorithm=mpi-gatherv"),
)

CASES = (
    Case("one rank", "lhc", 1, "bassi", LOSSES, particles=True),
    Case("two ranks", "lhc", 2, "jaguar", (TSC,), ("communication.overlap=true",), True),
    Case("unlike grids of three ranks", "lhc", 3, "jacquard", ("ip.1.luminosity=false", *LOSSES),
         exchange("mesh", "mesh", grid("2x1", "1x1"), "crossing=4b"), True),
    Case("Bruck", "lhc", 4, "seaborg", (UNEVEN, TSC, ONE_PLANE),
         exchange("hypercube", "hypercube", grid("1x2"), "transpose=bruck"), True),
    Case("soft-Gaussian", "electron-collider", 4, "bluegene-l", (SOFT,), particles=True),
    Case("weak-strong", "lhc", 3, "bassi", ("ip.1.model=weak-strong", *LOSSES), particles=True),
    Case("models side by side", "lhc", 6, DRAGON,
         (*SECOND, "ip.2.model=soft-gaussian", "ip.3.beta=[1, 1]", "ip.3.model=none"),
         exchange("direct", "hypercube", grid("3x1"), "schedule=pairwise"), True),
    Case("two meshes", "lhc", 7, "jaguar", SECOND_MESH,
         exchange("hypercube", "mesh", grid("2x2", "1x3"), "layout=row-first"), True),
    Case("fixed mesh", "yokoya-round", 4, "jacquard", (ONE_PLANE,),
         exchange("mpi", "mpi", grid("1x2"), "transpose=alltoallw"), True),
    Case("flat beams", "yokoya-flat", 16, "bassi", (UNEVEN,),
         exchange("node-aware", "node-aware", grid("1x8"), "node_size=4"), True),
    Case("many slices", "hourglass", 6, "seaborg", ("records.pair_luminosity_every=1",),
         exchange("direct", "direct", grid("3x1"), "schedule=pairwise", "aggregate=false"), True),
    Case("crossing angle", "crossing-angle", 16, "bluegene-l", ("ip.1.crab.strength=0.8",),
         exchange("node-aware", "direct", grid("4x2"), "node_size=3", "overlap=true"), True),
    Case("beams apart", "long-range", 3, DRAGON, (EVERY_STEP,),
         exchange("hypercube", "hypercube", grid("1x2", "1x1"), "transpose=ring"), True),
    Case("imported", "imported-beambeam3d", 6, "jaguar", ("ip.1.interpolation=linear",),
         exchange("mesh", "hypercube", grid("1x3"), "transpose=bruck"), True),
    Case("random layout", "lhc", 16, "bassi", ("seed=3", ONE_PLANE, EVERY_STEP),
         exchange("mesh", "hypercube", grid("2x4"), "layout=random", "crossing=4b"), True),
    Case("layout of a file", "lhc", 7, "jacquard", (TSC, *FIXED),
         exchange("mpi-allreduce", "mpi-allreduce", f'layout="{PLACES}"'), True),
    Case("source paper, base", "paper", 32, "bassi", (MESH_256, FOUR),
         ('communication.process_grid="1x16"',)),
    Case("source paper, optimised", "paper", 64, "jacquard", (MESH_256, FOUR),
         exchange("mesh", "mesh", grid("2x16"), *OPTIMISED)),
    Case("source paper, hypercube", "paper", 64, "bluegene-l", ("ip.1.luminosity=true",),
         exchange("hypercube", "hypercube", grid("4x8"), *OPTIMISED, "aggregate=true")),
    Case("library", "paper", 16, "seaborg", (),
         exchange("mpi", "mpi-gatherv", grid("2x4"), "transpose=alltoallw", "aggregate=true")),
    Case("allreduce", "paper", 32, "jaguar", ("ip.1.slices=7",),
         exchange("mpi-allreduce", "mpi-allreduce", grid("4x4"), "padded=true")),
    Case("aware of nodes", "lhc", 64, "seaborg", (ONE_PLANE,),
         exchange("node-aware", "node-aware", grid("4x8"), "node_size=16")),
    Case("direct", "lhc", 32, DRAGON, (EVERY_STEP,),
         exchange("direct", "direct", grid("4x4"), "overlap=true", "crossing=4b")),
    Case("phases by themselves", "lhc", 16, "jaguar", (UNEVEN, EVERY_STEP),
         exchange("hypercube", "mesh", grid("4x2"), *SINGLE)),
    Case("mesh that many are outside of", "lhc", 4, "bluegene-l", (*FIXED, TSC, ONE_PLANE),
         exchange("mesh", "direct", "aggregate=false", "transpose=ring")),
    Case("overlap", "lhc", 6, "bassi", (TSC, ONE_PLANE, EVERY_STEP),
         exchange("hypercube", "hypercube", grid("2x2", "1x2"), "overlap=true")),
    Case("equal widths", "lhc", 7, DRAGON,
         ("ip.1.slicing=equal-width", "ip.1.slice_extent=4", "ip.1.slices=6"),
         exchange("direct", "mesh", grid("2x2", "3x1"), "node_size=2", "crossing=4b")),
    Case("crab cavities", "electron-collider", 16, "jacquard",
         ("ip.1.crab.strength=0.8", "ip.1.crab.frequency=4e8"), exchange("mesh", "mesh")),
    Case("two points, padded", "lhc", 16, "bassi", SECOND_MESH,
         exchange("mesh", "mesh", grid("2x4"), "padded=true", "schedule=pairwise")),
    Case("soft-Gaussian at two points", "lhc", 64, "seaborg",
         (SOFT, *SECOND, "ip.2.model=soft-gaussian", "ip.2.slices=6")),
)  # fmt: skip

SLICES = (
    Case("strong-strong", "lhc", 4, "bassi", ("records.slices_every=1",), particles=True),
    Case("soft-Gaussian", "electron-collider", 3, "jaguar",
         ("records.slices_every=1", SOFT), particles=True),
)  # fmt: skip
"""Studies that record their slices, kept apart from the others."""


def every_call(checkout: Path) -> list[Call]:
    """All calls that `keep` makes, by stages."""
    calls = [*_measurements(), *_of_examples(checkout)]
    for section, cases in (("studies", CASES), ("slices", SLICES)):
        for case in cases:
            calls += _of_case(section, case)
    return sorted(calls, key=lambda call: call.stage)


def _measurements() -> Iterator[Call]:
    for name, ranks in MEASURED.items():
        target = ("--machine", name, "--ranks", str(ranks), "-o", f"{WORK}/{name}.toml")
        words = ("machine", "measure", "--quick", *target)
        yield Call("machines", name, "measure", words, MEASURING)


def _of_examples(checkout: Path) -> Iterator[Call]:
    """Runs on one rank and on two; their counts follow from what an example records."""
    for path in sorted((checkout / "examples").glob("*/study.toml")):
        if path.parent.name == "workload-template":  # its workload is not built
            continue
        name, words = path.parent.name, _study(path.parent.name, FEW)
        for ranks, stage in ((1, ALONE), (2, IN_RANKS)):
            run = ("run", *words, "--ranks", str(ranks), "--quiet", "--out", OUT)
            yield Call("examples", name, f"run on {ranks}", run, stage, counts=False)


def _of_case(section: str, case: Case) -> Iterator[Call]:
    def call(label: str, *words: str, stage: int = ALONE) -> Call:
        return Call(section, case.name, label, words, stage)

    study = _study(case.example, (*SMALL, *case.physics, *case.exchange))
    ranks = ("--ranks", str(case.ranks))
    yield call("check", "check", *study)
    yield call("plan", "plan", *study, *ranks)
    yield call("plan of the last rank", "plan", *study, *ranks, "--rank", str(case.ranks - 1))
    for label, target, models in _predictions(case):
        yield call(label, "predict", *study, *ranks, *target, "--model", models)
    simulate = ("simulate", *study, *ranks, "--machine", case.machine, "--out", OUT)
    yield call("simulate messages", *simulate, "--skeleton")
    if case.particles:
        yield call("simulate", *simulate, "--turns", "2", "--events", "300", "--twin", "plain")
        run, alone = ("run", "--quiet", "--out", OUT), (*SMALL, *case.physics)
        yield call("run on 2 threads", *run, *_study(case.example, alone), "--threads", "2")
        if 1 < case.ranks <= 4:
            yield call(f"run on {case.ranks}", *run, *study, *ranks, stage=IN_RANKS)


def _predictions(case: Case) -> Iterator[tuple[str, Words, str]]:
    """Label, target and models; models that need curves are asked for the measured machines."""
    models = "contention" if case.machine == DRAGON else "1a,1b,2,3,5,contention"
    yield "predict", ("--machine", case.machine), models
    for name in MEASURED:
        yield f"predict measured {name}", ("--machine", f"{WORK}/{name}.toml"), "4,5,6,loads"


def _study(example: str, changes: Sequence[str]) -> Words:
    overrides = (word for change in changes for word in ("--set", change))
    return (f"examples/{example}/study.toml", *overrides)
