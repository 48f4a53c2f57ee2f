"""What a report shows of solves: pictures and tables."""
