"""Columns: text and records read column by column, without a Python object for every field.

`names` holds names as positions in bytes and compares them eight bytes at a time; `fields` reads
text with white space between its fields; `records` reads the fields of JSON and CSV; `frames` knows
which columns of data frames are fields.
"""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
