"""The functions of an MPI library, read from its own ``mpi.h``."""

from __future__ import annotations

import re
from dataclasses import dataclass

NESTED = r"(?:[^()]|\([^()]*\))*"
DECLARATION = re.compile(rf"\bint\s+(MPI_[A-Z]\w*)\s*\(({NESTED})\)\s*;")
PARAMETER = re.compile(r"(.*?)(\w+)?((?:\[[^\]]*\])*)")
CONVERSIONS = re.compile(r"_(f2c|c2f|f082c|c2f08|fromint|toint|f082f|f2f08)$")


@dataclass(frozen=True)
class Function:
    """A function that returns an ``int``, as ``mpi.h`` declares it: the types of its parameters
    before and after their names.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]

    @property
    def declared(self) -> str:
        """The parameters, named a0, a1, …, as in a declaration."""
        listed = (f"{kind} a{k}{array}" for k, (kind, array) in enumerate(self.parameters))
        return ", ".join(listed) or "void"

    def given(self, instead: dict[int, str] | None = None) -> str:
        """The parameters as a call passes them on; `instead`: others at some places."""
        return ", ".join((instead or {}).get(k, f"a{k}") for k in range(len(self.parameters)))


def functions_of(preprocessed: str) -> list[Function]:
    """The functions that a preprocessed ``mpi.h`` declares, by name.

    Left out are conversions of handles, the tool interface, and what takes any number of arguments
    or returns no integer.
    """
    text = re.sub(r"^#.*$", "", preprocessed, flags=re.MULTILINE)
    text = re.sub(rf"__attribute__\s*\(\({NESTED}\)\)", "", text)
    text = re.sub(r"\s+", " ", text)
    found: dict[str, Function] = {}
    for name, given in DECLARATION.findall(text):
        parameters = _split(given.strip())
        wanted = "..." not in parameters and not name.startswith("MPI_T_")
        if wanted and not CONVERSIONS.search(name):
            found.setdefault(name, Function(name, tuple(map(_parameter, parameters))))
    return [found[name] for name in sorted(found)]


def _split(parameters: str) -> list[str]:
    """The parameters between commas, except those within brackets."""
    if parameters in ("", "void"):
        return []
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _parameter(text: str) -> tuple[str, str]:
    """The type of a parameter before its name, and after it."""
    found = PARAMETER.fullmatch(text)
    assert found is not None
    kind, name, array = found[1].strip(), found[2], found[3]
    # A parameter may have no name, as MPI_Comm in "int MPI_Comm_free(MPI_Comm *)".
    return (kind, array) if kind else (name or "", array)
