"""Runs Veros for benchmarks/veros_peer.py, in an environment of its own: an ocean all of sea on a
sphere between two latitudes, with walls in the south and the north.

Terms that Veros can switch off are off: TKE, EKE, internal waves, neutral diffusion, and the
bookkeeping of energy. It keeps a linear equation of state, centred advection, Coriolis' force,
friction and mixing along x, y and z, implicit along z, wind, bottom friction, and the implicit free
surface. Numbers of timesteps come on standard input; after each, a JSON object goes to standard
output, with the seconds of a timestep and of its solves.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from veros import VerosSetup, veros_routine
from veros.core.operators import at, update
from veros.core.operators import numpy as npx

GIVEN = json.loads(sys.argv[1])


class Sea(VerosSetup):  # type: ignore[misc]
    """The setup; GIVEN has the same numbers as the study of phasewise."""

    @veros_routine
    def set_parameter(self, state: Any) -> None:
        settings = state.settings
        settings.nx, settings.ny, settings.nz = GIVEN["grid"]
        settings.dt_mom = settings.dt_tracer = GIVEN["timestep"]
        settings.runlen = 0.0
        settings.x_origin, settings.y_origin = 0.0, GIVEN["south"]
        settings.coord_degree = settings.enable_cyclic_x = True
        settings.enable_streamfunction = False
        settings.enable_conserve_energy = False
        settings.eq_of_state_type = 1
        settings.enable_hor_friction = settings.enable_hor_diffusion = True
        settings.A_h, settings.K_h = GIVEN["viscosity"], GIVEN["diffusivity"]
        settings.enable_implicit_vert_friction = True
        settings.kappaM_0 = GIVEN["vertical_viscosity"]
        settings.kappaH_0 = GIVEN["vertical_diffusivity"]
        settings.enable_bottom_friction = True
        settings.r_bot = GIVEN["drag"]

    @veros_routine
    def set_grid(self, state: Any) -> None:
        variables = state.variables
        variables.dxt = update(variables.dxt, at[...], GIVEN["dx"])
        variables.dyt = update(variables.dyt, at[...], GIVEN["dy"])
        variables.dzt = npx.array(GIVEN["thicknesses"][::-1])

    @veros_routine
    def set_coriolis(self, state: Any) -> None:
        variables, settings = state.variables, state.settings
        sine = npx.sin(variables.yt[None, :] / 180.0 * settings.pi)
        variables.coriolis_t = update(variables.coriolis_t, at[:, :], 2 * settings.omega * sine)

    @veros_routine
    def set_topography(self, state: Any) -> None:
        variables = state.variables
        variables.kbot = update(variables.kbot, at[...], 1)

    @veros_routine
    def set_initial_conditions(self, state: Any) -> None:
        variables = state.variables
        cosine = npx.cos(variables.yt / 180.0 * state.settings.pi)[None, :, None] ** 2
        warm = 2.0 + 22.0 * cosine * npx.exp(variables.zt / 800.0)[None, None, :]
        salty = 34.7 + 0.8 * cosine * npx.exp(variables.zt / 500.0)[None, None, :]
        variables.temp = update(variables.temp, at[...], (warm * variables.maskT)[..., None])
        variables.salt = update(variables.salt, at[...], (salty * variables.maskT)[..., None])
        share = (variables.yt - GIVEN["south"]) / (GIVEN["dy"] * GIVEN["grid"][1])
        stress = -GIVEN["wind"] * npx.cos(3 * state.settings.pi * (share - 0.5))
        variables.surface_taux = stress[None, :] * variables.maskU[:, :, -1]

    @veros_routine
    def set_forcing(self, state: Any) -> None:
        pass

    @veros_routine
    def set_diagnostics(self, state: Any) -> None:
        pass

    @veros_routine
    def after_timestep(self, state: Any) -> None:
        pass


def main() -> None:
    """Timesteps as they are asked for, until the input ends."""
    sea = Sea()
    sea.setup()
    for line in sys.stdin:
        timers = sea.state.timers
        before = [timers[name].total_time for name in ("main", "pressure")]
        for _ in range(int(line)):
            sea.step(sea.state)
        seconds = [
            (timers[name].total_time - earlier) / int(line)
            for name, earlier in zip(("main", "pressure"), before, strict=True)
        ]
        print(json.dumps(dict(zip(("timestep", "solve"), seconds, strict=True))), flush=True)


if __name__ == "__main__":
    main()
