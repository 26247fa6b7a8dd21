"""Words that queries can do without."""

from __future__ import annotations

# Function words of English, compiled for doxeval from the closed classes of its grammar: articles,
# demonstratives, pronouns, prepositions, conjunctions, auxiliary verbs and question words.
ENGLISH = frozenset(
    (
        "a an the this that these those such "
        "i me my mine we us our ours you your yours he him his she her hers it its they them their "
        "theirs who whom whose which what one ones "
        "about above after against among around as at before behind below beneath beside between "
        "beyond by down during for from in into of off on onto out over per through to toward "
        "towards under until up upon via with within without "
        "and but if nor or so than then there though because while when where why how whether "
        "am is are was were be been being do does did doing done have has had having can could may "
        "might must shall should will would "
        "not no also any all both each either neither some other"
    ).split()
)
