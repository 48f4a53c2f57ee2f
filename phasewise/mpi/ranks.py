"""The ranks of a run: how they agree on an error, and how they all end when one of them fails."""

from __future__ import annotations

import contextlib
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, cast

from phasewise.driver import Communicator
from phasewise.errors import PhasewiseError, RunError
from phasewise.mpi.progress import RELAY_VARIABLE
from phasewise.output import describe, message, print_json

T = TypeVar("T")

ABORT_SECONDS = 0.2
"""Time for a failing rank's last words to leave the machine before everything is torn down."""


class AgreedError(RunError):
    """An error that all ranks raise, so that only rank 0 reports it and none is aborted."""

    def __init__(self, sentence: str, exit_status: int) -> None:
        super().__init__(sentence)
        self.exit_status = exit_status


def on_rank_zero(comm: Communicator, action: Callable[[], T]) -> T | None:
    """Run `action()` on rank 0 alone and return its result there, None elsewhere. Its error is
    raised on every rank.
    """
    return collectively(comm, action if comm.rank() == 0 else lambda: None)


def collectively(comm: Communicator, action: Callable[[], T]) -> T:
    """Run `action()` on every rank and return its result; if it fails on any rank, all raise the
    error of the lowest failing one.

    `action` itself must not communicate.
    """
    failure = b""
    result: T | None = None
    try:
        result = action()
    except PhasewiseError as error:
        if comm.size() == 1:
            raise
        failure = json.dumps([error.exit_status, str(error)]).encode()
    if comm.any(bool(failure)):
        raise _first(comm, comm.gather(failure))
    return cast(T, result)


def _first(comm: Communicator, failures: list[bytes]) -> AgreedError:
    """The error of the lowest failing rank, on every rank."""
    text = b""
    if comm.rank() == 0:
        rank, failure = next((r, f) for r, f in enumerate(failures) if f)
        status, sentence = json.loads(failure)
        text = json.dumps([status, sentence if rank == 0 else f"rank {rank}: {sentence}"]).encode()
    status, sentence = json.loads(comm.broadcast(text))
    return AgreedError(sentence, status)


def together(comm: Communicator, action: Callable[[], T], as_json: bool = False) -> T:
    """Run a command's `action()` on every rank; if anything fails, all ranks end and one reports
    why.

    On a single rank an error is raised as it is. With several ranks this ends the process: in order
    if every rank has the error, otherwise by aborting all ranks at once. The traceback is shown if
    PHASEWISE_DEBUG is set.
    """
    if comm.size() == 1:
        return action()
    try:
        return action()
    except AgreedError as error:
        if comm.rank() == 0:
            message(f"phasewise: {error}")
            if as_json:
                print_json({"error": str(error), "status": error.exit_status})
        comm.barrier()
        raise SystemExit(error.exit_status) from error
    except BaseException as error:
        _end_all(comm, error, as_json)


def _end_all(comm: Communicator, error: BaseException, as_json: bool) -> NoReturn:
    if os.environ.get("PHASEWISE_DEBUG"):
        traceback.print_exception(error)
    known = isinstance(error, PhasewiseError)
    interrupted = isinstance(error, KeyboardInterrupt)
    reason = "interrupted" if interrupted else str(error) if known else describe(error)
    phase = comm.current_phase()
    where = f" in phase {phase}" if phase else ""
    sentence = f"rank {comm.rank()} failed{where}: {reason}"
    status = error.exit_status if isinstance(error, PhasewiseError) else RunError.exit_status
    message(f"phasewise: {sentence}")
    # If `phasewise` itself started the ranks, it prints the JSON object for the first one that
    # failed.
    if as_json and RELAY_VARIABLE not in os.environ:
        with contextlib.suppress(OSError, RunError):
            print_json({"error": sentence, "status": status})
    time.sleep(ABORT_SECONDS)
    comm.abort(status)
    raise error
