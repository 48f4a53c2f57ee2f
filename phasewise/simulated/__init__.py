"""Runs on simulated machines."""
