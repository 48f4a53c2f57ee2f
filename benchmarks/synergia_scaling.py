"""How Amundson's problems scale on a simulated cluster, untuned and tuned (docs/spacecharge.md).

    .venv/bin/python -m benchmarks.synergia_scaling --cache scaling [--node-ranks 8]

Two of 32 kicks are simulated on the Wilson Cluster's twin, with messages of the true sizes without
contents, in ways to exchange that together use every word of every key. The phases of a kick follow
each other, so that the best words are those with the shortest phases. "Untuned" is what Synergia
2.1 did at first: reduce-scatter; gatherv and bcast of three components of the field, where we send
one potential; and a kick that takes `--kick-ratio` times as long as ours, by default the gain of
the source's own steps. The reference is a simulator whose machine has assumed rates, not hardware.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.models.computation import kernel_seconds
from phasewise.models.model import Case
from phasewise.options import counts
from phasewise.output import message, print_table
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.workloads.spacecharge.bench import KICKS, SpaceChargeBench, case_tables

WAYS = (
    {"charge": "reduce-scatter", "field": "gatherv-bcast", "transpose": "pairwise"},
    {"charge": "allreduce", "field": "allreduce", "transpose": "ring"},
    {"charge": "direct", "field": "allgatherv", "transpose": "bruck"},
    {"charge": "hypercube", "field": "hypercube", "transpose": "alltoallw"},
    {"charge": "node-aware", "field": "node-aware", "transpose": "pairwise"},
    {"charge": "direct", "field": "direct", "transpose": "pairwise"},
)
"""The first way is the untuned one; together they use every word of every key."""

MOST_AT_ONCE = 128
"""On more ranks, ways that send everything at once are not simulated: the simulator would take an
hour and more.
"""

PHASES = {"charge": "charge_global", "field": "field_global", "transpose": "potential"}
"""The phase that each key decides."""

SIMULATED_KICKS = 2
COMPONENTS = 3
"""Components of the field; the untuned code sends each by itself."""
KICK_RATIO = 1.9
"""The gain of the kick's optimisations in the source (section 4)."""
RANKS = (8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Point:
    """Seconds of a kick on a number of ranks, in all phases."""

    ranks: int
    untuned: float
    kicks: float
    """With our kick, one potential and the untuned collectives."""
    tuned: float
    """With our kick and the best collectives."""
    chosen: dict[str, str]
    phases: dict[str, dict[str, float]]
    """For each phase, the seconds with each word that decides it."""


def point(machine: Machine, case: str, ranks: int, ratio: float, cache: Path) -> Point:
    """Simulate all ways on this number of ranks."""
    ways = [
        way
        for way in WAYS
        if ranks <= MOST_AT_ONCE or not {"alltoallw", "direct"} & {way["transpose"], way["field"]}
    ]
    studies = [Study.from_dict({**case_tables(case), "communication": way}) for way in ways]
    request = Request(machine, ranks, steps=SIMULATED_KICKS, skeleton=True)
    tasks = [Task(study.with_count(1), request) for study in studies]
    found = simulate_many(tasks, cache, workers=1)
    phases: dict[str, dict[str, float]] = {phase: {} for phase in PHASES.values()}
    for way, summary in zip(ways, found, strict=True):
        for key, phase in PHASES.items():
            seconds = summary["phases"][phase] / KICKS
            phases[phase][way[key]] = min(seconds, phases[phase].get(way[key], seconds))
    kicks = found[0]["turn_seconds"] / KICKS
    own = kernel_seconds(Case(studies[0], machine, ranks))["kick"] / KICKS
    chosen = {
        key: min(phases[phase], key=phases[phase].__getitem__) for key, phase in PHASES.items()
    }
    gains = (phases[PHASES[key]][WAYS[0][key]] - phases[PHASES[key]][chosen[key]] for key in PHASES)
    return Point(
        ranks=ranks,
        untuned=kicks
        + (ratio - 1) * own
        + (COMPONENTS - 1) * phases[PHASES["field"]][WAYS[0]["field"]],
        kicks=kicks,
        tuned=kicks - sum(gains),
        chosen=chosen,
        phases=phases,
    )


def points(options: argparse.Namespace) -> Iterator[Point]:
    """The point of every number of ranks, one after the other."""
    machine = load_machine(options.machine)
    if options.node_ranks:
        machine = replace(machine, node_ranks=options.node_ranks)
    for ranks in options.ranks:
        message(f"{options.case} on {ranks} ranks")
        yield point(machine, options.case, ranks, options.kick_ratio, options.cache)


def show(found: Sequence[Point], options: argparse.Namespace) -> None:
    """Print the points and the gain between the fastest ones."""
    rows = [
        [
            str(p.ranks),
            *(f"{seconds * 1e3:.1f}" for seconds in (p.untuned, p.kicks, p.tuned)),
            *p.chosen.values(),
        ]
        for p in found
    ]
    print_table(
        f"{options.case} on {options.machine}, ms per kick; a simulator, not hardware",
        ["ranks", "untuned", "our kick", "tuned", *PHASES],
        rows,
    )
    untuned = min(found, key=lambda p: p.untuned)
    tuned = min(found, key=lambda p: p.tuned)
    print(
        f"untuned fastest on {untuned.ranks} ranks, tuned on {tuned.ranks}: "
        f"{untuned.untuned / tuned.tuned:.2f} times as fast"
    )


def main(words: Sequence[str]) -> int:
    """Simulate and print; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--machine", default="wilson", metavar="M")
    parser.add_argument("--node-ranks", type=int, metavar="K", help="ranks of a node")
    parser.add_argument("--case", choices=SpaceChargeBench.CASES, default="medium")
    parser.add_argument(
        "--ranks", type=counts, default=(8, 16, 32, 64, 128, 256, 512), metavar="N,…"
    )
    parser.add_argument("--kick-ratio", type=float, default=KICK_RATIO, metavar="R")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    found = list(points(options))
    if options.json:
        print(json.dumps([asdict(p) for p in found], indent=2))
    else:
        show(found, options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
