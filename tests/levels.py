"""The level of a run of the tests: quick (unit), or thorough (long).

`make test-long` sets DOXEVAL_TEST_LEVEL=long. Property tests then try all the examples they ask
for, and campaigns are kept in PostgreSQL instead of SQLite.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

IS_LONG = os.environ.get("DOXEVAL_TEST_LEVEL", "unit") == "long"
_USUAL, _SHARE, _FEWEST = 30, 6, 5

# Every run tries the same examples, so that a failure is a failure for everybody. `make fuzz` tries
# fresh ones (pytest --hypothesis-profile=explore).
settings.register_profile(
    "doxeval",
    max_examples=_USUAL if IS_LONG else _USUAL // _SHARE,
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
settings.load_profile("doxeval")


def examples(number: int) -> settings:
    """Return settings for a property that deserves so many examples: a sixth at the unit level."""
    return settings(max_examples=scaled(number))


def scaled(number: int) -> int:
    """Return how many of these examples are tried at the level of this run."""
    return number if IS_LONG else max(_FEWEST, number // _SHARE)
