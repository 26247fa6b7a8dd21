"""Hostile input for every reader and for the command line: what `scripts/fuzz.py` is made of."""
