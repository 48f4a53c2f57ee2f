"""How the ranks of a run exchange their data: the resolved [communication] of any study.

docs/communication.md says what each value means. A workload's keys are the fields of a subclass
(`phasewise.tables.declared`); `node_size`, `tune` and `machine` are always among them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key, check_table, with_defaults

ROW_FIRST, COLUMN_FIRST = "row-first", "column-first"
LAYOUTS = ("random", ROW_FIRST, COLUMN_FIRST)
"""Names of the orders in which ranks get the places of a process grid."""

NODE_SIZE = Key("integer", 0, least=0, most=10**6, unit="ranks", flat=True)
"""Ranks of a node; 0: as detected."""

TUNE = Key("word", "off", choices=("off", "auto"))
""""auto": a run tries other ways to exchange, and keeps the best (phasewise.runs.tuner)."""


MACHINE = Key("text", "modern")
"""The machine for which a run chooses its process grid where that is "auto"
(phasewise.tuning.automatic): a name, or a machine's file.
"""

AUTO = "auto"
"""The process grid of a study that leaves it open."""


@dataclass(frozen=True, kw_only=True)
class Communication:
    """The methods of every workload's [communication]; subclasses hold the keys."""

    PLACING: ClassVar[tuple[str, ...]] = ("process_grid", "layout", "places", "node_size")
    """Flat keys that decide the place of each rank; they cannot change during a run."""
    ALGORITHMS: ClassVar[tuple[str, ...]] = ()
    """Keys that decide how data are exchanged; a run may change them between turns."""
    LAYOUT: ClassVar[str] = COLUMN_FIRST
    """The layout that tables show where the study has no key for it."""
    GRID: ClassVar[str] = AUTO
    """The process grid that messages show where the study has no key for it."""

    @classmethod
    def read(cls, table: object, folder: Path) -> Self:
        """The table with every default filled in; layout files are relative to the folder."""
        schema = schema_of(cls)
        values = with_defaults(check_table(table, schema, "communication"), schema)
        found = cls(**machine_in(values, folder))
        found.check()
        return found

    def check(self) -> None:
        """StudyError where keys do not suit each other."""

    def check_ranks(self, model: Any, ranks: int) -> None:
        """StudyError if model and communication do not suit a number of ranks."""

    def resolved(self) -> dict[str, Any]:
        """The table as a TOML file has it, with every default written out."""
        return values_of(self)

    def flat(self) -> Iterator[tuple[str, Any]]:
        """Keys and values for the driver, without the leading ``communication.``."""
        return flat_of(self)

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """The flat parameters: names and values."""
        for key, value in self.flat():
            yield f"communication.{key}", value

    def exchanges(self) -> str:
        """The driver's parameters of how data is exchanged, without those of the ranks' places."""
        places = {f"communication.{key}" for key in self.PLACING}
        return "".join(
            f"{name} = {int(value) if isinstance(value, bool) else value}\n"
            for name, value in self.parameters()
            if name[name.find("communication.") :] not in places
        )

    def algorithms(self) -> dict[str, Any]:
        """The keys that decide how data are exchanged, with their values, as records and summaries
        show them.
        """
        return self.tunable()

    def tunable(self) -> dict[str, Any]:
        """The keys ALGORITHMS, which a run may change while it tunes itself, with their values."""
        return {name: getattr(self, name) for name in self.ALGORITHMS}

    @classmethod
    def with_algorithms(
        cls, table: Mapping[str, Any], algorithms: Mapping[str, Any]
    ) -> dict[str, Any]:
        """`table` of [communication] with the values that `algorithms()` gave. Keys of single
        phases have dotted names, such as `reduce_row.algorithm`.
        """
        chosen = {key: value for key, value in table.items() if key != "phase"}
        phases: dict[str, dict[str, Any]] = {}
        for name, value in algorithms.items():
            phase, _, key = name.rpartition(".")
            (phases.setdefault(phase, {}) if phase else chosen)[key] = value
        return chosen | ({"phase": phases} if phases else {})

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """A copy with other values of some keys."""
        return dataclasses.replace(self, **changes)

    @property
    def priced_by_overhead(self) -> tuple[str, str] | None:
        """A key, its value, and another value from which it differs only in what its messages cost,
        all as the study writes them; None if there is no such key.
        """
        return None

    @property
    def only_measured(self) -> tuple[str, str] | None:
        """A key, its value, which neither simulations nor models have, and another value whose
        messages are the same, all as the study writes them; None if there is no such key.
        """
        return None

    @property
    def node_ranks(self) -> int:
        """Ranks of a node that the study gives; 0: as detected."""
        return int(getattr(self, "node_size", 0))

    @property
    def tunes_itself(self) -> bool:
        """Whether a run is to try other ways to exchange."""
        return getattr(self, "tune", "off") == "auto"

    @property
    def layout_text(self) -> str:
        """The layout as tables show it."""
        return str(getattr(self, "layout", self.LAYOUT))

    @property
    def grid_text(self) -> str:
        """The process grid in one word, as messages show it."""
        return str(getattr(self, "process_grid", None) or self.GRID)

    @property
    def leaves_grid_open(self) -> bool:
        """Whether the process grid is to be chosen for the number of ranks."""
        return self.grid_text == AUTO


def machine_in(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """`table` of [communication], in which the machine's file, if it names one, has its whole
    path.
    """
    name = str(table.get("machine", ""))
    file = name.endswith(".toml") or "/" in name
    return {**table, "machine": str((folder / name).resolve())} if file else dict(table)
