"""Runs: the loop, what it records, its results, checkpoints, its folder and the disk."""
