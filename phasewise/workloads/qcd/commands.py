"""Subcommands of lattice QCD."""

COMMANDS = {"gauge": ("gauge_command", "Check or convert a file with a gauge field.")}
