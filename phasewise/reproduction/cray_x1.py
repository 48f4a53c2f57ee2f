"""Worley, "Cray X1 Optimization: A Customer's Perspective" (CUG 2004): what its slides say about
messages, kernels, PSTSWM, EVH1, POP and CAM. Their text has none of the data in their figures.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from phasewise.reproduction.source import Source, Statement


def _read() -> Source:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    statements = {number: Statement(**one) for number, one in tables.pop("statements").items()}
    return Source(**tables, statements=statements)


CRAY_X1 = _read()
