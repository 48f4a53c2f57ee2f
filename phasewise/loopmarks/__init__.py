"""Shows which loops of a source file gcc vectorised, divided among threads or unrolled, and why it
did not vectorise the others.

The marks are those of Cray's loopmark listings (Worley, "Cray X1 Optimization: A Customer's
Perspective", CUG 2004, slides "Loopmarks from original version" and "EVH1: riemann template").
"""
