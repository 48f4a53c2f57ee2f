"""A study with every key checked and every default filled in, of any workload."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.readable import Readable, Shown
from phasewise.tables.declared import key, schema_of, values_of
from phasewise.tables.keys import Key, Schema, check_table, leaves, show, with_defaults
from phasewise.tables.merging import put
from phasewise.workload.communication import Communication
from phasewise.workload.discovery import KEY, workload_of
from phasewise.workload.interface import Derived, Workload

AUTO, CPU, CUDA, EMULATED = "auto", "cpu", "cuda", "emulated"
DEVICES = (AUTO, CPU, CUDA, EMULATED)
DEVICE_BUFFERS = (AUTO, "direct", "staged")


@dataclass(frozen=True, kw_only=True)
class Records:
    """The keys of [records] of every workload; a count of 0 stands for never."""

    every: int = key("integer", 1, least=1)
    checkpoint_every: int = key("integer", 0, least=0)
    checkpoint_minutes: float = key("number", 0.0, least=0, most=1e6, unit="minutes")


@dataclass(frozen=True, kw_only=True)
class Running:
    """The keys of [run]: where the kernels run, and how data on a device are exchanged."""

    device: str = key("word", CPU, choices=DEVICES)
    device_buffers: str = key("word", AUTO, choices=DEVICE_BUFFERS)


TITLE = Key("text", "untitled")
COUNT = Key("integer", least=1)
SEED = Key("integer", 1, least=0)
TABLE = Key("table")


def schema_for(workload: Workload) -> Schema:
    """The keys at the top level of a study of a workload."""
    return {
        "title": TITLE,
        workload.unit.many: COUNT,
        "seed": SEED,
        KEY: Key("any"),
        **workload.tables,
        "records": TABLE,
        "run": TABLE,
        "communication": TABLE,
    }


@dataclass(frozen=True, repr=False)
class Study(Readable):
    """A study; build it with ``load`` or ``Study.from_dict``.

    The attributes of its model are also attributes of the study, and so is its count under the name
    of its unit: ``study.turns``.
    """

    title: str
    count: int
    """How many turns, or whatever the workload counts."""
    seed: int
    workload: Workload
    records: Records
    running: Running
    communication: Communication
    model: Any
    """What the workload's own tables hold."""
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The tables from which it was built, as given."""
    folder: Path = field(default=Path(), compare=False, repr=False)
    """The folder that its paths are relative to."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "model" not in self.__dict__:
            raise AttributeError(name)
        return self.count if name == self.workload.unit.many else getattr(self.model, name)

    @classmethod
    def from_dict(cls, study: Mapping[str, Any], folder: str | Path = ".") -> Study:
        """A study from a dictionary shaped as the TOML file, with numbers and arrays of Python or
        NumPy.

        Args:
            study: Tables and keys as in the file.
            folder: The folder that paths in the study are relative to.

        Raises:
            StudyError: A key or a value cannot be used; one sentence says which and why.
        """
        workload, place = workload_of(study), Path(folder)
        schema = schema_for(workload)
        top = with_defaults(check_table(study, schema, ""), schema)
        unit = workload.unit.many
        if top[unit] is None:
            raise StudyError(f"{unit} is missing: every study gives it")
        records = _records(top["records"] or {}, workload)
        own = {name: value for name, value in records.items() if name in workload.records}
        return cls(
            title=top["title"],
            count=top[unit],
            seed=top["seed"],
            workload=workload,
            records=Records(**{name: records[name] for name in schema_of(Records)}),
            running=_running(top["run"] or {}),
            model=workload.read({name: top[name] for name in workload.tables}, own, place),
            communication=workload.read_communication(top["communication"] or {}, place),
            given=copy.deepcopy(dict(study)),
            folder=place,
        )

    @classmethod
    def from_stored(cls, study: Mapping[str, Any], folder: str | Path = ".") -> Study:
        """A study from the dictionary that a run has stored (`resolved`), perhaps of an earlier
        version: keys that this version lacked stand for what it did.

        Raises:
            StudyError: As `from_dict`.
        """
        return cls.from_dict(study, folder).as_in(study)

    def as_in(self, stored: Mapping[str, Any]) -> Study:
        """This study with what an earlier version did that has stored it so (`resolved`)."""
        known = dict(leaves(stored)).keys() | dict(leaves(self.given)).keys()
        former = self.workload.formerly(self.model)
        lacking = {
            key: old.value for key, old in former.items() if key not in known and old.matters
        }
        return self.replace(**lacking) if lacking else self

    def with_count(self, count: int) -> Study:
        """This study with another number of turns, or whatever it counts."""
        return dataclasses.replace(self, count=count)

    def replace(self, **changes: Any) -> Study:
        """Another study, with keys of this one changed: ``replace(turns=10, **{"ip.1.slices":
        16})``.

        A key is written with dots, as for ``--set``, and its value is one of Python or NumPy. All
        keys are checked again.

        Raises:
            StudyError: A key or a value cannot be used; one sentence says which and why.
        """
        tables = {**copy.deepcopy(dict(self.given)), self.workload.unit.many: self.count}
        for name, value in changes.items():
            put(tables, name, value)
        return Study.from_dict(tables, self.folder)

    def shown(self) -> Shown:
        """The keys that were given, each with its dots and its value as in TOML."""
        rows = [[name, show(value)] for name, value in leaves(self.given) if name != "title"]
        kind = self.workload.named
        kind = kind if isinstance(kind, str) else " and ".join(kind)
        return Shown(
            f"{self.title or 'a study'} ({kind}, {self.workload.unit.of(self.count)})",
            rows,
            note="Keys that are not listed have their defaults, which resolved() gives; derived() "
            "gives what follows.",
        )

    def check_ranks(self, ranks: int) -> None:
        """StudyError if the study does not suit a number of ranks."""
        self.workload.check_ranks(self.model, self.communication, ranks)

    @property
    def given_communication(self) -> frozenset[str]:
        """Keys of [communication] that the study gives, or that differ from their defaults."""
        now = self.communication.resolved()
        usual = self.workload.read_communication({}, Path()).resolved()
        given = (self.given.get("communication") or {}).keys()
        return frozenset(key for key in now if key in given or now[key] != usual.get(key))

    @property
    def in_threads(self) -> bool:
        """Whether the program tells MPI that it has several threads."""
        return self.workload.in_threads(self.model)

    def derive(self) -> Derived:
        """What follows from the study before it runs; `derived` gives it for JSON."""
        return self.workload.derive(self.model)

    def derived(self) -> dict[str, Any]:
        """What follows from the study before it runs, as a dictionary for JSON: sizes [m],
        beam-beam parameters, luminosities, resolution, or whatever the workload derives
        (docs/study.md). ``derived()["warnings"]`` lists what is probably not meant.
        """
        return self.derive().to_dict()

    def resolved(self) -> dict[str, Any]:
        """This study as a dictionary for JSON, shaped as the TOML file, from which ``from_dict``
        builds it again.
        """
        own = dict(self.workload.resolved(self.model))
        records = values_of(self.records)
        every = records.pop("every")
        return {
            "title": self.title,
            self.workload.unit.many: self.count,
            "seed": self.seed,
            KEY: self.workload.named,
            **own,
            "records": {"every": every} | own.get("records", {}) | records,
            "run": values_of(self.running),
            "communication": self.communication.resolved(),
        }

    def parameters(self) -> str:
        """The flat parameter text for the driver (docs/flat-parameters.md): the same study always
        gives the same bytes.
        """
        return flat_text(self._pairs())

    def _pairs(self) -> Iterator[tuple[str, Any]]:
        yield "turns", self.count  # the driver's word, whatever a workload calls them
        yield "seed", self.seed
        yield KEY, self.workload.named
        yield from self.workload.parameters(self.model)
        if self.running.device != CPU:
            yield "run.device", self.running.device
        if self.running.device_buffers != AUTO:
            yield "run.device_buffers", self.running.device_buffers
        yield from self.communication.parameters()


def _records(table: object, workload: Workload) -> dict[str, Any]:
    """The whole table [records], the workload's own keys between the neutral ones."""
    neutral = schema_of(Records)
    schema = {"every": neutral["every"], **workload.records, **neutral}
    return with_defaults(check_table(table, schema, "records"), schema)


def _running(table: object) -> Running:
    schema = schema_of(Running)
    return Running(**with_defaults(check_table(table, schema, "run"), schema))


def flat_text(pairs: Iterable[tuple[str, Any]]) -> str:
    """Flat parameters as the driver reads them, a line each."""
    return "".join(f"{name} = {_text(value)}\n" for name, value in pairs)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return " ".join(_text(v) for v in value)
    return repr(value) if isinstance(value, float) else str(value)
