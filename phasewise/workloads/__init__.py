"""Workloads: what each of them declares, how they are found, and one folder for each."""
