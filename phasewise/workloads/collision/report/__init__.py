"""Pictures and tables of colliding beams in a report."""
