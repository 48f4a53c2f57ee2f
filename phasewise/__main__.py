"""``python -m phasewise`` is the ``phasewise`` command."""

import sys

from phasewise.cli import main

if __name__ == "__main__":
    sys.exit(main())
