"""How far assessors agree on the documents that they have validated.

    documents       whether a document is relevant: Cohen's κ, Krippendorff's α
    characters      what is highlighted: Jaccard, F1, κ, α (modes 2005 and 2006)
    entry points    how far apart they are (mode 2006)
    elements        grades of exhaustivity and specificity: weighted κ (modes 2003 and 2005)

Drafts and adjudicated judgments do not count. A value that is undefined is None, and no mean takes
it in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import median

from doxeval.assess.agreement.coefficients import Table, krippendorff_alpha, mean, share, total
from doxeval.assess.agreement.element_grades import element_agreement
from doxeval.assess.agreement.overlap import (
    CharacterTables,
    character_depths,
    character_tables,
    mean_of,
)
from doxeval.assess.agreement.values import (
    Agreement,
    AgreementRow,
    Averages,
    CharacterAgreement,
    DocumentAgreement,
    EntryPointAgreement,
    number,
)
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Mode

# What two assessors say of the same document.
Pair = tuple[Judged, Judged]


def agreement(judged: Iterable[Judged], mode: Mode) -> Agreement:
    """The agreement of each pair of assessors and of all of them, for each topic and all topics.

    Assessors who share no document with another are left out.

    >>> from doxeval.assess.judging import State
    >>> one = State(highlights=((0, 10),), bep=0, status="validated")
    >>> other = State(highlights=((5, 10),), bep=5, status="validated")
    >>> judged = [Judged("7", "a", "A1", one, 20), Judged("7", "a", "A2", other, 20)]
    >>> row = agreement(judged, "2006").rows[0]
    >>> row.assessors, row.characters.jaccard.micro, row.entry_points.mean
    (('A1', 'A2'), 0.5, 5.0)
    """
    by_topic: dict[str, list[Judged]] = {}
    for one in judged:
        if not one.draft and not one.adjudicated and one.assessor is not None:
            by_topic.setdefault(one.topic, []).append(one)
    rows = [row for topic, own in by_topic.items() for row in _rows(topic, own, mode)]
    if len({row.topic for row in rows}) > 1:
        rows += _rows(None, [one for own in by_topic.values() for one in own], mode)
    return Agreement(mode, tuple(rows))


def _rows(topic: str | None, judged: Sequence[Judged], mode: Mode) -> list[AgreementRow]:
    """A row for each pair of assessors with documents in common; if there are more, one for all."""
    names = sorted({str(one.assessor) for one in judged})
    shared = {pair: _in_common(judged, *pair) for pair in combinations(names, 2)}
    pairs = {pair: documents for pair, documents in shared.items() if documents}
    rows = [_row(topic, pair, [documents], mode) for pair, documents in pairs.items()]
    if len(pairs) > 1:
        assessors = tuple(name for name in names if any(name in pair for pair in pairs))
        rows.append(_row(topic, assessors, list(pairs.values()), mode))
    return rows


def _in_common(judged: Iterable[Judged], first: str, second: str) -> list[Pair]:
    """The documents that both assessors judged."""
    others = {one.pair: one for one in judged if one.assessor == second}
    return [
        (one, others[one.pair]) for one in judged if one.assessor == first and one.pair in others
    ]


def _row(
    topic: str | None, assessors: tuple[str, ...], pairs: Sequence[Sequence[Pair]], mode: Mode
) -> AgreementRow:
    # All judgments of each document, in the order of assessors.
    said: dict[tuple[str, str], dict[str, Judged]] = {}
    for pair in pairs:
        for both in pair:
            for one in both:
                said.setdefault(one.pair, {})[str(one.assessor)] = one
    documents = [list(by_assessor.values()) for by_assessor in said.values()]
    return AgreementRow(
        topic,
        assessors,
        _documents(pairs, documents),
        None if mode == "2003" else _characters(pairs, documents),
        _entry_points(pairs) if mode == "2006" else None,
        None if mode == "2006" else element_agreement(pairs, mode),
    )


# Documents


def _documents(
    pairs: Sequence[Sequence[Pair]], documents: Sequence[Sequence[Judged]]
) -> DocumentAgreement:
    said = Counter(
        (own[0].topic, len(own), sum(one.state.is_relevant for one in own)) for own in documents
    )
    depths: dict[str, list[tuple[int, int, int]]] = {}
    for (topic, assessors, relevant), units in said.items():
        depths.setdefault(topic, []).append((assessors, relevant, units))
    every = [depth for of_topic in depths.values() for depth in of_topic]
    return DocumentAgreement(
        len(documents),
        sum(units for assessors, relevant, units in every if relevant in (0, assessors)),
        _mean_of_pairs(map(_document_kappa, pairs)),
        Averages(number(krippendorff_alpha(every)), mean(map(krippendorff_alpha, depths.values()))),
    )


def _document_kappa(pair: Sequence[Pair]) -> Averages:
    said = Counter(
        (one.topic, one.state.is_relevant, other.state.is_relevant) for one, other in pair
    )
    kinds = ((True, True), (True, False), (False, True), (False, False))
    topics = [
        Table(*(said[topic, *kind] for kind in kinds))
        for topic in dict.fromkeys(topic for topic, *_ in said)
    ]
    return Averages(number(total(topics).kappa), mean(table.kappa for table in topics))


def _mean_of_pairs(values: Iterable[Averages]) -> Averages:
    micro, macro = zip(*values, strict=True)
    return Averages(mean(micro), mean(macro))


# Characters


def _characters(
    pairs: Sequence[Sequence[Pair]], documents: Sequence[Sequence[Judged]]
) -> CharacterAgreement:
    tables = [_tables(pair) for pair in pairs]
    totals = [own.total() for own in tables]

    def averages(name: str) -> Averages:
        micro = mean(getattr(own, name) for own in totals)
        return Averages(micro, mean(mean_of(getattr(own, name)()) for own in tables))

    depths = character_depths(
        [[one.state.highlights for one in said] for said in documents],
        [said[0].length for said in documents],
    )
    return CharacterAgreement(
        sum(not any(one.state.highlights for one in said) for said in documents),
        averages("jaccard"),
        averages("f1"),
        averages("kappa"),
        Averages(depths.alpha(), mean_of(depths.alphas())),
    )


def _tables(pair: Sequence[Pair]) -> CharacterTables:
    first, second = zip(*pair, strict=True)
    return character_tables(
        [one.state.highlights for one in first],
        [one.state.highlights for one in second],
        [one.length for one in first],
    )


# Entry points


def _entry_points(pairs: Sequence[Sequence[Pair]]) -> EntryPointAgreement:
    entries = [(one.state.bep, other.state.bep) for pair in pairs for one, other in pair]
    distances = [abs(a - b) for a, b in entries if a is not None and b is not None]
    return EntryPointAgreement(
        len(distances),
        number(share(sum(distances), len(distances))),
        float(median(distances)) if distances else None,
        number(share(distances.count(0), len(distances))),
    )
