"""Recording any MPI program: the recorder built, a command run under it, what it left read."""
