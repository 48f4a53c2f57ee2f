"""The formats of gauge fields by name."""

PRECISIONS = {
    "ildg": ("single", "double"),
    "milc": ("single",),
    "nersc": ("single", "double"),
}
"""Those in which each format's files are, the best last."""
