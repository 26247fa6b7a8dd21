"""How far assessors agree on the documents that they have validated.

    documents       whether a document is relevant: Cohen's κ, Krippendorff's α
    characters      what is highlighted: Jaccard, F1, κ, α (modes 2005 and 2006)
    entry points    how far apart they are (mode 2006)
    elements        grades of exhaustivity and specificity: weighted κ (modes 2003 and 2005)

Drafts and adjudicated judgments do not count. A value that is undefined is None, and no mean takes
it in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import median

from doxeval.assess.agreement.coefficients import Table, krippendorff_alpha, mean, share, total
from doxeval.assess.agreement.element_grades import element_agreement
from doxeval.assess.agreement.overlap import character_depths, character_tables
from doxeval.assess.agreement.values import (
    Agreement,
    AgreementRow,
    Averages,
    CharacterAgreement,
    DocumentAgreement,
    EntryPointAgreement,
    Value,
)
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging.state import Mode

# What two assessors say of the same document.
Pair = tuple[Judged, Judged]


def agreement(judged: Iterable[Judged], mode: Mode) -> Agreement:
    """The agreement of each pair of assessors and of all of them, for each topic and all topics.

    Assessors who share no document with another are left out.

    >>> from doxeval.assess.judging.state import State
    >>> one = State(highlights=((0, 10),), bep=0, status="validated")
    >>> other = State(highlights=((5, 10),), bep=5, status="validated")
    >>> judged = [Judged("7", "a", "A1", one, 20), Judged("7", "a", "A2", other, 20)]
    >>> row = agreement(judged, "2006").rows[0]
    >>> row.assessors, row.characters.jaccard.micro, row.entry_points.mean
    (('A1', 'A2'), Fraction(1, 2), Fraction(5, 1))
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
    depths: dict[str, list[tuple[int, int, int]]] = {}
    for said in documents:
        relevant = sum(one.state.is_relevant for one in said)
        depths.setdefault(said[0].topic, []).append((len(said), relevant, 1))
    every = [depth for of_topic in depths.values() for depth in of_topic]
    return DocumentAgreement(
        len(documents),
        sum(relevant in (0, assessors) for assessors, relevant, _ in every),
        _mean_of_pairs(map(_document_kappa, pairs)),
        Averages(krippendorff_alpha(every), mean(map(krippendorff_alpha, depths.values()))),
    )


def _document_kappa(pair: Sequence[Pair]) -> Averages:
    tables: dict[str, list[Table]] = {}
    for one, other in pair:
        said = (one.state.is_relevant, other.state.is_relevant)
        kinds = ((True, True), (True, False), (False, True), (False, False))
        tables.setdefault(one.topic, []).append(Table(*(int(said == kind) for kind in kinds)))
    topics = [total(of_topic) for of_topic in tables.values()]
    return Averages(total(topics).kappa, mean(table.kappa for table in topics))


def _mean_of_pairs(values: Iterable[Averages]) -> Averages:
    micro, macro = zip(*values, strict=True)
    return Averages(mean(micro), mean(macro))


# Characters


def _characters(
    pairs: Sequence[Sequence[Pair]], documents: Sequence[Sequence[Judged]]
) -> CharacterAgreement:
    tables = [_tables(pair) for pair in pairs]

    def averages(value: Callable[[Table], Value]) -> Averages:
        return _mean_of_pairs(Averages(value(total(own)), mean(map(value, own))) for own in tables)

    depths = character_depths(
        [[one.state.highlights for one in said] for said in documents],
        [said[0].length for said in documents],
    )
    every = [depth for of_document in depths for depth in of_document]
    return CharacterAgreement(
        sum(not any(one.state.highlights for one in said) for said in documents),
        averages(lambda table: table.jaccard),
        averages(lambda table: table.f1),
        averages(lambda table: table.kappa),
        Averages(krippendorff_alpha(every), mean(map(krippendorff_alpha, depths))),
    )


def _tables(pair: Sequence[Pair]) -> list[Table]:
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
        share(sum(distances), len(distances)),
        Fraction(median(distances)) if distances else None,
        share(distances.count(0), len(distances)),
    )
