"""Navigation: models of how readers move in a document from what they are shown."""

from doxeval.navigation.files import read_navigation
from doxeval.navigation.model import Navigation

__all__ = ["Navigation", "read_navigation"]
