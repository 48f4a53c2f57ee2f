"""The version of phasewise that is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("phasewise")
except PackageNotFoundError:
    __version__ = "0+source"
