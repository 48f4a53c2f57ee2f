"""The slides' claims on POP, each with the rule that decides whether it holds. Times are
predictions, which have no noise.
"""

from __future__ import annotations

from collections.abc import Mapping

from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.ocean.grid import TENTH
from phasewise.workloads.ocean.reproduction.stages import (
    ALTIX,
    COARRAYS,
    ITERATIONS,
    LARGER,
    MESSAGES,
    MSP,
    ORIGINAL,
    SIMULATOR,
    STORES,
    VECTOR,
    Way,
)
from phasewise.workloads.ocean.reproduction.times import (
    CHARTED,
    POSTED,
    TWICE,
    Time,
    Times,
    bound_from,
    of_stage,
    posted,
)

GAIN = (4.0, 16.0)
"""What counts as about 8 times."""
INSENSITIVE = 0.05
POORLY = 1.25
"""Gains by twice as many ranks below this are poor."""
ON_X1, ON_SIMULATOR, MIDDLE = (160, 360), (64, 256), 240
"""Where communication may begin to take more than half of a timestep."""
MOST_ON_ALTIX, LITTLE = 256, 0.10
ALONE_ON_X1, ALONE_ON_SIMULATOR = 500, (640, 2560)
ASSUMED = (
    "The times to start a loop, and of one-sided messages, are assumed or fitted in the files."
)
BEGINS = "is bound by communication"


def check_claims(times: Times) -> tuple[Claim, ...]:
    """x19 to x25."""
    return (
        vector_loops(times),
        packed_messages(times),
        two_sided(times),
        coarrays(times),
        earth_simulator(times),
        altix(times),
        tenth(times),
    )


def vector_loops(times: Times) -> Claim:
    """x19: vector loops make the kernels of the baroclinic phase 4 to 16 times as fast."""
    before, after = (times[Way(stage, MSP, CHARTED)] for stage in (ORIGINAL, VECTOR))
    gain = before.loops / after.loops
    whole = before.seconds / after.seconds
    low, high = GAIN
    return CRAY_X1.claim(
        "x19",
        f"the kernels of the phase are {gain:.1f} times as fast on {CHARTED} ranks",
        low <= gain <= high,
        f"About 8 times is {low:g} to {high:g} times. The whole timestep is {whole:.2f} times as "
        f"fast, since its solver waits for messages. {ASSUMED}",
        fitted=True,
    )


def packed_messages(times: Times) -> Claim:
    """x20: packing and blocking shorten both boundary tasks, and how messages are posted changes a
    timestep by less than 5 %.
    """
    before, after = (times[Way(stage, MSP, CHARTED)] for stage in (VECTOR, MESSAGES))
    words, shorter = [], True
    for task in ("baroclinic boundary", "barotropic boundary"):
        ratio = before.task(task) / after.task(task)
        shorter = shorter and ratio > 1.0
        words.append(f"{task}: {ratio:.2f} times as fast")
    other = times[posted()].seconds / after.seconds - 1.0
    return CRAY_X1.claim(
        "x20",
        f"{'; '.join(words)}; {POSTED} changes a timestep by {100 * other:+.2f} %",
        shorter and abs(other) < INSENSITIVE,
        f"On {CHARTED} ranks, with a message for each level and field and derived types before, "
        "and one packed message for all of them after. The costs of derived types are assumed.",
        fitted=True,
    )


def two_sided(times: Times) -> Claim:
    """x21: with two-sided messages twice as many ranks gain less than 25 %."""
    own = of_stage(times, MESSAGES, MSP)
    few, many = (own[ranks] for ranks in TWICE)
    gain = few.seconds / many.seconds
    solver = many.task("solver", "barotropic boundary", "barotropic without solver")
    return CRAY_X1.claim(
        "x21",
        f"{TWICE[1]} ranks are {gain:.2f} times as fast as {TWICE[0]}",
        gain < POORLY,
        f"Poorly is less than {POORLY:g} times. On {TWICE[1]} ranks the barotropic phase takes "
        f"{_percent(solver / many.seconds)} of a timestep, with {_iterations(times)} iterations of "
        "conjugate gradients.",
    )


