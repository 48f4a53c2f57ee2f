"""Why a prediction that misses its interval is likely to be wrong, in words for a person."""

from __future__ import annotations

from phasewise.machines import Machine
from phasewise.runs.core_share import CoreShare

FEW_TURNS = 2
"""A record of this many turns or fewer consists mostly of its first turn, which is slower."""

BUSY_FILE = 0.5
"""A machine's file counts as that of a busy machine if the load average was above this for each
core.
"""


def held_up_on(machine: Machine, share: CoreShare | None) -> str | None:
    """The sentence on what held the ranks of a run up; None where nothing is known to have. The
    bandwidth of their memory tells only beside that of a machine that was measured, with as many
    ranks on a node.
    """
    if share is None:
        return None
    alike = machine.is_hardware and share.crowd <= machine.node_ranks
    return share.shortage(machine.processor.bandwidth if alike else 0.0)


def likely_cause(
    machine: Machine, share: CoreShare | None, day: str, turns: int | None = None
) -> str:
    """The first of these that holds: a disturbed run, a record of first turns only, a machine's
    file of a busy machine or of another day; otherwise the model.

    day: when the run was measured (ISO); turns: how many its record has, None if none of them is a
    first turn.
    """
    if held_up := held_up_on(machine, share):
        return held_up
    measured = machine.measured
    if not machine.is_hardware or measured is None:
        return "the model"
    if turns is not None and turns <= FEW_TURNS:
        return (
            "the first turn, which is slower than the others, is among the few turns of the record"
        )
    if measured.load > BUSY_FILE * machine.node_ranks:
        return (
            f"the machine's file was measured at a load average of {measured.load:.3g}: measure it "
            "again when the machine is quiet"
        )
    noisy = [curve for curve in machine.curves if curve.noisy]
    if noisy:
        return (
            f"{len(noisy)} of the {len(machine.curves)} curves in the machine's file are noisy, as "
            "those of a busy machine are: measure it again"
        )
    if measured.date and day and measured.date != day:
        return (
            f"the machine's file was measured on {measured.date}, another day than the run, "
            f"{day}: measure it again"
        )
    return "the model"


def wrong_prediction(
    what: str, seconds: float, ends: tuple[float, float], cause: str, unit: str
) -> str:
    """The sentence on a prediction whose interval `ends` [s] does not hold what was measured [s].

    what: whose prediction it is; unit: what was timed.
    """
    low, high = (1e3 * end for end in ends)
    return (
        f"the prediction {what} is wrong: {unit} took {1e3 * seconds:.4g} ms, outside of "
        f"{low:.4g} … {high:.4g} ms; likely cause: {cause}"
    )
