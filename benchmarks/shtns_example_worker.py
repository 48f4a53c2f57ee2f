"""Runs the shallow-water example of SHTns in the peers' environment, without its picture, and
prints the CPU seconds of each timestep as JSON. Its arguments are the script and the file for the
vorticity. It imports nothing of phasewise.
"""

import json
import runpy
import sys
import time
from contextlib import redirect_stdout
from unittest.mock import MagicMock

import numpy as np


class Lines:
    """Takes what the example prints, and keeps the CPU time of its line of each timestep."""

    def __init__(self):
        self.times = []

    def write(self, text):
        if text.startswith("t="):
            self.times.append(time.process_time())


def main():
    script, vorticity = sys.argv[1:]
    matplotlib = MagicMock()
    sys.modules.update({"matplotlib": matplotlib, "matplotlib.pyplot": matplotlib.pyplot})
    lines = Lines()
    with redirect_stdout(lines):
        found = runpy.run_path(script, run_name="__main__")
    np.save(vorticity, found["vrtg"])
    print(json.dumps({"seconds": np.diff(lines.times).tolist()}))


if __name__ == "__main__":
    main()
