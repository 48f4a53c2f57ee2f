"""What the arguments of MPI's functions mean, as C code for their wrappers.

a0, a1, … are the arguments of a function. The standard fixes their order, and the variants for
large counts, ``MPI_X_c``, have the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Meaning:
    """The code of a wrapper.

    before: what comes before the call; instead: arguments that the library gets in the place of the
    program's; partner: the world rank that the call waits for; after: what is told of the call;
    ending: what comes when nothing more is told.
    """

    after: str = "other(&frame);"
    before: str = ""
    instead: dict[int, str] = field(default_factory=dict)
    partner: str = "NOBODY"
    ending: str = ""


SILENT = {
    f"MPI_{name}"
    for name in (
        *("Comm_rank", "Comm_size", "Comm_group", "Comm_get_name", "Comm_test_inter"),
        *("Comm_remote_size", "Comm_remote_group", "Comm_get_attr", "Comm_compare", "Attr_get"),
        *("Group_translate_ranks", "Group_free", "Group_size", "Group_rank", "Group_incl"),
        *("Initialized", "Finalized", "Query_thread", "Is_thread_main", "Get_processor_name"),
        *("Get_library_version", "Get_version", "Type_size", "Type_size_x", "Type_get_extent"),
        *("Type_extent", "Get_count", "Get_elements", "Get_elements_x", "Get_address", "Address"),
        *("Test_cancelled", "Topo_test", "Cartdim_get", "Graph_neighbors_count", "Cart_coords"),
        *("Cart_rank", "Cart_get", "Cart_shift", "Dist_graph_neighbors_count", "Win_get_group"),
        *("Win_get_attr", "Error_class", "Error_string", "Status_set_elements", "Type_commit"),
    )
}
"""Functions that only look something up: they are not wrapped, and stay as fast as they are."""

OWN = {f"MPI_{name}" for name in ("Pcontrol", "Init", "Init_thread", "Finalize", "Abort")}
OWN |= {"MPI_Session_init"}
"""Functions whose wrappers are written by hand."""


def _bytes(count: int, kind: int) -> str:
    return f"bytes_of(a{count}, a{kind})"


def _status(place: int, several: bool = False) -> tuple[str, dict[int, str]]:
    """A status of the wrapper's own where the program wants none."""
    if several:
        code = (
            f"MPI_Status own[ON_STACK], *statuses = a{place}; "
            f"if (a{place} == MPI_STATUSES_IGNORE) statuses = own_statuses(own, many);"
        )
        return code, {place: "statuses"}
    code = f"MPI_Status own = {{0}}, *status = a{place} == MPI_STATUS_IGNORE ? &own : a{place};"
    return code, {place: "status"}


def _requests_of(count: str, array: str) -> str:
    """The requests before the call, which sets the handles of those that complete to null."""
    return (
        f"const int many = {count}; Request *on_stack[ON_STACK], **requests = "
        "many > ON_STACK ? malloc(sizeof *requests * (size_t)many) : on_stack; "
        f"claim_requests(many, {array}, requests);"
    )


def _free(array: str) -> str:
    return (
        f"release_requests(many, {array}, requests);\n  if (requests != on_stack) free(requests);"
    )


def _messages() -> dict[str, Meaning]:
    found = {}
    for name in ("Send", "Bsend", "Ssend", "Rsend"):
        size, to = _bytes(1, 2), "a3, a4, a5"
        found[name] = Meaning(f"sent(&frame, {size}, {to});", partner="partner(a3, a5)")
        found["I" + name.lower()] = Meaning(f"send_posted(&frame, {size}, {to}, *a6, 0);")
        found[name + "_init"] = Meaning(f"send_posted(&frame, {size}, {to}, *a6, 1);")
    before, instead = _status(6)
    found["Recv"] = Meaning(
        "received(&frame, a3, a4, a5, status);", before, instead, "partner(a3, a5)"
    )
    found["Irecv"] = Meaning("receive_posted(&frame, a3, a4, a5, *a6, 0);")
    found["Recv_init"] = Meaning("receive_posted(&frame, a3, a4, a5, *a6, 1);")
    before, instead = _status(11)
    found["Sendrecv"] = Meaning(
        f"exchanged(&frame, {_bytes(1, 2)}, a3, a4, a8, a10, status);",
        *(before, instead, "partner(a8, a10)"),
    )
    before, instead = _status(8)
    found["Sendrecv_replace"] = Meaning(
        f"exchanged(&frame, {_bytes(1, 2)}, a3, a4, a5, a7, status);",
        *(before, instead, "partner(a5, a7)"),
    )
    size = _bytes(1, 2)
    found["Isendrecv"] = Meaning(f"exchange_posted(&frame, {size}, a3, a4, a8, a9, a10, *a11);")
    found["Isendrecv_replace"] = Meaning(
        f"exchange_posted(&frame, {size}, a3, a4, a5, a6, a7, *a8);"
    )
    size = "(int64_t)a1 * bytes_of(a2, a3)"
    found["Psend_init"] = Meaning(f"send_posted(&frame, {size}, a4, a5, a6, *a8, 1);")
    found["Precv_init"] = Meaning("receive_posted(&frame, a4, a5, a6, *a8, 1);")
    return found


