"""Pictures and tables of a report on space charge."""
