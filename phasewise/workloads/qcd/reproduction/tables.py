"""The claims that are arithmetic on the source's tables: 1 to 4, 6 and 7."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from phasewise.reproduction.claim import Claim
from phasewise.workloads.qcd.grids import least_surface, surface_ratio
from phasewise.workloads.qcd.reproduction.published import SOURCE, Column, columns, ratios

SPINOR = 192
"""Bytes of a whole spinor in double precision."""
HOPPINGS = 4
"""Products with the hopping matrix in a CG iteration."""

WORKING_SET = 4 * 144 + 192
"""Bytes that a product with the hopping matrix reads and writes per site: links, and spinors of
both parities.
"""
CACHE = 4.5e6
"""Cache of a core [B]: "9 MByte per dual core chip"."""

SENDRECV = {"altix-4700": (0.25e-3, 276e6), "altix-dense": (0.21e-3, 158e6)}
"""Latency [s] and bandwidth [B/s] of a sendrecv, by machine, fitted to Tables 2 and 3."""


def claims() -> list[Claim]:
    """Claims 1 to 4, 6 and 7."""
    found = (_ratios(), _overall(), _bandwidth(), _sendrecv(), _caching(), _dense())
    return [replace(claim, arithmetic=True) for claim in found]


def _ratios() -> Claim:
    """1: the twelve ratios are those of the grids with the least surface, to the last digit."""
    found = [
        (round(surface_ratio(size, least_surface(size, cores)), 3), printed)
        for size, cores, printed in ratios()
    ]
    same = sum(ours == printed for ours, printed in found)
    return SOURCE.claim(
        "1", f"{same} of {len(found)} ratios are the source's", same == len(found),
        "min Σ 2 P/L over all process grids with even local extents.",
    )  # fmt: skip


def _overall() -> Claim:
    """2: overall = cores × compute rate × (1 - overhead) within 2 % in each column."""
    errors = [
        column.overall / (column.cores * column.compute * (1 - column.overhead)) - 1
        for column in columns()
    ]
    worst = max(map(abs, errors))
    return SOURCE.claim(
        "2", f"{len(errors)} columns, off by up to {100 * worst:.1f} %", worst <= 0.02,
        "cores × compute rate × (1 - overhead), whose numbers are printed with two digits or more.",
    )  # fmt: skip


def message_bytes(column: Column) -> float:
    """Bytes that a process sends and receives in an iteration with whole spinors: 768 B times the
    surface to volume ratio times the local volume.
    """
    ratio = surface_ratio(column.size, least_surface(column.size, column.cores))
    both_ways = 2 * HOPPINGS * SPINOR / 2
    return both_ways * ratio * math.prod(column.size) / column.cores


def bandwidth(column: Column) -> float:
    """The bandwidth [B/s] at which these bytes are moved in the time that the source's messages
    take.
    """
    return message_bytes(column) / (column.overhead * column.iteration_seconds)


def _bandwidth() -> Claim:
    """3: these bytes are 0.92 to 1.13 of bandwidth × overhead × time of an iteration."""
    shares = [
        message_bytes(column) / (column.bandwidth * column.overhead * column.iteration_seconds)
        for column in columns()
    ]
    low, high = min(shares), max(shares)
    return SOURCE.claim(
        "3", f"768 B × ratio × local volume is {low:.2f} to {high:.2f} of what the source moves",
        round(low, 2) >= 0.92 and round(high, 2) <= 1.13,
        "The source's bandwidth × overhead × time of an iteration; clover, whole spinors.",
    )  # fmt: skip


def sendrecv_seconds(column: Column, sendrecv: tuple[float, float] | None = None) -> float:
    """Time that an iteration spends in sendrecvs [s], of which there are two per axis and product
    with the hopping matrix; sendrecv: latency and bandwidth instead of the machine's.
    """
    latency, bandwidth = sendrecv or SENDRECV[column.machine]
    number, moved = _sendrecvs(column)
    return number * latency + moved / bandwidth


def _sendrecvs(column: Column) -> tuple[int, float]:
    """The number of sendrecvs in an iteration, and the bytes that a process sends in them."""
    grid = least_surface(column.size, column.cores)
    volume = math.prod(column.size) // column.cores
    faces = [volume * p // extent for p, extent in zip(grid, column.size, strict=True) if p > 1]
    return 2 * HOPPINGS * len(faces), 2 * HOPPINGS * sum(SPINOR * face / 2 for face in faces)


def fitted_sendrecv(own: Sequence[Column]) -> tuple[float, float]:
    """The latency and bandwidth that minimise the relative errors of the time in messages."""
    seconds = np.array([column.overhead * column.iteration_seconds for column in own])
    parts = np.array([_sendrecvs(column) for column in own]) / seconds[:, None]
    latency, inverse = np.linalg.lstsq(parts, np.ones(len(own)), rcond=None)[0]
    return float(latency), float(1 / inverse)


def _sendrecv() -> Claim:
    """4: the time in messages is that of sendrecvs, within 13 % in Table 2 and 7 % in Table 3."""
    worst = {}
    for number, allowed in ((2, 0.13), (3, 0.07)):
        errors = [
            sendrecv_seconds(column) / (column.overhead * column.iteration_seconds) - 1
            for column in columns()
            if column.table == number
        ]
        worst[number] = (max(map(abs, errors)), allowed)
    words = ", ".join(f"{100 * error:.0f} % in Table {n}" for n, (error, _) in worst.items())
    return SOURCE.claim(
        "4", f"off by up to {words}", all(error <= allowed for error, allowed in worst.values()),
        "0.25 ms + s/(276 MB/s) and 0.21 ms + s/(158 MB/s), fitted to these tables.", fitted=True,
    )  # fmt: skip


def _caching() -> Claim:
    """6: on the Altix every domain whose hopping matrix fits in a core's cache is computed faster
    than every one that does not fit.
    """
    own = [column for column in columns() if column.machine == "altix-4700"]
    fits = {column: math.prod(column.size) / column.cores * WORKING_SET <= CACHE for column in own}
    slowest = min(column.compute for column in own if fits[column])
    fastest = max(column.compute for column in own if not fits[column])
    first = min(column.cores for column in own if column.table == 2 and fits[column])
    rates = {column.cores: column.compute for column in own if column.table == 2}
    return SOURCE.claim(
        "6",
        f"{rates[first] / rates[64]:.2f} times the rate of 64 cores on {first}, the first to fit; "
        f"{slowest / 1e6:.0f} Mflop/s or more where it fits, {fastest / 1e6:.0f} or less elsewhere",
        slowest > fastest,
        f"{WORKING_SET} B a site: links and two spinors; the source's 9 MB belong to two cores.",
    )


def _dense() -> Claim:
    """7: compute rates of Table 3 over those of Table 2: 64 % at 64 cores, 79 % at 1024."""
    rate = {(column.table, column.cores): column.compute for column in columns()}
    shares = {cores: rate[3, cores] / rate[2, cores] for cores in (64, 1024)}
    words = ", ".join(f"{100 * share:.0f} % on {cores} cores" for cores, share in shares.items())
    holds = [round(100 * share) for share in shares.values()] == [64, 79]
    return SOURCE.claim("7", words, holds, "The ratio of both tables' compute rates.")
