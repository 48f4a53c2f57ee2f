"""Workloads, one folder each."""
