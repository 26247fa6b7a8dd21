"""Hostile input for every reader and for the command line: what is fed to whom.

A target is a reader with good files, the words of its format and perhaps a grammar. Hypothesis
makes inputs from them, and makes those smaller that show something (`tests/long/fuzzing`). `make
fuzz` tries fresh ones, round after round.
"""

from __future__ import annotations

from fuzzing import commands, documents, exchange, queries
from fuzzing.target import Target

TARGETS: dict[str, Target] = {
    target.name: target
    for room in (documents, exchange, queries, commands)
    for target in room.TARGETS
}
