"""What the slides on the Cray X1 say of load balance in CAM, regenerated."""
