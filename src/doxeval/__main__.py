"""`python -m doxeval`."""

from doxeval.cli import main

main(prog_name="doxeval")
