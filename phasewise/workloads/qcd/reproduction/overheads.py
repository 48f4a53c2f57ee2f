"""The claims on overheads of simulated and predicted iterations: 5 and 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.reproduction.claim import Claim
from phasewise.workloads.qcd.reproduction.published import SOURCE, Column, columns
from phasewise.workloads.qcd.reproduction.runs import Exchange, Run, predicted, simulated
from phasewise.workloads.qcd.reproduction.tables import fitted_sendrecv, sendrecv_seconds

MOST_SIMULATED, MOST_SIMULATED_QUICKLY = 1024, 128
"""Columns of at most so many cores are simulated; the others are predicted."""

NEAR = 0.05
"""Largest accepted difference of an overhead from the source's."""
CONSTANT = 0.10
"""Largest difference between overheads that count as nearly constant."""

SMALL = (24, 24, 24, 48)
COMMON = (64, 256, 512)
"""Numbers of cores for which the source has results of all three machines."""

VERTICAL_ALONE = 1 / 3
"""The bandwidth that a node has towards one vertical neighbour, as a fraction of that towards all
other nodes.
"""


@dataclass(frozen=True)
class Overheads:
    """The results of each column, and the columns that were simulated; narrow: predictions in which
    a node has VERTICAL_ALONE of its bandwidth towards others.
    """

    found: Mapping[Column, Exchange]
    simulated: frozenset[Column]
    narrow: Mapping[Column, Exchange]


def find_overheads(quick: bool, cache: Path, workers: int) -> Overheads:
    """Simulate the columns with few cores, and predict the others; simulations are kept in
    `cache`.
    """
    most = MOST_SIMULATED_QUICKLY if quick else MOST_SIMULATED
    # The longest runs come first, so that all workers end at about the same time.
    every = sorted((column for column in columns() if judged(column)), key=lambda c: -c.cores)
    small = [column for column in every if column.cores <= most]
    large = [column for column in columns() if column not in small]
    runs = [Run(column) for column in small]
    found = dict(zip(small, simulated(runs, cache, workers), strict=True))
    found |= zip(large, predicted([Run(column) for column in large], workers), strict=True)
    split = [column for column in every if column.table != 6 and column.cores > 512]
    narrow = predicted([Run(column, machine=_narrow(column)) for column in split], workers)
    return Overheads(found, frozenset(small), dict(zip(split, narrow, strict=True)))


def judged(column: Column) -> bool:
    """Whether a claim depends on this column."""
    return column.table in (2, 3) or (column.size == SMALL and column.cores in COMMON)


def _narrow(column: Column) -> Machine:
    machine = load_machine(column.machine)
    taper = machine.network.taper
    assert taper is not None, machine.name
    less = replace(taper, bandwidth=VERTICAL_ALONE * taper.bandwidth)
    return replace(machine, network=replace(machine.network, taper=less))


def claims(overheads: Overheads) -> list[Claim]:
    """Claims 5 and 10."""
    return [_growing(overheads), _ahead(overheads)]


def _growing(overheads: Overheads) -> Claim:
    """5: each column of Tables 2 and 3 is within 5 points of the source's."""
    own = {column: one for column, one in overheads.found.items() if column.table in (2, 3)}
    worst = {table: _furthest(own, table) for table in (2, 3)}
    words = ", ".join(
        f"{100 * off:.1f} points in Table {table} ({cores} cores)"
        for table, (off, cores) in worst.items()
    )
    most = max(column.cores for column in own if column in overheads.simulated)
    narrow, _ = _furthest(overheads.narrow)
    return SOURCE.claim(
        "5", f"off by up to {words}", all(off <= NEAR for off, _ in worst.values()),
        f"Simulated to {most} cores, predicted by model contention beyond. The latency and "
        "bandwidth of claim 4 and the compute column were input. Nodes of 512 cores have 2 × "
        "(0.4 + 0.2) GB/s a blade towards all others; with 0.4 alone, columns of more cores are "
        f"off by up to {100 * narrow:.1f} points.",
        fitted=True,
    )  # fmt: skip


def _furthest(found: Mapping[Column, Exchange], table: int | None = None) -> tuple[float, int]:
    """The largest difference of an overhead from the source's, and the cores of that column."""
    return max(
        (abs(one.overhead - column.overhead), column.cores)
        for column, one in found.items()
        if table in (None, column.table)
    )


def _ahead(overheads: Overheads) -> Claim:
    """10: on 64, 256 and 512 cores the Altix has the best overall rate, and the XT4's overheads are
    within 10 points of each other.
    """
    at = {
        (column.machine, column.cores): one
        for column, one in overheads.found.items()
        if column.size == SMALL
    }
    rates = {name: [at[name, n].overall / 1e9 for n in COMMON] for name, _ in at}
    altix = rates.pop("altix-4700")
    others = [max(column) for column in zip(*rates.values(), strict=True)]
    shares = [at["xt4", n].overhead for n in COMMON]
    ahead = all(rate > other for rate, other in zip(altix, others, strict=True))
    constant = max(shares) - min(shares) <= CONSTANT
    return SOURCE.claim(
        "10",
        f"Gflop/s on {_list(COMMON)} cores: Altix {_list(altix)}, XT4 {_list(rates['xt4'])}, p690 "
        f"{_list(rates['p690'])}; XT4's overhead {_list([100 * share for share in shares])} %",
        ahead and constant,
        "The Altix is given the latency of claim 4, which was fitted to the large lattice. "
        f"{_of_its_own()} According to Table 6 its messages slow down with the number of cores, "
        "whatever their size, which a latency cannot describe. The compute columns were input; "
        "the XT4's bandwidth was fitted to Table 6, and the p690's network is known from other "
        "sources.",
        fitted=True,
    )


def _of_its_own() -> str:
    """A sentence on the latency and bandwidth of sendrecv that fit the Altix's columns of the small
    lattice.
    """
    own = [one for one in columns() if (one.machine, one.size) == ("altix-4700", SMALL)]
    sendrecv = fitted_sendrecv(own)
    exchanges = [Exchange(one, sendrecv_seconds(one, sendrecv)) for one in own]
    rates = [one.overall / 1e9 for one in exchanges if one.column.cores in COMMON]
    return (
        f"Its own columns fit {1e3 * sendrecv[0]:.2f} ms + s/({sendrecv[1] / 1e6:.0f} MB/s), "
        f"which gives {_list(rates)} Gflop/s."
    )


def _list(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.0f}" for number in numbers)
