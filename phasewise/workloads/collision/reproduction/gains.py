"""The source paper's claims on what its optimisations gain, and the list of all claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phasewise.reproduction.claim import Claim
from phasewise.workloads.collision.reproduction.claims import (
    TORI,
    Finding,
    Test,
    averages,
    communication_grows,
    constant_volume,
    grid_models,
    jaguar,
    near,
    one_level,
    percent,
    point_to_point,
    table_5,
    tables,
    tori_low,
    two_levels,
)
from phasewise.workloads.collision.reproduction.extent import BEST
from phasewise.workloads.collision.reproduction.plans import RANKS, Plans
from phasewise.workloads.collision.reproduction.results import PaperResults

LAYOUT_GAINS = {
    "bassi": 0.32,
    "seaborg": 0.65,
    "jacquard": 0.06,
    "jaguar": 0.29,
    "bluegene-l": 0.08,
}

HYPERCUBE_GAINS = {"seaborg": 0.62, "bassi": 0.65, "jacquard": 0.28}
HYPERCUBE_TORI = 0.2
LITTLE = 0.1
"""Largest gain that counts as small, as a fraction."""


def listed(gains: Mapping[str, float]) -> str:
    """Gains by machine, as whole percentages."""
    return ", ".join(f"{name} {percent(gain)}" for name, gain in gains.items())


def layout_gains(_: Plans, results: PaperResults) -> Finding:
    """Claim 12: gains by layout and crossing, the largest over the ranks (BG/L: at 256)."""
    gains = {
        name: max(
            results.gain(name, ranks, "base", "optimised")
            for ranks in ((256,) if name == "bluegene-l" else RANKS)
        )
        for name in LAYOUT_GAINS
    }
    other = [name for name, stated in LAYOUT_GAINS.items() if not near(gains[name], stated)]
    return Finding(
        listed(gains),
        not other,
        (f"Off by more than 5 points: {', '.join(other)}. " if other else "")
        + "Jacquard's taper was fitted to the paper. What the paper does not say matters: "
        + "; ".join(
            f"{s.machine}, {s.what}, {s.ranks} ranks {percent(s.gain)}" for s in results.sensitivity
        )
        + ".",
    )


def no_effect(_: Plans, results: PaperResults) -> Finding:
    """Claim 13: on a full fat-tree with one rank a node the layout has no effect (1 % at most)."""
    before, after = results.single
    change = after / before - 1
    return Finding(
        f"{100 * change:+.2f} % on 64 ranks",
        abs(change) <= 0.01,
        "Jacquard's twin with one rank a node and no tapered stage; the layout alone changes.",
    )


def hypercube_gains(_: Plans, results: PaperResults) -> Finding:
    """Claim 14: the hypercube's largest predicted gain over the optimised code, to 1024 ranks.

    It is predicted as in the paper, from Table 4's L and B and the plan; on tori it is at most 20
    %.
    """
    ranks = (*results.extent.ranks, *results.extent.predicted)
    gains = {
        name: max(results.table_4_gain(name, number, *ORDER) for number in ranks) for name in BEST
    }
    holds = all(near(gains[name], stated) for name, stated in HYPERCUBE_GAINS.items())
    simulated = {name: max(results.gain(name, number, *ORDER) for number in RANKS) for name in BEST}
    return Finding(
        listed(gains),
        holds and all(gains[name] <= HYPERCUBE_TORI + 0.05 for name in TORI),
        f"By L and B of Table 4; simulated, to 256 ranks: {listed(simulated)}. A hypercube's long "
        "messages go to near ranks; the paper's models of tori depended only on the number of "
        "messages.",
    )


ORDER = ("optimised", "hypercube")


def aggregation(_: Plans, results: PaperResults) -> Finding:
    """Claim 15: one message for all slices of a step gains little (10 % at most), as the paper
    predicted by L and B.
    """
    last = results.extent.ranks[-1]
    order = ("optimised", "aggregated")
    gains = {name: results.table_4_gain(name, last, *order) for name in BEST}
    simulated = {name: results.gain(name, last, *order) for name in BEST}
    return Finding(
        f"{listed(gains)} on {last} ranks",
        all(gain <= LITTLE for gain in gains.values()),
        f"By L and B of Table 4; simulated: {listed(simulated)}. Fewer, longer messages "
        "also wait less often for each other, and leave the sizes that a protocol slows down.",
    )


def crossing(plans: Plans, _: PaperResults) -> Finding:
    """Claim 16: crossing in 4a lowers what goes to the other beam."""
    before, after = (
        [plans.crossing_megabytes(ranks, variant) for ranks in RANKS]
        for variant in ("base", "optimised")
    )
    return Finding(
        f"{before[-1]:.1f} → {after[-1]:.1f} MB a rank at 256",
        all(b < a for a, b in zip(before, after, strict=True)),
        "From the plan; at 32 ranks " + f"{before[0]:.1f} → {after[0]:.1f} MB.",
    )


@dataclass(frozen=True)
class Rule:
    """A claim's title, the paper's statement, and its test; simulated: whether it shows simulated
    times; fitted: whether these depend on what was set in a twin so that it agrees with the paper.
    """

    title: str
    paper: str
    test: Test
    simulated: bool = True
    fitted: bool = False


CLAIMS = (
    Rule("Table 5", "48 message counts of phase 3", table_5, simulated=False),
    Rule("Volume per rank", "constant in the number of ranks", constant_volume, simulated=False),
    Rule(
        "Time against ranks",
        "total falls, communication grows, up to 60 % at 256",
        communication_grows,
    ),
    Rule("Models 1a, 1b on SMP machines", "too low by 2–4", point_to_point, fitted=True),
    Rule("Model 2", "too high on 8- and 16-way nodes, too low on 2-way", one_level, fitted=True),
    Rule(
        "Model 3", "within 10 % on the IBM systems, 33 % off on Jacquard", two_levels, fitted=True
    ),
    Rule("Model 4 on Jacquard", "within a few % to 128 ranks, 21 % at 256", tables, fitted=True),
    Rule("Tori", "models 1b–3 too low by 2–10, model 4 by 2–3", tori_low, fitted=True),
    Rule(
        "Models 5 and 6 on tori",
        "5: Jaguar 20–35 %, BG/L 50–130 %; 6: BG/L 20–45 %",
        grid_models,
        fitted=True,
    ),
    Rule("Jaguar, models 5 and 6", "28.4 % and 27.9 %, optimised 7.6 %", jaguar),
    Rule("Averages of the best models", "3, 4, 7, 28, 29 %", averages, fitted=True),
    Rule(
        "Gains by layout",
        "Bassi 32, Seaborg 65, Jacquard 6, Jaguar 29, BG/L 8 %",
        layout_gains,
        fitted=True,
    ),
    Rule("Layout on a full fat-tree, one rank a node", "no effect", no_effect),
    Rule(
        "Hypercube",
        "Seaborg 62 (large P), Bassi 65, Jacquard 28 %, at most 20 % on tori",
        hypercube_gains,
    ),
    Rule("Aggregation", "gains little", aggregation),
    Rule("Crossing in 4a", "lowers the volume of the long-range phase", crossing, simulated=False),
)
"""The rules, in the order of the claims' numbers from 1."""


def check_claims(plans: Plans, results: PaperResults) -> list[Claim]:
    """Every claim with its result."""
    claims = []
    for number, rule in enumerate(CLAIMS, 1):
        found = rule.test(plans, results)
        kept = rule.simulated and bool(results.kept)
        claims.append(
            Claim(
                number, rule.title, rule.paper, found.ours, found.holds, found.sentence,
                rule.fitted, kept,
            )
        )  # fmt: skip
    return claims
