"""The claim on puts of contiguous runs: 9."""

from __future__ import annotations

from phasewise.reproduction.claim import NOTHING, Claim
from phasewise.workloads.qcd.reproduction.published import SOURCE, columns
from phasewise.workloads.qcd.reproduction.runs import PUTS, Exchange, Run, predicted

CORES = (64, 256, 2048)
EFFICIENCY = 0.43
NEAR = 0.05
"""Largest accepted difference of the efficiency from the source's."""
COMPARABLE = 0.15
"""Largest relative difference between rates that count as comparable."""


def claim(quick: bool, workers: int) -> Claim:
    """Claim 9; with --quick it is not checked, because the model follows millions of puts."""
    if quick:
        return SOURCE.claim(
            "9", NOTHING, None, "--quick leaves it out, because a model has to follow every put."
        )
    own = {column.cores: column for column in columns() if column.table == 2}
    runs = [Run(own[cores], PUTS) for cores in reversed(CORES)]
    found = {exchange.column.cores: exchange for exchange in predicted(runs, workers)}
    return judge(found)


def judge(found: dict[int, Exchange]) -> Claim:
    """Claim 9: on 256 cores the rate is within 15 % of Table 2's, and on 2048 cores the efficiency
    is 0.43 ± 0.05.
    """
    first, middle, last = (found[cores] for cores in CORES)
    efficiency = (last.overall / CORES[2]) / (first.overall / CORES[0])
    beside = middle.overall / middle.column.overall
    return SOURCE.claim(
        "9",
        f"{100 * beside:.0f} % of the MPI setup's rate on {CORES[1]} cores, an efficiency of "
        f"{efficiency:.2f} on {CORES[2]}",
        abs(efficiency - EFFICIENCY) <= NEAR and abs(beside - 1) <= COMPARABLE,
        "Predicted by model contention: a put and its flag for each run of sites. What a put "
        "costs was fitted to the efficiency; a domain of 256 cores has 3.4 times as many runs as "
        "one of 2048, most of them along x, so that no single cost of a put gives both; the "
        "source does not tell what puts cost within a node and between nodes.",
        fitted=True,
    )  # fmt: skip
