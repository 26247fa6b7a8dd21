"""The command line: one file per verb.

`main.py` is the command itself, `output.py` prints, `exit_codes.py` decides how a command ends.
`main` is loaded when it is first used, so that signals can be handled before anything is imported.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = ["VERBS", "main"]

__getattr__, __dir__ = door(__name__, __file__)
