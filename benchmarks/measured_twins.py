"""Machines with the curves of their simulated twins, measured on the ranks of a case and kept.

Models 4, 6 and `loads` take the times of messages from these.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.machines.measuring import measure_simulated, write
from phasewise.runs.disk import replace_text
from phasewise.simulated.many import simulator


def measured_twin(name: str, text: str | None, ranks: int, cache: Path) -> Machine:
    """The machine `name`, measured on this many simulated ranks with few sizes, unless `cache` has
    it. text: the contents of its file, if it has none. RunError if the measurement fails.
    """
    content = repr((text or load_machine(name), simulator()))
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    path = cache / f"{name}-{ranks}-{key}.toml"
    if not path.is_file():
        given = name
        if text is not None:
            described = cache / f"{name}.toml"
            replace_text(described, text)
            given = str(described)
        write(measure_simulated(given, "full", ranks, True, _silent), path)
    return load_machine(str(path))


def _silent(text: str) -> None:
    """Ignores progress."""
