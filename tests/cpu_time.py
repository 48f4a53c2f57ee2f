"""The CPU time of a call, without the interpreter's passes over what other tests hold."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any


def cpu_seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU time of a call in seconds, and its result.

    The garbage collector is paused: results with many parts start it, and each of its passes goes
    over all objects of the session, which takes six times as long as such a call itself.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        result = call()
        return time.process_time() - start, result
    finally:
        if collects:
            gc.enable()
