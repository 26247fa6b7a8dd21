"""XML from untrusted sources: a hardened parser, and reading data one element at a time."""
