"""The level of a run of the tests, which DOXEVAL_TEST_LEVEL names.

unit: quick, the default. long: property tests try all the examples they deserve, and campaigns are
kept in PostgreSQL. explore: fresh examples, again and again, for `make fuzz`.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

LEVEL = os.environ.get("DOXEVAL_TEST_LEVEL", "unit")
_SHARE, _FEWEST = 6, 5  # of its examples a property tries a sixth at the unit level, or five


def scaled(number: int) -> int:
    """Return how many of so many examples are tried at this level."""
    return max(_FEWEST, number // _SHARE) if LEVEL == "unit" else number


def examples(number: int) -> settings:
    """Return settings for a property that deserves so many examples."""
    return settings(max_examples=scaled(number))


# Every run tries the same examples, so that a failure is a failure for everybody.
settings.register_profile(
    "doxeval",
    max_examples=scaled(30),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
settings.register_profile(
    "explore",
    settings.get_profile("doxeval"),
    derandomize=False,
    max_examples=500,
    print_blob=True,
)
settings.load_profile("explore" if LEVEL == "explore" else "doxeval")
