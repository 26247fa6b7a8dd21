"""Every measure by brute force: sets of characters, exact fractions, every way a user may go.

Written from the definitions alone, without arrays and without shortcuts, to be compared with the
measures on small random worlds (`tests/unit/measures/test_brute_force.py`). There is one module for
each family of measures. A twin is registered under the name of its measure and takes its parameters
by name:

    @twin("cR")
    def recall(scene: Scene, *, k: int, alpha: Fraction, resize: str) -> Score: ...

So a measure without a twin, or a parameter that its twin does not know, fails a test by name.
"""

from brute_force import (
    browsing,
    chunks,
    diversity,
    documents,
    erru,
    esr,
    genomics,
    graded,
    hixeval,
    in_context,
    inex_eval,
    ng,
    trec_eval,
    xcg,
)
from brute_force.twins import TWINS, score_of, twin

__all__ = [
    "TWINS",
    "browsing",
    "chunks",
    "diversity",
    "documents",
    "erru",
    "esr",
    "genomics",
    "graded",
    "hixeval",
    "in_context",
    "inex_eval",
    "ng",
    "score_of",
    "trec_eval",
    "twin",
    "xcg",
]
