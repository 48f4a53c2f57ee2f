"""What the paper on BQCD on the SGI Altix says, regenerated."""
