"""The workloads, a folder for each."""
