"""What the slides on the Cray X1 say of POP, regenerated."""
