"""Why gcc did not vectorise a loop, in one plain sentence, from the messages of its vectoriser."""

from __future__ import annotations

import re
from collections.abc import Sequence

from phasewise.loopmarks.loops import Loop
from phasewise.loopmarks.record import Attempt

INNER = "a loop within it is vectorised in its place"
UNROLLED = "it is unrolled completely, which leaves no loop"
LIBRARY = "a call of the library, such as memset or memcpy, stands in its place"
NOT_ASKED = "the command does not ask gcc for vectors (-O3 does)"
ABSENT = "gcc reports nothing about it: its function is not used, or is not worth the work"
UNKNOWN = "gcc says only that it could not"

_CALL = re.compile(r"statement clobbers memory: (?:[^(]*? = )?([^(=;]+) \(")
_PLAIN_NAME = re.compile(r"(?:.*::)?([A-Za-z_~]\w*)(?:<.*>)?(?:\.\w+)*$")
_TYPE = re.compile(r"no vectype for stmt: .*?scalar_type: ([^\n]+)", re.DOTALL)
_BY_HAND = re.compile(r"\bvector\(|uint(?:128|256|512)_t")

_LEAVES = "it can be left before its last iteration"
_BRANCHES = "it branches in a way that gcc cannot turn into a choice between values"
_NO_FORM = "of which gcc has no vector form here"
_VOLATILE = "it reads or writes volatile data"

_REASONS = (
    (r"number of iterations cannot be computed", "how often it runs is not known when it begins"),
    (r"inner-loop count not invariant",
     "the loop within it runs a different number of times each time"),
    (r"two or more consecutive inner loops|multiple nested loops",
     "it holds more than one loop, itself or in what it calls"),
    (r"bad data dependence|dependence distance|possible dependence",
     "an iteration reads or writes what another one may write"),
    (r"unsupported use in stmt|reduction used in loop|value used after loop|unexpected pattern|"
     r"def-use cycle",
     "an iteration needs a value that the one before it has computed"),
    (r"not profitable|never be profitable|greater or equal to the vectorization factor",
     "gcc estimates that vectors would make it slower"),
    (r"too few|too small|not enough iterations|smaller than",
     "it has fewer iterations than a vector has lanes, or hardly more"),
    (r"complicated access pattern|not suitable for (?:gather|scatter)|data ref analysis failed|"
     r"bad data access",
     "it does not go through memory in equal steps"),
    (r"relevant stmt not supported|(?<!reduc )op not supported|unsupported data-type",
     "the processor has no vector form of one of its operations"),
)  # fmt: skip
_LATE = (
    (r"no vectype for stmt", "gcc has no vectors of one of its types"),
    (r"function calls or data references that cannot be analyzed",
     "it calls a function, or reaches its data in a way that gcc cannot follow"),
    (r"bad data references", "it reaches its data in a way that gcc cannot follow"),
    (r"vectorization factor", "its types do not go together in one vector"),
    (r"bad loop form|unexpected loop form|latch block|unhandled",
     "gcc does not know a loop of its form"),
)  # fmt: skip
"""These are looked for last, because vectors too small for a type fail with the same messages."""


def reason_of(attempt: Attempt, loop: Loop) -> str:
    """Why a copy of a loop was not vectorised: the most telling message about the first size of
    vectors that gcc tried, or else about the others.
    """
    everything = [*attempt.first, *attempt.later]
    if any("control flow in loop" in m or "multiple exits" in m for m in everything):
        return _LEAVES if loop.leaves else _BRANCHES
    if any("volatile type" in m for m in everything):
        return _VOLATILE
    if called := _found(_CALL, everything):
        name = _PLAIN_NAME.match(called)
        return f"it calls {name[1] if name else 'a function'}, {_NO_FORM}"
    plain = _sentence(_REASONS, attempt.first)
    if plain is None and (kind := _found(_TYPE, attempt.first)):
        if _BY_HAND.search(kind):
            return "its statements work on vectors already"
        return f"gcc has no vectors of {kind.removeprefix('const ').strip()}"
    for reasons, messages in (
        (_LATE, attempt.first), (_REASONS, attempt.later), (_LATE, attempt.later)
    ):  # fmt: skip
        plain = plain or _sentence(reasons, messages)
    return plain or UNKNOWN


def _sentence(reasons: Sequence[tuple[str, str]], messages: list[str]) -> str | None:
    for words, sentence in reasons:
        if any(re.search(words, message) for message in messages):
            return sentence
    return None


def _found(pattern: re.Pattern[str], messages: list[str]) -> str | None:
    return next((match[1] for m in messages if (match := pattern.search(m))), None)
