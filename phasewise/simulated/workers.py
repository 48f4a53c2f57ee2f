"""Simulations in parallel processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

from phasewise.errors import RunError
from phasewise.mpi.children import end_with_parent
from phasewise.mpi.signals import unwinding

T = TypeVar("T")
R = TypeVar("R")


def in_workers(
    work: Callable[[T], R], tasks: Mapping[str, T], workers: int, name: Callable[[T], str]
) -> Iterator[tuple[str, R]]:
    """Run `work` on tasks in parallel processes, and yield the key and the result of each as it
    finishes. The first failure ends the others. work: a function of a module; name: a task in
    words, for the error if a process was killed.
    """
    if workers <= 1 or len(tasks) <= 1:
        for key, task in tasks.items():
            yield key, work(task)
        return
    with processes(min(workers, len(tasks))) as pool:
        futures: dict[Future[R], str] = {
            pool.submit(_run_apart, work, task): key for key, task in tasks.items()
        }
        for future in as_completed(futures):
            key = futures[future]
            try:
                result = future.result()
            except BrokenProcessPool:
                raise RunError(
                    f"a process that simulated {name(tasks[key])}, or another beside it, was "
                    "killed, perhaps for want of memory: use fewer workers"
                ) from None
            yield key, result


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that end with this one. They are spawned because this one may have loaded
    MPI.
    """
    context = get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent)
    try:
        with _main_left_alone():
            yield pool
    except BaseException:
        # Running workers are signalled to end, and they end their simulations.
        for process in list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Let spawned processes not import the user's script, which would run it once more in each."""
    main = vars(sys.modules["__main__"])
    kept: dict[str, Any] = {name: main[name] for name in ("__spec__", "__file__") if name in main}
    main["__spec__"] = None
    main.pop("__file__", None)
    try:
        yield
    finally:
        main.update(kept)


def _run_apart(work: Callable[[T], R], task: T) -> R:
    """Work in a worker process; an interrupt ends it and its simulation."""
    try:
        with unwinding():
            return work(task)
    except KeyboardInterrupt:
        os._exit(1)
