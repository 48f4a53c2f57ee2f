"""Names of C++ functions as the source has them."""

from __future__ import annotations

import ctypes
from functools import cache

LIBRARY = "libstdc++.so.6"


def readable(symbol: str) -> str:
    """The name of a function without its parameters, from its mangled or its full name."""
    if symbol.startswith("_Z"):
        symbol = _demangled(symbol)
    return _without_parameters(symbol)


def _demangled(symbol: str) -> str:
    """The function's full name; the symbol itself where the C++ library is not there."""
    library = _library()
    if library is None:
        return symbol
    status = ctypes.c_int()
    text = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        _c().free(text)


@cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    library.__cxa_demangle.restype = ctypes.c_void_p
    return library


@cache
def _c() -> ctypes.CDLL:
    library = ctypes.CDLL(None)
    library.free.argtypes = [ctypes.c_void_p]
    return library


def _without_parameters(name: str) -> str:
    """The name up to the parentheses that end it, which may be followed by a qualifier."""
    end = name.rfind(")")
    if end < 0 or name[end + 1 :] not in ("", " const"):
        return name
    depth = 0
    for place in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(name[place], 0)
        if depth == 0:
            return name[:place] or name
    return name
