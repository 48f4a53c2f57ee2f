"""What the arguments of the collectives mean, as C code for their wrappers."""

from __future__ import annotations

from collections.abc import Iterator

from phasewise.recorder.meanings import Meaning

IN_PLACE = "({0} == MPI_IN_PLACE ? 0 : {1})"
OF_ROOT = "({0} < 0 || {1} == MPI_IN_PLACE ? 0 : {2})"
"""Bytes to or from a root. Between communicators they count on the side whose root is a rank."""
NONE = "(Counts){0}"


def _size(count: int, kind: int, times: str = "") -> str:
    return f"bytes_of(a{count}, a{kind})" + (f" * {times}" if times else "")


def collectives() -> dict[str, Meaning]:
    """Blocking, nonblocking and persistent collectives, by their names without ``MPI_``."""
    found: dict[str, Meaning] = {}
    for name, code, last in (*_plain(), *_counted()):
        for one, request, persistent in (
            (name, "NULL", 0),
            ("I" + name.lower(), f"a{last + 1}", 0),
            (name + "_init", f"a{last + 2}", 1),
        ):
            found[one] = Meaning(code.replace("REQUEST", f"{request}, {persistent}"))
    return found


def _plain() -> Iterator[tuple[str, str, int]]:
    """Name, code and place of the communicator, where every rank has one count.

    The bytes are those that a rank contributes, and those that it gets.
    """
    block, got = _size(2, 3), _size(1, 2)
    for name, sent, received, root, last in (
        ("Barrier", "0", "0", "", 0),
        (
            "Bcast",
            f"(is_root(a3, a4) ? {got} : 0)",
            f"(a3 < 0 || is_root(a3, a4) ? 0 : {got})",
            "a3",
            4,
        ),
        ("Reduce", f"(a5 < 0 ? 0 : {block})", f"(is_root(a5, a6) ? {block} : 0)", "a5", 6),
        *((name, block, block, "", 5) for name in ("Allreduce", "Scan", "Exscan")),
        ("Reduce_scatter_block", _size(2, 3, "own_members(a5)"), block, "", 5),
        (
            "Gather",
            OF_ROOT.format("a6", "a0", _size(1, 2)),
            f"(is_root(a6, a7) ? {_size(4, 5, 'members(a7)')} : 0)",
            *("a6", 7),
        ),
        (
            "Scatter",
            f"(is_root(a6, a7) ? {_size(1, 2, 'members(a7)')} : 0)",
            OF_ROOT.format("a6", "a3", _size(4, 5)),
            *("a6", 7),
        ),
        (
            "Allgather",
            f"(a0 == MPI_IN_PLACE ? {_size(4, 5)} : {_size(1, 2)})",
            _size(4, 5, "members(a6)"),
            *("", 6),
        ),
        (
            "Alltoall",
            f"(a0 == MPI_IN_PLACE ? {_size(4, 5)} : {_size(1, 2)}) * members(a6)",
            _size(4, 5, "members(a6)"),
            *("", 6),
        ),
    ):
        where = root or "NOBODY"
        yield name, f"collective(&frame, {sent}, {received}, {where}, a{last}, REQUEST);", last
    near = "int in, out; neighbours(a6, &in, &out); "
    for name, times in (("Neighbor_allgather", "1"), ("Neighbor_alltoall", "out")):
        both = f"{_size(1, 2, times)}, {_size(4, 5, 'in')}"
        yield name, f"{near}collective(&frame, {both}, NOBODY, a6, REQUEST);", 6


def _counted() -> Iterator[tuple[str, str, int]]:
    """The same where ranks have counts of their own."""
    for name, send, receive, sizes, root, last in (
        (
            "Gatherv",
            NONE,
            f"is_root(a7, a8) ? COUNTS(a4, a6, members(a8)) : {NONE}",
            f"{OF_ROOT.format('a7', 'a0', _size(1, 2))}, 0",
            *("a7", 8),
        ),
        (
            "Scatterv",
            f"is_root(a7, a8) ? COUNTS(a1, a3, members(a8)) : {NONE}",
            NONE,
            f"0, {OF_ROOT.format('a7', 'a4', _size(5, 6))}",
            *("a7", 8),
        ),
        (
            "Allgatherv",
            NONE,
            "COUNTS(a4, a6, members(a7))",
            f"{IN_PLACE.format('a0', _size(1, 2))}, 0",
            *("NOBODY", 7),
        ),
        (
            "Alltoallv",
            "a0 == MPI_IN_PLACE ? COUNTS(a5, a7, members(a8)) : COUNTS(a1, a3, members(a8))",
            "COUNTS(a5, a7, members(a8))",
            "0, 0",
            *("NOBODY", 8),
        ),
        (
            "Alltoallw",
            "a0 == MPI_IN_PLACE ? COUNTS_W(a5, a7, members(a8)) : COUNTS_W(a1, a3, members(a8))",
            "COUNTS_W(a5, a7, members(a8))",
            "0, 0",
            *("NOBODY", 8),
        ),
        (
            "Reduce_scatter",
            "COUNTS(a2, a3, own_members(a5))",
            NONE,
            "0, bytes_of(a2[space_of(a5)->me], a3)",
            *("NOBODY", 5),
        ),
    ):
        code = (
            f"collective_of_counts(&frame, {send}, {receive}, {sizes}, {root}, a{last}, REQUEST);"
        )
        yield name, code, last
    near = "int in, out; neighbours(a{0}, &in, &out); "
    for name, send, receive, size, last in (
        ("Neighbor_allgatherv", NONE, "COUNTS(a4, a6, in)", _size(1, 2), 7),
        ("Neighbor_alltoallv", "COUNTS(a1, a3, out)", "COUNTS(a5, a7, in)", "0", 8),
        ("Neighbor_alltoallw", "COUNTS_W(a1, a3, out)", "COUNTS_W(a5, a7, in)", "0", 8),
    ):
        code = (
            f"collective_of_counts(&frame, {send}, {receive}, {size}, 0, NOBODY, a{last}, REQUEST);"
        )
        yield name, near.format(last) + code, last
