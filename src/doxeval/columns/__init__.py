"""Columns: text files read column by column, without making a string of every field."""
