"""Random studies on several ranks: the same bits as on one, and the messages of the plan.

    mpiexec -n RANKS python -m benchmarks.torture.studies FOLDER WAY THREADS DEVICE SEED…

Each rank writes what it found of each study, one JSON object a line, into a file of the folder.
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
from phasewise.errors import PhasewiseError, RunError
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


def look_at(seed: int, folder: Path, tally: Tally) -> None:
    """Run one study in all ways, and count what came of each."""
    expected = _run(seed, ALONE, folder)
    for case in CASES:
        found = _run(seed, case, folder)
        what = f"study {seed} on {case}"
        if isinstance(found, str) or isinstance(expected, str):
            same = found == expected
            tally.add("refused" if same and isinstance(found, str) else f"wrong: {found}", what)
        elif plans := [one["plan"] for one in found if one["plan"]]:
            tally.add(f"wrong: record (messages, bytes) and plan: {plans[0]}", what)
        elif found[0]["digest"] != expected[0]["digest"]:
            tally.add("wrong: other bits than on one rank", what)
        else:
            tally.add("same", what)


def _run(seed: int, case: tuple[int, int, int, str], folder: Path) -> list[dict[str, Any]] | str:
    """What the ranks found, rank by rank, or the sentence that they ended with."""
    ranks, way, threads, device = case
    out = folder / f"{seed}-{ranks}-{way}-{threads}-{device}"
    out.mkdir()
    words = [str(out), str(way), str(threads), device, str(seed)]
    program = [sys.executable, "-m", "benchmarks.torture.studies", *words]
    command, environment = launch_command(program, ranks, threads)
    try:
        subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT:g} s"
    found = [json.loads((out / str(k)).read_text() or "{}") for k in range(ranks)]
    sentences = [one["failed"] for one in found if "failed" in one]
    if sentences:
        return str(sentences[0])
    return found if all("digest" in one for one in found) else "a rank that died"


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
    got, due = wrong.get("luminosity", (None, None))
    if due is not None and (got is None or got[1] < due[1]):
        del wrong["luminosity"]
    return wrong


def _look(study: Study, threads: int, device: str) -> dict[str, Any]:
    """The digest of all records and particles of the turns before a fault, and the differences
    from the plan.
    """
    run = phasewise.Simulation(study, threads)
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
        size = int(study.communication.to_table().get("node_size") or run.comm.size())
        expected = planned(study, size, run.turn, dict(run.driver.pieces()))
        compared = repr(wrong) if (wrong := differences(recorded, expected)) else ""
        if compared:
            break
    return {"digest": digest.hexdigest(), "plan": compared, "device": device}


def main() -> None:
    """Run the studies of the command line in these ranks."""
    folder, way, threads, device, *seeds = sys.argv[1:]
    core = load_core()
    with (Path(folder) / str(core.rank())).open("w") as out:
        for seed in map(int, seeds):
            tables = drawn(seed) | {"communication": ways(seed, int(way))}
            if device != "cpu":
                tables["run"] = {"device": device}
            try:
                study = Study.from_dict(tables, Path())
                study.check_ranks(core.size())
                found = _look(study, int(threads), device)
            except (PhasewiseError, RunError) as error:
                found = {"failed": str(error)}
            out.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
