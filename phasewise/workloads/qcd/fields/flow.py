"""What is measured along the gradient flow of links."""

from __future__ import annotations

from dataclasses import dataclass

from phasewise.workloads.qcd.flow_scales import Floats, t0_of, w0_of


@dataclass(frozen=True)
class Flow:
    """Series (N+1,) after 0, 1, … N steps of the gradient flow, in lattice units.

    `energy_space` and `energy_time` are the energy density of a site, -Σ tr F F over the planes in
    space and over those of space and time; F comes from the four leaves around a site, without its
    trace. `charge` is the topological charge from the same F, `plaquette` is 1 for unit matrices.
    """

    time: Floats
    energy_space: Floats
    energy_time: Floats
    charge: Floats
    plaquette: Floats

    @property
    def energy(self) -> Floats:
        """The energy density of a site, of all planes."""
        return self.energy_space + self.energy_time

    @property
    def t0(self) -> float | None:
        """The time at which t²E rises to 0.3; None where it does not."""
        return t0_of(self.time, self.energy)

    @property
    def w0(self) -> float | None:
        """The root of the time at which t d(t²E)/dt rises to 0.3; None where it does not."""
        return w0_of(self.time, self.energy)
