"""Columns: text files read column by column, without making a string of every field.

A run of 171,000 lines has more than a million fields. A Python object for each of them costs far
more than all the arithmetic that follows, so none are made. Three ideas do the work, and the
files of this room refer to them by name:

*Words.* Eight bytes are read at once, as one unsigned 64-bit number, at any position of the file
(`words`). A field of up to eight digits is then one word, and becomes a number by three
multiplications for all rows together; longer fields take a few more steps (`tokens`).

*Names as positions.* A name, such as a topic or a document id, stays where it is: two numbers say
where it begins and ends in the bytes of the file (`names`). A string is made only of a name that
somebody looks at.

*Keys.* To tell names apart, the words of each name are folded into one 64-bit key (`keys`). Equal
names have equal keys; sorting and searching use keys alone. Two different names could have the
same key, although this practically never happens: wherever it would matter, the words themselves
are compared afterwards, and Python's own strings are used if they differ.

A column of names is then a list of distinct names and a number for each row (`labels`). Values
that are Python objects already, as from JSON (`json_objects`), become columns by `numbering` (of
names) and `values` (of numbers); `fields` takes the fields of one record. `line_blocks` cuts files,
`ragged` reads lines with different numbers of fields.
"""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
