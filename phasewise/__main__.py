"""The ``phasewise`` command, also as ``python -m phasewise``."""

import sys


def main() -> int:
    """Run the command line of this process and return the exit status. An interrupt during the
    imports ends it like any other interrupt.
    """
    try:
        from phasewise.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("phasewise: interrupted\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
