"""Scans: a study at many values of its keys and with many seeds, each point a run of its own."""
