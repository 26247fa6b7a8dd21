"""XML from strangers: a hardened parser, and files of data read one element at a time."""
