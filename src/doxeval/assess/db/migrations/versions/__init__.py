"""Revisions of the database, one script each, from the first to the newest."""
