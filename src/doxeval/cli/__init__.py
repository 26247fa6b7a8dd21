"""The command line: one file per verb.

`verbs.py` is the command itself, `terminal.py` prints, `ending.py` decides how a command ends.
`main` is loaded when it is first used, so that signals can be handled before anything is imported.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes longer to import
if TYPE_CHECKING:
    from typing import Any

    from doxeval.cli.verbs import VERBS, main

__all__ = ["VERBS", "main"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'doxeval.cli' has no attribute {name!r}")
    from doxeval.cli import verbs

    return getattr(verbs, name)
