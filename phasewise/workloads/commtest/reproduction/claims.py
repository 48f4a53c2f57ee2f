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
    """x9: SWAP's bandwidth is above ECHO's at every length, by MPI and by SHMEM, but for the
    longest messages of eight pairs, of which the source says the contrary.
    """
    gains = {
        (protocol, pairs, n): point.bandwidth / times[Curve(X1, pairs, ECHO, protocol)][n].bandwidth
        for protocol in (MPI, SHMEM)
        for pairs in (NEAR, MANY)
        for n, point in times[Curve(X1, pairs, SWAP, protocol)].items()
    }
    excepted = [gain for (protocol, pairs, n), gain in gains.items() if _is_excepted(pairs, n)]
    looked_at = [gain for (protocol, pairs, n), gain in gains.items() if not _is_excepted(pairs, n)]
    return (
        f"SWAP carries {min(looked_at):.2f} to {max(looked_at):.2f} times what ECHO does",
        min(looked_at) > 1.0,
        'Of the largest messages of eight pairs the source says: "MPI ECHO bandwidth exceeds MPI '
        f'SWAP bandwidth"; here SWAP carries {min(excepted):.2f} to {max(excepted):.2f} times as '
        "much, as links of the twin carry both ways at once.",
    )


def _is_excepted(pairs: str, length: int) -> bool:
    return pairs == MANY and length >= LARGEST


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
