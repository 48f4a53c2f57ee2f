"""Workloads: the interface that each of them fills in, how they are found, and a folder for
each.
"""
