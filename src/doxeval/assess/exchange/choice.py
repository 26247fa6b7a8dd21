"""Which judgment stands for a document that several assessors judged.

    adjudicated    the adjudicated judgment; or that of the one assessor, or what all assessors say
    majority       what more than half of the assessors say; two who differ have no majority
    union          what any of them says
    a pseudonym    what this assessor says

Judgments that are not validated count only if there is none that is, and only if drafts are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from doxeval.assess.agreement.adjudication import adjudicated_by, votes
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Article, Mode, State
from doxeval.assessments import Merge, Ties, Votes, count_ties
from doxeval.errors import InputError
from doxeval.messages import Parameter, join_names, plural, truncate

RULES: tuple[Merge, ...] = ("majority", "union")
_SHOWN = 20


class Undecided(InputError):
    """Assessors differ about documents, and nothing says whose judgment is to be taken."""


class Chosen(NamedTuple):
    """One judgment for each topic and document, and the ties of a majority."""

    judged: list[Judged]
    ties: Ties = Ties()


def chosen_judgments(
    judged: Iterable[Judged],
    *,
    judgments: str = "adjudicated",
    drafts: bool = False,
    article_of: Callable[[str], Article],
    mode: Mode,
) -> Chosen:
    """Choose one judgment for each topic and document, in the order in which they first come.

    >>> one = Judged("7", "a", "A1", State(status="validated"), 20)
    >>> other = replace(one, assessor="A2", state=State(((0, 5),), 0, status="validated"))
    >>> about = {"article_of": lambda name: None, "mode": "2006"}
    >>> [found.assessor for found in chosen_judgments([one], **about).judged]
    ['A1']
    >>> chosen_judgments([one, other], judgments="A2", **about).judged == [other]
    True
    >>> try:
    ...     chosen_judgments([one, other], **about)
    ... except Undecided as error:
    ...     print(error.message.splitlines()[1].strip())
    topic 7, document a: A1, A2
    """
    given = list(judged)
    if judgments not in ("adjudicated", *RULES):
        given = _of_assessor(given, judgments)
    pairs: dict[tuple[str, str], list[Judged]] = {}
    for one in given:
        pairs.setdefault(one.pair, []).append(one)
    found: list[Judged] = []
    undecided: list[Sequence[Judged]] = []
    divided: list[Votes] = []
    for same in pairs.values():
        those = _that_count(same, judgments, drafts)
        if not those:
            continue
        state: State | None = those[0].state
        if not _agree(those):
            state = None
            if judgments in RULES:
                rule: Merge = "majority" if judgments == "majority" else "union"
                states = [one.state for one in those]
                divided += [votes(*those[0].pair, states)] if rule == "majority" else []
                state = adjudicated_by(rule, states, article_of(those[0].document), mode)
        if state is None or (state.status == "open" and not drafts):
            undecided.append(those)
        else:
            found.append(_for_all(those, state))
    ties = count_ties(divided, "union, one of the assessors, adjudication or a third assessor")
    if undecided:
        raise _undecided(undecided)
    return Chosen(found, ties)


def _of_assessor(judged: Sequence[Judged], assessor: str) -> list[Judged]:
    found = [one for one in judged if one.assessor == assessor and not one.adjudicated]
    if judged and not found:
        raise InputError(
            Parameter("judgments", assessor)
            + ": expected adjudicated, majority, union, or an assessor with judgments: "
            + _names(judged)
        )
    return found


def _that_count(same: Sequence[Judged], judgments: str, drafts: bool) -> list[Judged]:
    """The judgments of a document that are to be looked at."""
    settled = [one for one in same if one.adjudicated]
    by_assessors = [one for one in same if not one.adjudicated]
    in_order = (by_assessors, settled) if judgments in RULES else (settled, by_assessors)
    validated = ([one for one in some if not one.draft] for some in in_order)
    candidates = [*validated, *(in_order if drafts else ())]
    return next((some for some in candidates if some), [])


def _agree(those: Sequence[Judged]) -> bool:
    """Whether all say the same of what is relevant."""
    first = those[0].state
    return all(
        (one.state.highlights, one.state.bep, one.state.grades)
        == (first.highlights, first.bep, first.grades)
        for one in those[1:]
    )


def _for_all(those: Sequence[Judged], state: State) -> Judged:
    """The judgment that stands for several."""
    if len(those) == 1:
        return those[0]
    return replace(
        those[0],
        assessor=None,
        state=replace(
            state,
            problem=any(one.state.problem for one in those),
            skipped=all(one.state.skipped for one in those),
            note="\n".join(one.state.note for one in those if one.state.note),
        ),
        off_pool=all(one.off_pool for one in those),
    )


def _undecided(undecided: Sequence[Sequence[Judged]]) -> Undecided:
    lines = [
        f"topic {truncate(those[0].topic)}, document {truncate(those[0].document)}: "
        f"{join_names([str(one.assessor) for one in those])}"
        for those in undecided
    ]
    every = [one for those in undecided for one in those]
    # Of two who differ there is no majority.
    rules = RULES if all(len(those) > 2 for those in undecided) else ("union",)
    head = (
        f"assessors differ about {plural(len(lines), 'document')}, which need adjudication; or "
        "choose with " + Parameter("judgments") + f" one of {_names(every)}, {', '.join(rules)}"
    )
    more = [f"… and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return Undecided(head + "".join(f"\n  {text}" for text in [*lines[:_SHOWN], *more]))


def _names(judged: Iterable[Judged]) -> str:
    names = {str(one.assessor) for one in judged if one.assessor is not None}
    return join_names(sorted(names)) or "there is none"
