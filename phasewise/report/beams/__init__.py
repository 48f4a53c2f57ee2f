"""Pictures of bunches that several workloads have: histories, phase space, footprints."""
