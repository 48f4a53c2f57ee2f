"""Files of gauge fields: ILDG, MILC version 5 and NERSC."""
