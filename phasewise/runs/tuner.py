"""`[communication] tune = "auto"`: a run tries other ways to exchange in its first turns and
continues with the best one, like Synergia's ``auto_tune_comm``.

Process grid and layout stay, since they decide where the data are. All ways give the same bits, so
that the turns of the search count as turns of the run.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from phasewise.driver import Core
from phasewise.errors import PhasewiseError, StudyError
from phasewise.mpi.ranks import on_rank_zero
from phasewise.output import message
from phasewise.runs import choices
from phasewise.runs.choosing import Shapes, changes, nothing_to_try, study_key, tries_alone
from phasewise.runs.folder import TUNING_FILE, RunFolder
from phasewise.runs.simulation import Simulation
from phasewise.runs.trials import MAX_TURNS, WARM_UP, Halving, summary_of, turns_needed
from phasewise.study.laboratory import process_grids
from phasewise.workload.communication import Communication

Clock = Callable[[], float]


class AutoTuner:
    """Steps a simulation, at first with different ways to exchange. Every rank has one and calls
    the same methods.
    """

    def __init__(
        self,
        simulation: Simulation,
        folder: RunFolder,
        core: Core,
        resume: bool,
        clock: Clock = time.perf_counter,
    ) -> None:
        """If the study asks for it, use the choice of an earlier run or begin a search."""
        self.simulation, self._folder, self._core = simulation, folder, core
        self._given = simulation.study.communication
        self._clock = clock
        self._search: Halving | None = None
        self._queue: deque[tuple[int, bool]] = deque()
        self._mine: list[tuple[int, float]] = []
        self._now = 0
        self._place: dict[str, Any] = {}  # in the cache; on rank 0 only
        if self._given.tunes_itself and not simulation.ended:
            self._begin(resume)

    @property
    def searching(self) -> bool:
        """Whether the next turn belongs to the search."""
        return self._search is not None

    def step(self) -> None:
        """Do one turn of the simulation; collective."""
        if self._search is None:
            self.simulation.step()
            return
        number, timed = self._next()
        # The time of a turn must not include what rank 0 writes between turns.
        self._core.barrier()
        start = self._clock()
        self.simulation.step()
        seconds = self._clock() - start
        self.simulation.tuned_turns += 1
        self._search.trials[number].turns += 1
        if timed:
            self._mine.append((number, seconds))
        if not self._queue:
            self._end_round(self._search)

    def close(self) -> None:
        """If the run ends before there is a choice, record what was tried; collective."""
        if self._search is not None:
            self._keep(self._report(self._search, None, "stopped before there was a choice"))

    def _begin(self, resume: bool) -> None:
        study, core = self.simulation.study, self._core
        if core.size() == 1 and not tries_alone(study):
            return self._nothing("one rank alone sends nothing")
        if reason := nothing_to_try(study):
            return self._nothing(reason)
        facts = json.loads(self.simulation.driver.communication(False)[0])
        facts = {"place": facts["place"], "node": facts["node"]} | choices.host_facts()
        parts = [json.loads(part) for part in core.gather(json.dumps(facts).encode())]
        proposal = on_rank_zero(core, lambda: self._proposal(parts, resume))
        agreed = json.loads(core.broadcast(json.dumps(proposal).encode()))
        if agreed["kept"] is not None and self._use_kept(agreed["kept"]):
            return None
        return self._start([{}, *agreed["changes"]])

    def _proposal(self, parts: Sequence[dict[str, Any]], resume: bool) -> dict[str, Any]:
        """What may be tried, and the cached choice if any, from the facts of all ranks; on rank
        0.
        """
        shapes = process_grids(self.simulation.study, [part["place"] for part in parts])
        self._place = self._key(parts, shapes)
        nodes = len({part["node"] for part in parts})
        found = changes(self.simulation.study, shapes, 1 < nodes < len(parts))
        return {"changes": found, "kept": self._kept(resume)}

    def _key(self, parts: Sequence[dict[str, Any]], shapes: Shapes) -> dict[str, Any]:
        """The key and file under which a choice is cached; on rank 0."""
        key = {
            "machine": choices.machine_key(parts, self._core),
            "study": study_key(self.simulation.study, shapes),
            "ranks": self._core.size(),
            "threads": self.simulation.threads,
        }
        path = choices.folder() / f"{choices.digest(key)}.json"
        return {"key": key, "build": choices.build_of(self._core), "path": path}

    def _kept(self, resume: bool) -> dict[str, Any] | None:
        """The choice of this run before a resume, or of an earlier run; on rank 0."""
        paths = [self._folder.path / TUNING_FILE] if resume else []
        for path in (*paths, self._place["path"]):
            kept = choices.load(path, self._place["key"], self._place["build"])
            if kept is not None:
                return kept | {"from_cache": str(path)}
        return None

    def _use_kept(self, kept: dict[str, Any]) -> bool:
        known = self._given.tunable()
        choice = {key: value for key, value in kept["choice"].items() if key in known}
        wanted = self._given.changed(choice)
        if wanted != self._given and (reason := self._switch(wanted)):
            if self._core.rank() == 0:
                message(f'tune = "auto": the kept choice cannot be used ({reason})')
            return False
        self._keep(kept | {"turns": 0})
        return True

    def _start(self, candidates: Sequence[dict[str, Any]]) -> None:
        left = self.simulation.study.count - self.simulation.turn
        if len(candidates) < 2:
            return self._nothing("every other way sends the same messages on these ranks")
        unit = self.simulation.study.workload.unit
        budget = min(MAX_TURNS, left // 2)
        if turns_needed(2) > budget:
            least = 2 * turns_needed(2)
            few = f"{unit.of(left)} {'is' if left == 1 else 'are'} too few to try anything"
            return self._nothing(f"{few}: {least} are needed")
        self._search = Halving(candidates, budget, unit.many)
        self._fill(self._search)
        return None

    def _nothing(self, reason: str) -> None:
        if self._core.rank() == 0:
            message(f'tune = "auto": {reason}; the choice of the study stays')
        nothing: dict[str, Any] = {"choice": None, "from_cache": False, "turns": 0}
        rest = {"candidates": [], "note": reason}
        self._keep({"version": choices.VERSION} | nothing | rest)

    def _fill(self, search: Halving) -> None:
        for number, timed in search.next_round():
            self._queue.extend([(number, False)] * WARM_UP + [(number, True)] * timed)

    def _next(self) -> tuple[int, bool]:
        """Switch to the candidate of the next turn; returns it, and whether the turn is timed.

        A candidate that cannot be used leaves the queue; the baseline, which comes first, can
        always be used.
        """
        assert self._search is not None
        while True:
            number, timed = self._queue.popleft() if self._queue else (0, False)
            if number == self._now:
                return number, timed
            trial = self._search.trials[number]
            reason = self._switch(self._given.changed(trial.changes))
            if not reason:
                self._now = number
                return number, timed
            self._search.refuse(number, f"cannot be used: {reason}")
            self._queue = deque(entry for entry in self._queue if entry[0] != number)

    def _switch(self, wanted: Communication) -> str:
        """Exchange as `wanted` from now on. Returns why it cannot be used, or an empty text.
        Collective.
        """
        try:
            self.simulation.set_communication(wanted)
        except PhasewiseError as error:
            if error.exit_status != StudyError.exit_status:
                raise
            return str(error)
        return ""

    def _end_round(self, search: Halving) -> None:
        """Agree on the times of the round: a turn takes as long as on the slowest rank."""
        mine = json.dumps([seconds for _, seconds in self._mine]).encode()
        ranks = [json.loads(part) for part in self._core.gather(mine)]
        slowest = [max(turn) for turn in zip(*ranks, strict=True)]
        slowest = json.loads(self._core.broadcast(json.dumps(slowest).encode()))
        for (number, _), seconds in zip(self._mine, slowest, strict=True):
            search.trials[number].seconds.append(seconds)
        self._mine = []
        # With equal times every rank draws the same conclusions.
        search.round_done()
        if search.finished:
            self._decide(search)
        else:
            self._fill(search)

    def _decide(self, search: Halving) -> None:
        chosen = search.choice()
        wanted = self._given.changed(chosen.changes)
        if wanted != self.simulation.communication and (reason := self._switch(wanted)):
            raise StudyError(reason)
        self._search = None
        report = self._report(search, wanted, "")
        self._keep(report)
        if self._core.rank() == 0:
            choices.store(self._place["path"], report)

    def _report(self, search: Halving, wanted: Communication | None, note: str) -> dict[str, Any]:
        choice = None if wanted is None else wanted.tunable()
        chosen = None if wanted is None else search.choice()
        return {
            "version": choices.VERSION,
            "key": self._place.get("key"),
            "build": self._place.get("build"),
            "choice": choice,
            "changes": None if chosen is None else chosen.changes,
            "seconds": None if chosen is None else summary_of(chosen)["seconds"],
            "given_seconds": summary_of(search.trials[0])["seconds"],
            "from_cache": False,
            "turns": search.turns(),
            "candidates": [summary_of(trial) for trial in search.trials],
            "note": note,
        }

    def _keep(self, report: dict[str, Any]) -> None:
        on_rank_zero(self._core, lambda: self._folder.write_json(TUNING_FILE, report))
