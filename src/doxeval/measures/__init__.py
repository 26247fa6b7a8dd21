"""Measures: one file per family; each measure is a value that explains itself."""
