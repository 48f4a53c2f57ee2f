"""What follows from the tables of colliding beams before a run."""
