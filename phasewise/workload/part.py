"""What other folders ask of a workload: contracts, each a class with typed methods and defaults.

A contract derives from `Part` and stands in the folder that asks. A workload fills it in with a
subclass, in the module of its package that `MODULE` names or in its module `parts`, and gets the
defaults of the contract where it has none. `Workload.part(Contract)` gives an instance.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from phasewise.workload.interface import Workload


class Part:
    """The base of contracts.

    Nothing would ever ask for a public name that a contract lacks, such as a misspelt one: it is a
    TypeError when the subclass is defined.
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
