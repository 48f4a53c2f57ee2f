"""The interface that every workload fills in, how workloads are found, and what they share."""
