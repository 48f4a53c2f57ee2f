"""Errors a person can do something about: one sentence each, and the exit status they end a command
with.
"""


def printable(text: str) -> str:
    """`text` with its control characters, which would act on a terminal, written out."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


class PhasewiseError(Exception):
    """Base of every error that is reported as one sentence, without a traceback."""

    exit_status = 1

    def __init__(self, sentence: str = "") -> None:
        super().__init__(printable(sentence).replace("\n", " "))


class StudyError(PhasewiseError, ValueError):
    """Bad input: a study, a deck or an option that cannot be used as given."""

    exit_status = 2


class RunError(PhasewiseError, RuntimeError):
    """A run that was started from good input and failed."""

    exit_status = 1


class StoppedError(RunError):
    """A run or a scan that a signal stopped: the same command goes on with it."""

    exit_status = 75
    """EX_TEMPFAIL of sysexits.h, "try again later"; a job script can tell it from a failure."""


def error_of(status: int, sentence: str) -> PhasewiseError:
    """The error of a command that ended with this status and sentence."""
    kinds = (StudyError, StoppedError)
    return next((kind for kind in kinds if kind.exit_status == status), RunError)(sentence)
