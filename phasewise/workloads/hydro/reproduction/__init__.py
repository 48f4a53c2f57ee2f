"""What the slides on the Cray X1 say of EVH1, regenerated."""
