"""Ranks: starting them, how they agree and end, what they gather, signals, progress."""
