"""Subcommands, one file each with its options. Only the table in `cli` imports them."""
