"""Errors a person can do something about: one sentence each, and the exit status they end a command
with.
"""


class PhasewiseError(Exception):
    """Base of every error that is reported as one sentence, without a traceback."""

    exit_status = 1


class StudyError(PhasewiseError, ValueError):
    """Bad input: a study, a deck or an option that cannot be used as given."""

    exit_status = 2


class RunError(PhasewiseError, RuntimeError):
    """A run that was started from good input and failed."""

    exit_status = 1
