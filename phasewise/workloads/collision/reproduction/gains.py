"""The source paper's claims on what its optimisations gain, and the list of all claims."""

from __future__ import annotations

from phasewise.reproduction.claim import Claim
from phasewise.workloads.collision.reproduction.claims import (
    NOTHING,
    SMP,
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
from phasewise.workloads.collision.reproduction.plans import RANKS, Plans
from phasewise.workloads.collision.reproduction.results import BEST, PaperResults, Run

LAYOUT_GAINS = {
    "bassi": 0.32,
    "seaborg": 0.65,
    "jacquard": 0.06,
    "jaguar": 0.29,
    "bluegene-l": 0.08,
}
_ORDERED = "the twin's ranks stand in a box of their own, in order, which the paper's did not."
WHY_LAYOUT = {
    "jacquard": "On Jacquard the optimised layout also keeps off the twin's tapered stage.",
    "jaguar": f"On Jaguar {_ORDERED}",
    "bluegene-l": f"On BG/L {_ORDERED}",
}
"""Remarks for machines whose gain differs from the paper's."""

HYPERCUBE_GAINS = {"seaborg": 0.62, "bassi": 0.65, "jacquard": 0.28}
HYPERCUBE_TORI = 0.2
LITTLE = 0.1
"""Largest gain that counts as small, as a fraction."""


def layout_gains(_: Plans, results: PaperResults) -> Finding:
    """Claim 12: gains by layout and crossing, the largest over the ranks (BG/L: at 256)."""
    if not results.has(LAYOUT_GAINS, RANKS):
        return NOTHING
    gains = {
        name: max(
            results.gain(name, ranks, "base", "optimised")
            for ranks in ((256,) if name == "bluegene-l" else RANKS)
        )
        for name in LAYOUT_GAINS
    }
    other = [name for name, stated in LAYOUT_GAINS.items() if not near(gains[name], stated)]
    return Finding(
        ", ".join(f"{name} {percent(gain)}" for name, gain in gains.items()),
        not other,
        " ".join(WHY_LAYOUT.get(name, f"{name} gains otherwise.") for name in other),
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

    By the paper's best model of each machine; on tori no more than 20 %.
    """
    ranks = (*results.extent.ranks, *results.extent.predicted)
    if not results.has([*SMP, *TORI], RANKS):
        return NOTHING
    gains = {}
    for name, model in BEST.items():
        pairs = [
            [results.predicted.get((Run(name, number, word), model)) for word in ORDER]
            for number in ranks
        ]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        if len(known) < len(pairs):
            return NOTHING
        gains[name] = max(1 - b.exchange_seconds / a.exchange_seconds for a, b in known)
    holds = all(near(gains[name], stated) for name, stated in HYPERCUBE_GAINS.items())
    simulated = ", ".join(
        f"{name} {percent(max(results.gain(name, number, *ORDER) for number in RANKS))}"
        for name in BEST
    )
    return Finding(
        ", ".join(f"{name} {percent(gain)}" for name, gain in gains.items()),
        holds and all(gains[name] <= HYPERCUBE_TORI + 0.05 for name in TORI),
        f"Simulated, to 256 ranks: {simulated}. A hypercube's long messages go to near ranks; the "
        "paper's models of tori saw the number of messages alone.",
    )


ORDER = ("optimised", "hypercube")


def aggregation(_: Plans, results: PaperResults) -> Finding:
    """Claim 15: one message for all slices of a step gains little (10 % at most)."""
    last = results.extent.ranks[-1]
    gains = {name: results.gain(name, last, "optimised", "aggregated") for name in results.machines}
    listed = ", ".join(f"{name} {percent(gain)}" for name, gain in gains.items())
    large = ", ".join(name for name, gain in gains.items() if gain > LITTLE)
    return Finding(
        f"{listed} on {last} ranks",
        not large,
        f"It gains more than little on {large}. The paper reasoned from latency alone: fewer, "
        "longer messages also wait less often for each other, and leave the sizes that a protocol "
        "slows down."
        if large
        else "",
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


CLAIMS: tuple[tuple[str, str, Test], ...] = (
    ("Table 5", "48 message counts of phase 3", table_5),
    ("Volume per rank", "constant in the number of ranks", constant_volume),
    (
        "Time against ranks",
        "total falls, communication grows, up to 60 % at 256",
        communication_grows,
    ),
    ("Models 1a, 1b on SMP machines", "too low by 2–4", point_to_point),
    ("Model 2", "too high on 8- and 16-way nodes, too low on 2-way", one_level),
    ("Model 3", "within 10 % on the IBM systems, 33 % off on Jacquard", two_levels),
    ("Model 4 on Jacquard", "within a few % to 128 ranks, 21 % at 256", tables),
    ("Tori", "models 1b–3 too low by 2–10, model 4 by 2–3", tori_low),
    ("Models 5 and 6 on tori", "5: Jaguar 20–35 %, BG/L 50–130 %; 6: BG/L 20–45 %", grid_models),
    ("Jaguar, models 5 and 6", "28.4 % and 27.9 %, optimised 7.6 %", jaguar),
    ("Averages of the best models", "3, 4, 7, 28, 29 %", averages),
    (
        "Gains by layout",
        "Bassi 32, Seaborg 65, Jacquard 6, Jaguar 29, BG/L 8 %",
        layout_gains,
    ),
    ("Layout on a full fat-tree, one rank a node", "no effect", no_effect),
    (
        "Hypercube",
        "Seaborg 62 (large P), Bassi 65, Jacquard 28 %, at most 20 % on tori",
        hypercube_gains,
    ),
    ("Aggregation", "gains little", aggregation),
    ("Crossing in 4a", "lowers the volume of the long-range phase", crossing),
)
"""Title, the paper's statement, and the test of each claim, in the order of their numbers from
1.
"""


def check_claims(plans: Plans, results: PaperResults) -> list[Claim]:
    """Every claim with its result."""
    claims = []
    for number, (title, paper, test) in enumerate(CLAIMS, 1):
        found = test(plans, results)
        claims.append(Claim(number, title, paper, found.ours, found.holds, found.sentence))
    return claims