def coarrays(times: Times) -> Claim:
    """x22: with co-arrays communication takes more than half of a timestep from 160 to 360 ranks
    on.
    """
    own, (low, high) = of_stage(times, COARRAYS, LARGER), ON_X1
    found = bound_from(own)
    return CRAY_X1.claim(
        "x22",
        _bound_words(own, found),
        found is not None and low <= found <= high,
        f"Beyond 240 is from {low} to {high} ranks on. {_slower(own, MIDDLE)} The machine has 256; "
        f"more are those of a copy of its file with 128 nodes, which is assumed. {ASSUMED}",
        fitted=True,
    )


def earth_simulator(times: Times) -> Claim:
    """x23: the Earth Simulator is so at 128, which 64 to 256 is."""
    own, (low, high) = of_stage(times, MESSAGES, SIMULATOR), ON_SIMULATOR
    found = bound_from(own)
    return CRAY_X1.claim(
        "x23",
        _bound_words(own, found),
        found is not None and low <= found <= high,
        f"At 128 is from {low} to {high} ranks on. Some costs and rates are assumed in its file.",
        fitted=True,
    )


def altix(times: Times) -> Claim:
    """x24: the Altix is not so at 256, and one-sided messages gain less than 10 %."""
    own, stored = (of_stage(times, stage, ALTIX) for stage in (MESSAGES, STORES))
    last = own[MOST_ON_ALTIX]
    gain = last.seconds / stored[MOST_ON_ALTIX].seconds - 1.0
    return CRAY_X1.claim(
        "x24",
        f"on {MOST_ON_ALTIX} ranks communication takes {_percent(last.share)}, and one-sided "
        f"messages gain {100 * gain:.1f} %",
        last.share <= 0.5 and gain < LITTLE,
        f"Not significant is less than {_percent(LITTLE)}. Rates of its processor and the costs of "
        "its one-sided messages are assumed.",
        fitted=True,
    )


def tenth(times: Times) -> Claim:
    """x25: the solver of the grid of a tenth of a degree is bound by computation up to 500 ranks of
    the X1, and by communication on the Earth Simulator from 640 to 2560 ranks on.
    """
    on_x1 = of_stage(times, COARRAYS, LARGER, TENTH)
    beyond = of_stage(times, MESSAGES, SIMULATOR, TENTH)
    at = {ranks: one for ranks, one in on_x1.items() if ranks <= ALONE_ON_X1}
    found, (low, high) = bound_from(beyond), ALONE_ON_SIMULATOR
    computes = all(one.share <= 0.5 for one in at.values())
    words = f"{MSP}: {_percent(at[max(at)].share)} communication on {max(at)} ranks"
    return CRAY_X1.claim(
        "x25",
        f"{words}; {SIMULATOR}: {_bound_words(beyond, found)}",
        computes and found is not None and low <= found <= high,
        f"The solver alone, with {ITERATIONS[TENTH]} iterations; the slide may mean the whole "
        f"program on the Earth Simulator. From 1280 on is from {low} to {high} on. The X1 has 256 "
        "ranks; more are those of a copy of its file with 128 nodes. "
        f"{ASSUMED}",
        fitted=True,
    )


def _bound_words(own: Mapping[int, Time], found: int | None) -> str:
    shares = ", ".join(f"{ranks}: {_percent(one.share)}" for ranks, one in own.items())
    begins = f"{BEGINS} from {found} ranks on" if found else f"is not so on {max(own)} ranks"
    return f"{begins} (communication by ranks: {shares})"


def _slower(own: Mapping[int, Time], ranks: int) -> str:
    """How much longer kernels would have to take for communication to take a half, in words."""
    times = own[ranks].communicating / own[ranks].computing
    return (
        f"It would take half of a timestep at {ranks} if kernels took {times:.1f} times as long: "
        "POP has more of them than our timestep has."
    )


def _iterations(times: Times) -> int:
    way = next(way for way in times if way.grid != TENTH)
    return ITERATIONS[way.grid]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