def _requests() -> dict[str, Meaning]:
    found = {
        "Start": Meaning("started(&frame, 1, a0);"),
        "Startall": Meaning("started(&frame, a0, a1);"),
        "Request_free": Meaning(
            "request_freed(&frame, requests);", before=_requests_of("1", "a0"), ending=_free("a0")
        ),
        "Cancel": Meaning(before="cancelling = 1;"),
        "Request_get_status": Meaning("if (*a1) other(&frame); else polled(&frame);"),
    }
    request = _requests_of("1", "a0")
    before, instead = _status(1)
    one = "completed(&frame, requests, NULL, 1, status);"
    found["Wait"] = Meaning(one, request + before, instead, ending=_free("a0"))
    before, instead = _status(2)
    found["Test"] = Meaning(
        f"if (*a1) {one} else polled(&frame);",
        *(request + before, instead),
        ending=_free("a0"),
    )
    some = "count > 0 ? count : 0"
    for name, flag, index, status, every in (
        *(("Waitall", "1", "NULL", 2, "many"), ("Testall", "*a2", "NULL", 3, "many")),
        *(("Waitsome", "1", "a3", 4, ""), ("Testsome", "count > 0", "a3", 4, "")),
    ):
        counted = every or f"({some})"
        count = "" if every else "const int count = *a2 == MPI_UNDEFINED ? 0 : *a2; "
        before, instead = _status(status, several=True)
        found[name] = Meaning(
            f"{count}if ({flag}) completed(&frame, requests, {index}, {counted}, statuses); "
            "else polled(&frame);",
            _requests_of("a0", "a1") + before,
            instead,
            ending=_free("a1")
            + f"\n  if (statuses != own && statuses != a{status}) free(statuses);",
        )
    for name, flag, status in (("Waitany", "1", 3), ("Testany", "*a3", 4)):
        before, instead = _status(status)
        found[name] = Meaning(
            f"if ({flag} && *a2 != MPI_UNDEFINED) completed(&frame, requests, a2, 1, status); "
            f"else if ({flag}) other(&frame); else polled(&frame);",
            *(_requests_of("a0", "a1") + before, instead),
            ending=_free("a1"),
        )
    return found


def _probes() -> dict[str, Meaning]:
    found = {}
    for name, flag, status, message in (
        *(("Probe", "1", 3, "NULL"), ("Iprobe", "*a3", 4, "NULL")),
        *(("Mprobe", "1", 4, "a3"), ("Improbe", "*a3", 5, "a4")),
    ):
        before, instead = _status(status)
        partner = "partner(a0, a2)" if flag == "1" else "NOBODY"
        after = f"if ({flag}) probed(&frame, a2, status, {message}); else polled(&frame);"
        found[name] = Meaning(after, before, instead, partner)
    before, instead = _status(4)
    found["Mrecv"] = Meaning(
        "message_received(&frame, message, status, NULL);",
        *("const MPI_Message message = *a3; " + before, instead),
    )
    found["Imrecv"] = Meaning(
        "message_received(&frame, message, NULL, a4);", before="const MPI_Message message = *a3;"
    )
    return found


