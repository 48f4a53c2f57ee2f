"""What the functions of MPI do, by their names without ``MPI_`` and ``_c``."""

from __future__ import annotations

MESSAGES, COLLECTIVES, ONE_SIDED, FILES = "messages", "collectives", "one-sided", "files"
"""Groups of functions. In all but the first the library chooses the messages."""

SENDS = {"Send", "Bsend", "Ssend", "Rsend"}
EXCHANGES = {"Sendrecv", "Sendrecv_replace"}
RECEIVES = {"Recv", "Mrecv"}
POSTED_SENDS = {"Isend", "Ibsend", "Issend", "Irsend"}
POSTED_EXCHANGES = {"Isendrecv", "Isendrecv_replace"}
POSTED_RECEIVES = {"Irecv", "Imrecv"}
STARTS = {"Start", "Startall"}
COMPLETIONS = {"Wait", "Test", "Waitany", "Testany", "Waitall", "Testall", "Waitsome", "Testsome"}
PROBES = {"Probe", "Iprobe", "Mprobe", "Improbe"}
PERSISTENT = {
    *("Send_init", "Bsend_init", "Ssend_init", "Rsend_init", "Recv_init"),
    *("Psend_init", "Precv_init"),
}
OTHER_REQUESTS = {"Request_free", "Request_get_status", "Cancel"}
POINT_TO_POINT = {
    *SENDS, *EXCHANGES, *RECEIVES, *POSTED_SENDS, *POSTED_EXCHANGES, *POSTED_RECEIVES, *STARTS,
    *COMPLETIONS, *PROBES, *PERSISTENT, *OTHER_REQUESTS,
}  # fmt: skip
ONE_SIDED_CALLS = {
    *("Put", "Get", "Accumulate", "Rput", "Rget", "Raccumulate", "Get_accumulate"),
    *("Rget_accumulate", "Fetch_and_op", "Compare_and_swap"),
}
NOT_FOLLOWED = {
    "Comm_spawn": "ranks that MPI_Comm_spawn started",
    "Comm_spawn_multiple": "ranks that MPI_Comm_spawn_multiple started",
    "Comm_accept": "ranks that MPI_Comm_accept connected",
    "Comm_connect": "ranks that MPI_Comm_connect connected",
    "Session_init": "communicators of sessions",
}
"""Functions with which a program reaches ranks that are not recorded, and what is missing then."""


def plain(name: str) -> str:
    """The name of a function without ``MPI_`` and ``_c``."""
    return name.removeprefix("MPI_").removesuffix("_c")


def group_of(name: str) -> str:
    """The group of a function, given by its plain name."""
    if name in POINT_TO_POINT:
        return MESSAGES
    if name in ONE_SIDED_CALLS or name.startswith("Win_"):
        return ONE_SIDED
    return FILES if name.startswith("File_") else COLLECTIVES
