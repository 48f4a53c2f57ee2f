"""Chooses process grid, layout and algorithms before a run, by models and verifying runs."""
