"""Runs that are killed, files whose bits flip, and inputs that are mutated: `make torture`."""
