"""The claim on puts of contiguous runs: 9."""

from __future__ import annotations

from phasewise.reproduction.claim import Claim
from phasewise.workloads.qcd.reproduction.published import SOURCE, columns
from phasewise.workloads.qcd.reproduction.runs import PUTS, Exchange, Run, predicted

CORES = (64, 256, 2048)
EFFICIENCY = 0.43
NEAR = 0.05
"""By how much the efficiency may be off."""
COMPARABLE = 0.15
"""By how much a rate may be off one that is comparable."""


def claim(quick: bool, workers: int) -> Claim:
    """With --quick it is not looked at: millions of puts are followed."""
    if quick:
        return SOURCE.claim("9", "–", None, "--quick leaves it out: a model follows every put.")
    own = {column.cores: column for column in columns() if column.table == 2}
    runs = [Run(own[cores], PUTS) for cores in reversed(CORES)]
    found = {exchange.column.cores: exchange for exchange in predicted(runs, workers)}
    return judge(found)


def judge(found: dict[int, Exchange]) -> Claim:
    """9: on 256 cores within 15 % of Table 2's rate, and an efficiency of 0.43 ± 0.05 on 2048."""
    first, middle, last = (found[cores] for cores in CORES)
    efficiency = (last.overall / CORES[2]) / (first.overall / CORES[0])
    beside = middle.overall / middle.column.overall
    return SOURCE.claim(
        "9",
        f"{100 * beside:.0f} % of the MPI setup's rate on {CORES[1]} cores, an efficiency of "
        f"{efficiency:.2f} on {CORES[2]}",
        abs(efficiency - EFFICIENCY) <= NEAR and abs(beside - 1) <= COMPARABLE,
        "Predicted by model contention: a put and its flag for each run of sites. What a put costs "
        "was fitted to the efficiency; a domain of 256 cores has 3.4 times as many runs as one of "
        "2048, most of them along x, so that no one cost of a put gives both; the source has none "
        "of puts within a node and between nodes.",
        fitted=True,
    )  # fmt: skip
