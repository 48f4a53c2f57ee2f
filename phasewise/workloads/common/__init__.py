"""What every workload has unless its own package says otherwise."""
