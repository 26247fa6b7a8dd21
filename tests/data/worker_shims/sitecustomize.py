"""What is wrong with a worker of a test: Python imports this first, if it is on its path.

TEST_MISSING: a module that cannot be imported. TEST_VERSION: the version of doxeval.
TEST_HIDDEN: a directory whose files cannot be opened.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import Any


class Missing(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> None:
        if name.split(".")[0] == os.environ["TEST_MISSING"]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith(os.environ["TEST_HIDDEN"]):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


def apply() -> None:
    """Do what the environment asks for."""
    if "TEST_MISSING" in os.environ:
        sys.meta_path.insert(0, Missing())
    if "TEST_VERSION" in os.environ:
        import doxeval

        doxeval.__version__ = os.environ["TEST_VERSION"]
    if "TEST_HIDDEN" in os.environ:
        sys.addaudithook(hide)


apply()
