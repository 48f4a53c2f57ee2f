"""Rows of what a recorded program did, as in ``core/recorded/program_file.hpp``."""

from __future__ import annotations

END, SEND, SYNCHRONOUS, RECEIVE, WAIT, FIRST_COLLECTIVE = range(6)
"""Kinds of acts."""
KIND, PHASE, PEER, BYTES, TAG, REQUEST, LIST, SECOND, TEAM = range(9)
"""Columns of a row."""
BLOCKING, NEVER_AWAITED = -1, -2
"""What stands in the place of a request."""
