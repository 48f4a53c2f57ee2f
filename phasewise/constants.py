"""Physical constants, CODATA 2018 (Tiesinga, Mohr, Newell, Taylor, Rev. Mod. Phys. 93 (2021)
025010).
"""

SPEED_OF_LIGHT = 299_792_458.0
"""m/s, exact."""

ELEMENTARY_CHARGE = 1.602176634e-19
"""C, exact."""

ELECTRON_MASS = 510_998.95000
"""eV/c²."""

PROTON_MASS = 938_272_088.16
"""eV/c²."""

CLASSICAL_ELECTRON_RADIUS = 2.8179403262e-15
"""m: e²/(4πε₀ m_e c²)."""

PARTICLES = {
    "proton": (PROTON_MASS, 1.0),
    "antiproton": (PROTON_MASS, -1.0),
    "electron": (ELECTRON_MASS, -1.0),
    "positron": (ELECTRON_MASS, 1.0),
}
"""Rest energy [eV] and charge [e] of the particles known by name."""


def classical_radius(mass: float) -> float:
    """Classical radius e²/(4πε₀ m c²) [m] of a singly charged particle of rest energy ``mass``
    [eV].
    """
    return CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / mass
