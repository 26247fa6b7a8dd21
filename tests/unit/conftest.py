"""Which tests of the unit level run again at the long level."""

from __future__ import annotations

from pathlib import Path

from levels import LEVEL

# With all examples where these are what finds wrong numbers, and campaigns on PostgreSQL.
AGAIN = (
    "assess/exchange",
    "assess/db",
    "assess/web",
    "evaluation/test_strict_targets.py",
    "measures/test_brute_force.py",
    "measures/test_laws.py",
    "measures/test_single_laws.py",
    "retrieve/test_search_directly.py",
    "retrieve/test_structured_queries.py",
    "spans",
    "stereotypes/test_systems_brute_force.py",
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """At the long level, ignore all other tests of this directory."""
    if LEVEL != "long" or collection_path.is_dir():
        return None
    here = collection_path.relative_to(Path(__file__).parent).as_posix()
    return None if here.startswith(AGAIN) else True
