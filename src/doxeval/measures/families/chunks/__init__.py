"""Chunks: what readers with a limited budget are shown, and whether their needs are answered.

    bR@B   the share of the relevant text that the first B units show
    U@B    its mean over all budgets up to B
    hit, sR, all, RR   how many needs the first k results answer, and how soon
    ans    whether an answer occurs as a string, where no place is known
    none, vain   what is returned for questions that no document answers

Results are chunks: ranges of text, which may overlap and come again. What was shown before gains
nothing, but is read again. Relevant text belongs to needs; a need is answered by any of its
alternatives. `new_text` says what relevant text is worth, `reading_cost` what results cost, and
`rank_of_answer` when a need is answered.
"""

from doxeval.measures.base import Measure
from doxeval.measures.families.chunks import answers, budgets, needs, text
from doxeval.named import defined_in

# In the order in which pages list them.
MEMBERS = tuple(
    measure for part in (text, budgets, needs, answers) for measure in defined_in(part, Measure)
)
