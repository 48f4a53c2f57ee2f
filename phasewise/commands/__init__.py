"""Subcommands, one a file with its options; nothing imports them but the table in `cli`."""
