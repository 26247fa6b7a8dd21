"""Navigation: models of how readers move in a document from what they are shown."""

from doxeval.navigation.model import Navigation
from doxeval.navigation.read import read_navigation

__all__ = ["Navigation", "read_navigation"]
