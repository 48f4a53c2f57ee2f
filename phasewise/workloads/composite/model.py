"""What a study of several workloads holds: the model of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Models:
    """The models of the parts, by the names of their workloads in the order of the ring."""

    parts: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        """An attribute that one of the models has: `study.beams`."""
        if name.startswith("_") or name == "parts":
            raise AttributeError(name)
        for model in self.parts.values():
            if hasattr(model, name):
                return getattr(model, name)
        raise AttributeError(name)


@dataclass(frozen=True)
class DerivedParts:
    """What follows from each part."""

    parts: Mapping[str, Any]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of all parts."""
        return tuple(text for part in self.parts.values() for text in part.warnings)

    def to_dict(self) -> dict[str, Any]:
        """The values in a form that JSON can hold."""
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        return parts | {"warnings": list(self.warnings)}
