"""Ranks: how they are started, agree, gather, report progress, take signals and end."""
