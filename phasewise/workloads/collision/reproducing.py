"""The source paper's tables, figures and claims, for `phasewise reproduce`."""

from __future__ import annotations

from pathlib import Path

from phasewise.reproduction.claim import Reproduction
from phasewise.reproduction.reproducing import Reproducing
from phasewise.workloads.collision.reproduction.contents import make_page, notes_on, summarise
from phasewise.workloads.collision.reproduction.extent import FULL, QUICK
from phasewise.workloads.collision.reproduction.gains import check_claims
from phasewise.workloads.collision.reproduction.plans import make_plans
from phasewise.workloads.collision.reproduction.results import gather

SIMULATIONS = "simulations"
"""The folder in which simulations are cached."""


class CollisionReproducing(Reproducing):
    """What it reproduces."""

    SOURCE = "beam-beam"
    """Its name in `--source`."""

    def reproduce(self, out: Path, quick: bool, workers: int) -> Reproduction:
        """Simulate, and write the page with its pictures into `out`; workers: simulations at a
        time.
        """
        plans = make_plans()
        results = gather(QUICK if quick else FULL, out / SIMULATIONS, workers)
        claims = tuple(check_claims(plans, results))
        page = make_page(plans, results, claims, out)
        return Reproduction(claims, summarise(claims, results, quick), page, notes_on(results))
