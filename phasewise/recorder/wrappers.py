"""The C code that is generated for one MPI library: its functions, wrappers for them, the stub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from phasewise.recorder.header import Function
from phasewise.recorder.known_meanings import meaning_of, meanings
from phasewise.recorder.meanings import OWN, SILENT, Meaning

PCONTROL = Function("MPI_Pcontrol", (("const int", ""), ("const char *", "")))
"""It takes any number of arguments: a level, and a name if the program gives one."""
STARTS = ("MPI_Init", "MPI_Init_thread", "MPI_Session_init")
"""The functions of which one comes first: with it the stub loads the recorder."""
GENERATED = "// Generated from the library's mpi.h.\n"


def functions_header(functions: Iterable[Function]) -> str:
    """``functions.h``: a number for each function, and a pointer to the library's own one."""
    listed = _all(functions)
    numbers = "".join(f"  F_{one.name},\n" for one in listed)
    pointers = "".join(f"extern {_pointer(one)};\n" for one in listed)
    return (
        f"{GENERATED}#pragma once\n#include <mpi.h>\n"
        f"enum {{\n{numbers}  FUNCTIONS\n}};\n"
        "extern const char *const function_names[FUNCTIONS];\n"
        "extern void **const function_reals[FUNCTIONS];\n"
        "extern void *const function_wrappers[FUNCTIONS];\n"
        f"{pointers}"
    )


def wrappers_source(functions: Iterable[Function]) -> str:
    """``wrappers.c``: the wrapper of each function that is not silent, and the tables of both."""
    listed, known = _all(functions), meanings()
    parts = [f'{GENERATED}#include "calls.h"\n']
    parts += [f"{_pointer(one)};\n" for one in listed]
    for one in listed:
        if one.name in OWN:
            parts.append(f"int wrapped_{one.name}({one.declared});\n")
        elif one.name not in SILENT:
            parts.append(_wrapper(one, meaning_of(one.name, known)))
    names = "".join(f'  "{one.name}",\n' for one in listed)
    reals = "".join(f"  (void **)&real_{one.name},\n" for one in listed)
    wrapped = "".join(
        "  0,\n" if one.name in SILENT else f"  (void *)wrapped_{one.name},\n" for one in listed
    )
    parts += [
        f"const char *const function_names[FUNCTIONS] = {{\n{names}}};\n",
        f"void **const function_reals[FUNCTIONS] = {{\n{reals}}};\n",
        f"void *const function_wrappers[FUNCTIONS] = {{\n{wrapped}}};\n",
    ]
    return "".join(parts)


def wrapped_arguments(functions: Iterable[Function]) -> dict[str, int]:
    """The number of arguments of each function that is wrapped."""
    return {one.name: len(one.parameters) for one in _all(functions) if one.name not in SILENT}


def stub_header(arguments: Mapping[str, int]) -> str:
    """``stub_functions.h`` for functions with these numbers of arguments: their places, and both of
    their names.
    """
    names = sorted(arguments)
    parts = [f"{GENERATED}#define PLACES {len(names)}\n"]
    parts.append("static const char *const names[PLACES] = {\n")
    parts += [f'  "{name}",\n' for name in names]
    parts.append("};\nstatic void *places[PLACES];\nstatic void *const firsts[PLACES];\n")
    for place, name in enumerate(names):
        parts += _stub(place, name, arguments[name])
    parts.append("static void *const firsts[PLACES] = {\n")
    parts += [f"  (void *)first_{name},\n" for name in names]
    parts.append("};\nstatic void *places[PLACES] = {\n")
    parts += [f"  (void *)first_{name},\n" for name in names]
    parts.append("};\n")
    return "".join(parts)


def _all(functions: Iterable[Function]) -> list[Function]:
    """The functions by name, MPI_Pcontrol among them."""
    return sorted([*functions, PCONTROL], key=lambda one: one.name)


def _pointer(one: Function) -> str:
    # The library's own MPI_Pcontrol takes any number of arguments after the level.
    declared = "const int a0, ..." if one is PCONTROL else one.declared
    return f"int (*real_{one.name})({declared})"


def _wrapper(one: Function, told: Meaning) -> str:
    """The wrapper of a function: within another call of MPI it passes on, else it records."""
    lines = [
        f"static int wrapped_{one.name}({one.declared}) {{",
        "const void* stack = __builtin_dwarf_cfa();",
        f"if (!recording || nested(stack)) return real_{one.name}({one.given()});",
        "Frame frame;",
        f"enter(&frame, F_{one.name}, __builtin_return_address(0), stack);",
        told.before,
        f"start(&frame, {told.partner});",
        f"const int result = real_{one.name}({one.given(told.instead)});",
        "stop(&frame);",
        f"if (result == MPI_SUCCESS) {{ {told.after} }} else other(&frame);",
        told.ending,
        "leave(&frame);",
        "return result;",
    ]
    return "\n  ".join(line for line in lines if line) + "\n}\n"


def _stub(place: int, name: str, arguments: int) -> Iterator[str]:
    declared = ", ".join(f"long a{k}" for k in range(arguments)) or "void"
    types = ", ".join(["long"] * arguments) or "void"
    given = ", ".join(f"a{k}" for k in range(arguments))
    begin = "load_recorder(); " if name in STARTS else ""
    kind = f"(long (*)({types}))"
    yield f"static long first_{name}({declared}) {{ return ({kind}resolved({place}))({given}); }}\n"
    # A recorder that is being loaded calls these functions itself, through the same places.
    jump = f"{begin}return ({kind}__atomic_load_n(&places[{place}], __ATOMIC_RELAXED))({given});"
    yield f"long {name}({declared}) {{ {jump} }}\n"
    yield f'long P{name}({declared}) __attribute__((alias("{name}")));\n'
