"""Random studies on several ranks: the same bits as on one, and the messages of the plan.

    mpiexec -n RANKS python -m benchmarks.torture.studies FOLDER KIND SEED WAY THREADS DEVICE

Each rank writes what it found, a JSON object, into a file of the folder.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import phasewise
from benchmarks.torture.attempts import Tally
from benchmarks.torture.drawn_studies import drawn, ways
from phasewise.driver import load_core
from phasewise.errors import PhasewiseError
from phasewise.mpi.launch import launch_command
from phasewise.runs.layout import fault_of, row_layout
from phasewise.runs.views import Views
from phasewise.study import Study

CASES = (
    (1, 0, 3, "cpu"),
    (2, 1, 1, "cpu"),
    (3, 2, 2, "cpu"),
    (5, 3, 1, "cpu"),
    (3, 0, 1, "emulated"),
)
"""Ranks, way to exchange, threads, device; each is compared with one rank."""
ALONE = (1, 0, 1, "cpu")
LIMIT = 300.0
"""Seconds that a case of one study may take."""

Phases = dict[str, tuple[float, float]]


def look_at(kind: str, seed: int, folder: Path, tally: Tally) -> None:
    """Run one study in all ways, and count what came of each."""
    expected = _run(kind, seed, ALONE, folder)
    for case in CASES:
        if case[3] != "cpu" and kind != "collision":
            continue  # Only collisions alone run on a device.
        found = _run(kind, seed, case, folder)
        what = f"{kind} {seed} on {case}"
        if isinstance(found, Broken) or isinstance(expected, Broken):
            tally.add(f"wrong: {found if isinstance(found, Broken) else expected}", what)
        elif isinstance(found, Refused) or isinstance(expected, Refused):
            tally.add("refused", what)
        elif isinstance(found, str) or isinstance(expected, str):
            tally.add("failed alike" if found == expected else f"wrong: {found}", what)
        elif plans := [one["plan"] for one in found if one["plan"]]:
            tally.add(f"wrong: record (messages, bytes) and plan: {plans[0]}", what)
        elif found[0]["digest"] != expected[0]["digest"]:
            tally.add("wrong: other bits than on one rank", what)
        else:
            tally.add("same", what)


class Broken(str):
    """How a run ended that should have had a result or a sentence."""


class Refused(str):
    """Why these ranks, or this way to exchange, are refused before the first turn."""


def _run(
    kind: str, seed: int, case: tuple[int, int, int, str], folder: Path
) -> list[dict[str, Any]] | str:
    """What the ranks found, rank by rank, or the sentence that they ended with."""
    ranks, way, threads, device = case
    out = folder / f"{kind}-{seed}-{ranks}-{way}-{threads}-{device}"
    out.mkdir()
    words = [str(out), kind, str(seed), str(way), str(threads), device]
    program = [sys.executable, "-m", "benchmarks.torture.studies", *words]
    command, environment = launch_command(program, ranks, threads)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return Broken(f"no end within {LIMIT:g} s")
    files = [out / str(rank) for rank in range(ranks)]
    try:
        found = [json.loads(one.read_text()) for one in files if one.exists()]
    except ValueError:
        return Broken(f"a rank died while it wrote what it found: {done.stderr.strip()[-300:]}")
    refusals = {one.get("refused") for one in found}
    if refusals != {None}:
        return Refused(refusals.pop()) if len(refusals) == 1 else Broken(f"some refuse: {refusals}")
    sentences = {str(one["failed"]) for one in found if "failed" in one}
    if len(found) < ranks:
        return Broken(f"{ranks - len(found)} ranks died: {done.stderr.strip()[-300:]}")
    if len(sentences) > 1:
        return Broken(f"ranks end with other sentences: {sorted(sentences)}")
    return sentences.pop() if sentences else found


def planned(study: Study, ranks_of_node: int, turns: int, pieces: dict[str, float]) -> Phases:
    """Messages and bytes of each phase of this rank in so many turns."""
    core: Any = load_core()
    found: Phases = {}
    plan = core.plan(study.parameters(), core.size(), ranks_of_node, core.rank())
    for phase in plan["phases"]:
        times = pieces.get(phase.get("piece") or "", turns)
        messages, size = found.get(phase["name"], (0, 0))
        found[phase["name"]] = (
            messages + times * phase["messages"],
            size + times * phase["bytes_per_rank"],
        )
    return {name: value for name, value in found.items() if value[0]}


def differences(recorded: Phases, expected: Phases) -> dict[str, Any]:
    """The phases whose record is not their plan. Windows that lie apart have fewer rows in common,
    so that `luminosity` may send fewer bytes.
    """
    names = recorded.keys() | expected.keys()
    wrong = {n: (recorded.get(n), expected.get(n)) for n in names}
    wrong = {n: pair for n, pair in wrong.items() if pair[0] != pair[1]}
    for name in [name for name in wrong if name.endswith("luminosity")]:
        got, due = wrong[name]
        if due is not None and (got is None or got[1] < due[1]):
            del wrong[name]
    return wrong


def _look(study: Study, threads: int, device: str) -> dict[str, Any]:
    """The digest of all records and particles of the turns before a fault, and the differences
    from the plan.
    """
    run = phasewise.Simulation(study, threads)
    driver: Any = run.driver
    digest, compared = hashlib.sha256(), ""
    naming = study.workload.part(Views).naming(study)
    for _ in range(study.count):
        run.step()
        record = naming(run.driver.record())
        if fault_of(study, run.driver.record()):
            break  # a run ends here, in a turn that may have exchanged less
        for name in sorted(row_layout(study).keys() & record.keys()):
            digest.update(name.encode() + np.asarray(record[name]).tobytes())
        counted = {p["name"]: (p["messages"], p["bytes"]) for p in run.driver.phases()}
        recorded = {name: value for name, value in counted.items() if value[0]}
        size = study.communication.node_ranks or run.comm.size()
        expected = planned(study, size, run.turn, dict(driver.pieces()))
        compared = repr(wrong) if (wrong := differences(recorded, expected)) else ""
        if compared:
            break
    return {"digest": digest.hexdigest(), "plan": compared, "device": device}


def main() -> None:
    """Run the study of the command line in these ranks."""
    folder, kind, seed, way, threads, device = sys.argv[1:]
    core = load_core()
    tables = drawn(kind, int(seed)) | {"communication": ways(kind, int(seed), int(way))}
    if device != "cpu":
        tables["run"] = {"device": device}
    try:
        study = Study.from_dict(tables, Path())
        study.check_ranks(core.size())
    except PhasewiseError as error:
        found = {"refused": str(error)}
    else:
        try:
            found = _look(study, int(threads), device)
        except PhasewiseError as error:
            found = {"failed": str(error)}
    (Path(folder) / str(core.rank())).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
