"""What papers say, regenerated: what their pages share."""
