"""Stands for the compiled core: importing it gives the module that `phasewise.compiled` chooses."""

import sys

from phasewise.compiled import load

sys.modules[__name__] = load()
