"""What the slides on the Cray X1 say of PSTSWM, regenerated."""
