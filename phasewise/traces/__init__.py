"""What ranks recorded of their communication: written, read, and analysed."""
