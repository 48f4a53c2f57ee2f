"""Choosing process grid, layout and algorithms: before a run by models, or in its first turns."""
