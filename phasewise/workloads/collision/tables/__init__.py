"""The tables of a study of colliding beams: read into a model, and from it to flat parameters."""
