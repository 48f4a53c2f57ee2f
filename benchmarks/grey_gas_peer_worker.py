"""climlab's side of `grey_gas_peer`. It reads a line of JSON with the file of the columns, and then
a line for each turn, and answers each with a line of JSON. It imports nothing of phasewise.
"""

import json
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")  # of the Fortran extensions that it could have

import climlab  # noqa: E402
from climlab.radiation.greygas import GreyGas  # noqa: E402
from climlab.utils import thermo  # noqa: E402

thermo.sigma = 5.670374419e-8  # W/(m² K⁴): its own follows from older constants


def timed(work):
    """CPU seconds of a call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main():
    case = json.loads(sys.stdin.readline())
    given = np.load(case["columns"])
    columns, levels = given["temperature"].shape
    state = climlab.column_state(num_lev=levels, num_lat=columns)
    state["Tatm"][:] = given["temperature"]
    state["Ts"][:] = given["surface_temperature"][:, None]
    gas = GreyGas(state=state, absorptivity=given["absorptivity"])
    for _ in sys.stdin:
        # The matrices of the transmissivities are ready: it makes them anew where they change.
        fluxes = timed(gas._compute_fluxes)
        step = timed(gas.compute)
        matrices = timed(lambda: setattr(gas, "absorptivity", given["absorptivity"]))
        np.savez(case["fluxes"], up=gas.flux_up, down=gas.flux_down)
        print(json.dumps({"fluxes": fluxes, "step": step, "matrices": matrices}), flush=True)


if __name__ == "__main__":
    main()
