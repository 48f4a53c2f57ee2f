"""The contract of the core, checked on all ranks of mpiexec; rank 0 prints how many checks held."""

from __future__ import annotations

import traceback

import phasewise._core as core
from tests.unit.core_contract import CHECKS


def main() -> None:
    for check in CHECKS.values():
        try:
            check(core)
        except BaseException:
            # Others may wait for this rank in a collective call.
            traceback.print_exc()
            core.abort(1)
    if core.rank() == 0:
        print(len(CHECKS))


main()
