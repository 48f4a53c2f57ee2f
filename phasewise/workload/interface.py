"""What a workload declares: one object `WORKLOAD` of its package `phasewise.workloads.<name>`.

That object reads the workload's own tables of a study and derives values from them. Everything else
is optional: its package fills in contracts (`phasewise.workload.interface`), in modules that are
imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key, Schema
from phasewise.workload.bunches import SharedBunch
from phasewise.workload.communication import Communication
from phasewise.workload.table import DerivedFrom, OneTable

PACKAGE = "phasewise.workloads"
COMMON = f"{PACKAGE}.common"
"""The package of what all workloads have unless they say otherwise. It may use the folders of
reports and of tuners, which this folder may not: they are higher (docs/architecture.md).
"""


@dataclass(frozen=True)
class Unit:
    """What a study counts. The plural is the study's key for the count."""

    one: str = "turn"
    many: str = "turns"

    @property
    def indefinite(self) -> str:
        """One with its article: "a turn", "an exchange"."""
        return f"{'an' if self.one[0] in 'aeiou' else 'a'} {self.one}"

    def of(self, count: int) -> str:
        """A number of them in words."""
        return f"{count} {self.one if count == 1 else self.many}"


@dataclass(frozen=True)
class Former:
    """What versions did that lacked a key whose default is now something else."""

    value: Any
    """The key's value that is what they did."""
    matters: bool = True
    """Whether this value gives a study other results than the default."""


class Derived(Protocol):
    """Values that follow from a study before it runs."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each setting that is allowed but probably a mistake."""

    def to_dict(self) -> dict[str, Any]:
        """The values in a form that JSON can hold."""


@dataclass(frozen=True)
class NothingDerived:
    """A study from which nothing follows."""

    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The values in a form that JSON can hold."""
        return {"warnings": list(self.warnings)}


def _nothing_derived(_model: Any) -> Derived:
    return NothingDerived()


def _as_ever(_model: Any) -> Mapping[str, Former]:
    return {}


Tables = Mapping[str, Any]


def _has_threads(_model: Any) -> bool:
    """What `Workload.in_threads` says of our own runs, which may have helpers beside each rank."""
    return True


def _no_bunches(_model: Any) -> tuple[SharedBunch, ...]:
    return ()


def _as_communication_says(model: Any, communication: Communication, ranks: int) -> None:
    communication.check_ranks(model, ranks)


class Part:
    """The base of contracts.

    A public name that the contract lacks, such as a misspelt one, is a TypeError when the subclass
    is defined, since nothing would ever ask for it.
    """

    MODULE: ClassVar[str] = ""
    """The module of a workload's package that fills in the contract."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def __init_subclass__(cls) -> None:
        contract = contract_of(cls)
        known = dir(contract) + list(getattr(contract, "__annotations__", ()))
        for name in vars(cls):
            if cls is not contract and not name.startswith("_") and name not in known:
                raise TypeError(
                    f"{cls.__module__}.{cls.__qualname__}.{name}: {contract.__name__} has no "
                    f"{name}, so that nothing would use it"
                )

    def overrides(self, function: Callable[..., Any]) -> bool:
        """Whether the workload has its own form of one of the contract's functions."""
        return getattr(type(self), function.__name__) is not function


P = TypeVar("P", bound=Part)


def contract_of(kind: type[Part]) -> type[Part]:
    """The contract that a class fills in."""
    return next(own for own in reversed(kind.__mro__) if issubclass(own, Part) and own is not Part)


