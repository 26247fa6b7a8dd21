"""Building collections: from sources to a directory of columns and texts."""
