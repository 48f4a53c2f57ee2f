"""The slides' claims on COMMTEST, each with the rule that decides whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.commtest.reproduction.times import (
    ECHO,
    FAR,
    MANY,
    MPI,
    NEAR,
    SHMEM,
    SWAP,
    X1,
    Curve,
    Times,
)

SHORT = 8192
"""Bytes up to which the source sees no significant contention."""
SIGNIFICANT = 0.1
"""Share of a lone pair's bandwidth whose loss is significant."""
LARGEST = 2**20
"""Bytes from which on a message is one of the largest."""

Finding = tuple[str, bool, str]
"""The number found, whether the claim holds, and a remark."""


def contention_of_long_messages(times: Times) -> Finding:
    """x7: eight pairs at once lose at most 10 % of a lone pair's bandwidth up to 8 kB, and more
    than that beyond.
    """
    alone, many = times[Curve(X1, FAR)], times[Curve(X1, MANY)]
    loss = {n: 1.0 - point.bandwidth / alone[n].bandwidth for n, point in many.items()}
    short = max(share for n, share in loss.items() if n <= SHORT)
    beyond = {n: share for n, share in loss.items() if n > SHORT}
    first = min((n for n, share in beyond.items() if share > SIGNIFICANT), default=None)
    start = "nowhere above 10 %" if first is None else f"above 10 % from {first} B on"
    most = _percent(max(beyond.values()))
    return (
        f"up to {_percent(short)} lost up to 8 kB, up to {most} beyond; {start}",
        short <= SIGNIFICANT and first is not None,
        f"The bandwidth of a pair of {MANY} against that of {FAR}. Four ranks share a node's "
        "adapter; what a rank alone can send is assumed in the file.",
    )


def swap_carries_more(times: Times) -> Finding:
    """x9: SWAP's bandwidth is above ECHO's at every length, by MPI and by SHMEM."""
    gains = {
        (protocol, pairs, n): point.bandwidth / times[Curve(X1, pairs, ECHO, protocol)][n].bandwidth
        for protocol in (MPI, SHMEM)
        for pairs in (NEAR, MANY)
        for n, point in times[Curve(X1, pairs, SWAP, protocol)].items()
    }
    largest = [
        gain
        for (protocol, pairs, n), gain in gains.items()
        if protocol == MPI and pairs == MANY and n >= LARGEST
    ]
    least, most = min(gains.values()), max(gains.values())
    return (
        f"SWAP carries {least:.2f} to {most:.2f} times what ECHO does",
        least > 1.0,
        'Of the largest messages of eight pairs the source says also: "MPI ECHO bandwidth exceeds '
        f'MPI SWAP bandwidth"; here SWAP carries {min(largest):.2f} to {max(largest):.2f} times as '
        "much, as links of the twin carry both ways at once.",
    )


RULES: Mapping[str, Callable[[Times], Finding]] = {
    "x7": contention_of_long_messages,
    "x9": swap_carries_more,
}


def check_claims(times: Times) -> tuple[Claim, ...]:
    """All claims of COMMTEST, which depend on assumed numbers of the machine's file."""
    claims = []
    for number, test in RULES.items():
        ours, holds, remark = test(times)
        claims.append(CRAY_X1.claim(number, ours, holds, remark, fitted=True))
    return tuple(claims)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
