"""Navigation: models of how readers move in a document from what they are shown.

The code that reads models from files is loaded on first use, because few evaluations need it.
"""

from typing import TYPE_CHECKING, Any

from doxeval.navigation.model import Navigation

if TYPE_CHECKING:
    from doxeval.navigation.read import read_navigation

__all__ = ["Navigation", "read_navigation"]


def __getattr__(name: str) -> Any:
    if name != "read_navigation":
        raise AttributeError(f"module 'doxeval.navigation' has no attribute {name!r}")
    from doxeval.navigation.read import read_navigation

    return read_navigation