def find_part(contract: type[P], package: str) -> type[P] | None:
    """The class by which a package fills in a contract; None if it does not.

    TypeError if the module that bears the contract's name does not fill it in.
    """
    for name in (contract.MODULE, "parts"):
        if find_spec(f"{package}.{name}") is None:
            continue
        module = import_module(f"{package}.{name}")
        for found in vars(module).values():
            if not isinstance(found, type) or not issubclass(found, contract):
                continue
            if found is not contract and found.__module__ == module.__name__:
                return found
        if name == contract.MODULE:
            raise TypeError(f"{module.__name__} has no subclass of {contract.__name__}")
    return None


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A workload: its name, its keys in a study, and functions that need no run.

    The model that `read` gives is a frozen dataclass of plain values. The other functions get it as
    an argument, and the workload's parts find it as `study.model`.
    """

    name: str
    title: str
    """Its name in texts, in the plural."""
    tables: Schema
    """Its own keys at the top level of a study, most of them tables."""
    read: Callable[[Mapping[str, Any], Mapping[str, Any], Path], Any]
    """Makes the model from its tables (None: not given), its own keys of [records] with defaults,
    and the folder that paths are relative to; StudyError if they are invalid.
    """
    resolved: Callable[[Any], Mapping[str, Any]]
    """The tables of a model, from which `read` makes it again; those of [records] too."""
    parameters: Callable[[Any], Iterable[tuple[str, Any]]]
    """The flat parameters of a model, for the driver."""
    read_communication: Callable[[object, Path], Communication]
    """The table [communication]; layout files are relative to the folder."""
    communication: Schema
    """The keys of [communication]."""
    records: Schema
    """Its own keys of [records]."""
    unit: Unit = Unit()
    unit_of: Callable[[Tables], Unit] | None = None
    """What a study counts, if its tables decide it; by default `unit`."""
    former_names: tuple[str, ...] = ()
    """Names that it had before: whoever uses one is told the present one."""
    marks: tuple[str, ...] = ()
    """Tables that mark a study as its own where the study does not name its workload."""
    derive: Callable[[Any], Derived] = _nothing_derived
    check_ranks: Callable[[Any, Any, int], None] = _as_communication_says
    """StudyError if model and communication do not suit a number of ranks."""
    needed_records: tuple[str, ...] = ()
    """Datasets at the top of records.h5 that every run of the workload has."""
    fewest_shown: int = 2
    """Fewest turns that can be shown and analysed: a simulated run of fewer keeps no records."""
    dump_folder: str = ""
    """Folder within a run's folder for the files that the part `recording` dumps beside the
    records.
    """
    study_of_folder: Callable[[Path], dict[str, Any] | None] | None = None
    """The tables of a study for a folder that stands in the place of one; None: not one of its
    own.
    """
    free_keys: str = ""
    """A pattern of the workload's keys that may change when a run is resumed, since they change no
    bit of the later results. [communication] and neutral keys may change anyway.
    """
    formerly: Callable[[Any], Mapping[str, Former]] = _as_ever
    """The keys of a model, with their dots, that earlier versions did not have and whose default is
    not what they did.
    """
    one_for_both: tuple[str, ...] = ()
    """Keys of [communication] that `phasewise predict --algorithm` sets together."""
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Its own subcommands: for each name the module of its package, and what the subcommand does.
    """
    verifies: str = ""
    """What a run checks in each turn if the study sets `verify`, as a noun in the plural. The
    record then has `wrong`, the number of those that were wrong, and `checksum`.
    """
    in_threads: Callable[[Any], bool] = _has_threads
    """Whether the program tells MPI that it has several threads."""
    bunches: Callable[[Any], tuple[SharedBunch, ...]] = _no_bunches
    """The tracked bunches of a model: the other workloads of a ring may act on them."""
    read_host: Callable[[Tables, Tables, Path], Any] | None = None
    """As `read`, for a ring in which others act on its bunches; by default `read` itself."""
    read_guest: Callable[[Tables, Tables, Path, tuple[SharedBunch, ...]], Any] | None = None
    """As `read`, for a ring in which it acts on the bunches of another; None: it cannot."""
    closed_orbit: Callable[[Any, SharedBunch], tuple[float, ...]] | None = None
    """x, px, y, py, z, δ [m, 1] at the start of what a guest does to a bunch of another, on the
    orbit that closes for it; None: the guest does not move the reference particle. StudyError if no
    orbit closes.
    """

    @classmethod
    def of_table(
        cls,
        name: str,
        title: str,
        model: type[OneTable],
        communication: type[Communication],
        **more: Any,
    ) -> Workload:
        """A workload with one table of its name, whose keys are the fields of `model`."""
        own: dict[str, Any] = {
            "tables": {name: Key("table")},
            "read": lambda tables, _records, folder: model.read(tables[name], name, folder),
            "resolved": lambda found: {name: values_of(found)},
            "parameters": lambda found: ((f"{name}.{k}", value) for k, value in flat_of(found)),
            "communication": schema_of(communication),
            "read_communication": communication.read,
            "records": {},
            "derive": DerivedFrom,
        }
        return cls(name=name, title=title, **own | more)

    def counting(self, study: Tables) -> Workload:
        """The workload with the unit that these tables of a study decide."""
        unit = self.unit if self.unit_of is None else self.unit_of(study)
        return self if unit == self.unit else replace(self, unit=unit)

    @property
    def named(self) -> str | tuple[str, ...]:
        """What a study calls it. A ring has the names of its workloads, in order."""
        return self.name

    @property
    def package(self) -> str:
        """Where its modules are."""
        return f"{PACKAGE}.{self.name}"

    @property
    def folder(self) -> Path:
        """The folder of its package."""
        return Path(str(import_module(self.package).__file__)).parent

    def part(self, contract: type[P]) -> P:
        """What the workload says for a contract; its defaults where it says nothing."""
        own = find_part(contract, self.package) or find_part(contract, COMMON) or contract
        return own(self)

    def fills(self, contract: type[Part]) -> bool:
        """Whether its package fills in a contract."""
        return find_part(contract, self.package) is not None

    def __reduce__(self) -> tuple[Callable[..., Workload], tuple[Any, Unit]]:
        return _load, (self.named, self.unit)


def load_workload(name: str) -> Workload:
    """The workload of an existing package."""
    found: Workload = import_module(f"{PACKAGE}.{name}").WORKLOAD
    return found


def _load(named: str | tuple[str, ...], unit: Unit) -> Workload:
    found = load_workload(named) if isinstance(named, str) else load_ring(named)
    return found if found.unit == unit else replace(found, unit=unit)


def load_ring(names: tuple[str, ...]) -> Workload:
    """Several workloads in one ring, in this order, as one; StudyError if they share no bunches."""
    found: Workload = import_module(f"{PACKAGE}.composite").composite_of(names)
    return found
