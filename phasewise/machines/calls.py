"""What the calls that send and receive messages cost on a machine: its tables [overhead],
[exchanges] and [echoes].
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace

from phasewise.machines import schema
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import check_table


@dataclass(frozen=True)
class Overhead:
    """What a message costs its sender and its receiver each, beyond its latency [s], by the way in
    which it is sent; `round`: what a round of an exchange costs beside its messages [s];
    `collective`: what a collective call of the library costs beside its messages [s]; `threads`:
    what a message costs either end in addition if the program has told MPI of several threads [s].
    """

    two_sided: float
    persistent: float
    derived: float
    one_sided: float
    coarray: float
    shmem: float
    round: float = 0.0
    collective: float = 0.0
    # Not shown, since simulations are kept under a hash of what is shown, and `with_threads` has
    # taken it in.
    threads: float = field(default=0.0, repr=False)

    def with_threads(self, cost: float) -> Overhead:
        """The costs if MPI's own messages take `cost` [s] longer at either end."""
        kinds = ("two_sided", "persistent", "derived")
        longer = {name: getattr(self, name) + cost for name in kinds}
        return replace(self, **longer, threads=0.0)

    @property
    def kinds(self) -> tuple[float, ...]:
        """The costs of a message, in the order of core/exchange/protocol.hpp."""
        return astuple(self)[: len(schema.OVERHEADS)]


def read_overhead(table: object) -> Overhead:
    """The table [overhead] of a machine file; StudyError, one sentence, if it is wrong."""
    values = check_table(table, schema.OVERHEAD, "overhead")
    check_needed(values, schema.OVERHEAD, "overhead")
    values.setdefault("shmem", values["one-sided"])
    return Overhead(**{name.replace("-", "_"): value for name, value in values.items()})


def read_exchanges(table: object, name: str = "exchanges") -> dict[str, float]:
    """The table [exchanges] or [echoes]: seconds by protocol; StudyError, one sentence, if it is
    wrong.
    """
    seconds = check_table(table, schema.EXCHANGES, name)
    return {name: float(value) for name, value in seconds.items()}
