"""Chunks: what readers with a limited budget are shown, and whether their needs are answered.

    bR@B   the share of the relevant text that the first B units show
    U@B    its mean over all budgets up to B
    hit, sR, all, RR   how many needs the first k results answer, and how soon

Results are chunks: ranges of text, which may overlap and come again. What was shown before gains
nothing, but is read again. Relevant text belongs to needs; a need is answered by any of its
alternatives. `measures/wanted` says what relevant text is worth, `measures/reading` what results
cost, and `measures/answered` when a need is answered.
"""

from doxeval.measures.families.chunks.budgets import (
    BudgetRecall,
    ReadingCost,
    Utility,
)
from doxeval.measures.families.chunks.needs import (
    AllNeeds,
    DiscountedNeeds,
    Hit,
    NeedRecall,
    ReciprocalRank,
)
from doxeval.measures.families.chunks.text import Overlap, Redundancy, TextRead, settled_unit

__all__ = ["MEMBERS", "BudgetRecall", "settled_unit"]

# In the order in which pages list them.
MEMBERS = (
    Overlap,
    Redundancy,
    TextRead,
    BudgetRecall,
    Utility,
    ReadingCost,
    Hit,
    NeedRecall,
    AllNeeds,
    ReciprocalRank,
    DiscountedNeeds,
)
