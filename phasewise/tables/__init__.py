"""Tables of TOML: read, checked against the keys they may hold, merged, and written."""
