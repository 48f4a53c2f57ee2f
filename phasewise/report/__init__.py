"""The report of a run: one self-contained HTML file, and its pictures as PNG."""