def _made() -> dict[str, Meaning]:
    """Communicators and windows that a call makes, and what ends or names them."""
    found = {}
    for name, parent, made in (
        *(("Comm_dup", "a0", 1), ("Comm_dup_with_info", "a0", 2), ("Comm_create", "a0", 2)),
        *(("Comm_create_group", "a0", 3), ("Comm_split", "a0", 3), ("Comm_split_type", "a0", 4)),
        *(("Cart_create", "a0", 5), ("Cart_sub", "a0", 2), ("Graph_create", "a0", 5)),
        *(("Dist_graph_create", "a0", 8), ("Dist_graph_create_adjacent", "a0", 9)),
        *(("Intercomm_create", "a0", 5), ("Intercomm_merge", "a0", 2)),
        *(("Comm_accept", "a3", 4), ("Comm_connect", "a3", 4)),
        *(("Comm_spawn", "a5", 6), ("Comm_spawn_multiple", "a6", 7)),
    ):
        found[name] = Meaning(
            f"communicator_made(&frame, parent, *a{made});",
            before=f"const uint64_t parent = parent_of({parent});",
        )
    for name, made, request in (("Comm_idup", 1, 2), ("Comm_idup_with_info", 2, 3)):
        found[name] = Meaning(
            f"communicator_promised(&frame, parent, *a{made}, *a{request});",
            before="const uint64_t parent = parent_of(a0);",
        )
    for name in ("Comm_free", "Comm_disconnect"):
        found[name] = Meaning(before="freed(HANDLE(*a0), 0);")
    found["Comm_set_name"] = Meaning("named(&frame, a0, a1);")
    for name, made in (
        *(("Win_create", 5), ("Win_allocate", 5), ("Win_allocate_shared", 5)),
        ("Win_create_dynamic", 2),
    ):
        found[name] = Meaning(f"window_made(&frame, *a{made});")
    found["Win_free"] = Meaning(before="freed(HANDLE(*a0), 1);")
    return found


def _one_sided() -> dict[str, Meaning]:
    found = {}
    size = _bytes(1, 2)
    for name, out, into, window in (
        *(("Put", size, "0", 7), ("Get", "0", size, 7), ("Accumulate", size, "0", 8)),
    ):
        code = f"one_sided(&frame, {out}, {into}, a3, a{window});"
        found[name] = found["R" + name.lower()] = Meaning(code)
    # MPI_NO_OP sends nothing, and its type need not be one.
    out = f"a10 == MPI_NO_OP ? 0 : {size}"
    both = f"one_sided(&frame, {out}, {_bytes(4, 5)}, a6, a11);"
    found["Get_accumulate"] = found["Rget_accumulate"] = Meaning(both)
    found["Fetch_and_op"] = Meaning(
        "one_sided(&frame, a5 == MPI_NO_OP ? 0 : size_of(a2), size_of(a2), a3, a6);"
    )
    found["Compare_and_swap"] = Meaning("one_sided(&frame, size_of(a3), size_of(a3), a4, a6);")
    for name, target, window in (
        *(("Win_fence", "NOBODY", 1), ("Win_lock", "a1", 3), ("Win_unlock", "a0", 1)),
        *(("Win_lock_all", "NOBODY", 1), ("Win_unlock_all", "NOBODY", 0)),
        *(("Win_flush", "a0", 1), ("Win_flush_all", "NOBODY", 0), ("Win_flush_local", "a0", 1)),
        *(("Win_flush_local_all", "NOBODY", 0), ("Win_post", "NOBODY", 2)),
        *(("Win_start", "NOBODY", 2), ("Win_complete", "NOBODY", 0), ("Win_wait", "NOBODY", 0)),
        ("Win_sync", "NOBODY", 0),
    ):
        found[name] = Meaning(f"at_window(&frame, {target}, a{window});")
    found["Win_test"] = Meaning("if (*a1) at_window(&frame, NOBODY, a0); else polled(&frame);")
    return found


def _files() -> dict[str, Meaning]:
    found = {}
    for verb, code in (
        ("write", "of_file(&frame, {0}, 0);"),
        ("read", "of_file(&frame, 0, {0});"),
    ):
        for suffix, count in (
            *(("", 2), ("_all", 2), ("_shared", 2), ("_ordered", 2), ("_at", 3), ("_at_all", 3)),
            *(("_all_begin", 2), ("_ordered_begin", 2), ("_at_all_begin", 3)),
        ):
            told = Meaning(code.format(_bytes(count, count + 1)))
            found[f"File_{verb}{suffix}"] = found[f"File_i{verb}{suffix}"] = told
    return found


def plain_calls() -> dict[str, Meaning]:
    """The meaning of all functions but the collectives, by their names without ``MPI_``."""
    return {
        **_messages(),
        **_requests(),
        **_probes(),
        **_made(),
        **_one_sided(),
        **_files(),
    }
