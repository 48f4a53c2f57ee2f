"""The ``phasewise`` command, also as ``python -m phasewise``."""

import sys


def main() -> int:
    """Run the command line of this process; the exit status. An interrupt while it is imported ends
    it as any other does.
    """
    try:
        from phasewise.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("phasewise: interrupted\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
