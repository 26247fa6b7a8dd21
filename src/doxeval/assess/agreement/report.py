"""How far assessors agree on the documents that they have validated.

    documents       whether a document is relevant: Cohen's κ, Krippendorff's α
    characters      what is highlighted: Jaccard, F1, κ, α (modes 2005 and 2006)
    entry points    how far apart they are (mode 2006)
    elements        grades of exhaustivity and specificity: weighted κ (modes 2003 and 2005)

Drafts and adjudicated judgments do not count. A value that is undefined is None, and no mean takes
it in.

People and programs are compared in a table of their own: each program with each person, and with
the adjudicated judgments.

In mode 2005 every element of a document has one of the grades not relevant < ? < 1 < 2, since text
that is not highlighted in a validated document is not relevant. In mode 2003 only elements that
both assessors graded are compared, exhaustivity and specificity each on its scale of 0 to 3.

Honeypots are documents placed among the others whose relevant text is known. Precision is the share
of what an assessor highlighted that is relevant, recall the share of the relevant text that they
highlighted, F1 the harmonic mean of both. Micro adds up the characters of all honeypots that the
assessor validated, macro is the mean over them. In mode 2003, elements graded above zero take the
place of highlighted characters. A value that is undefined is None: precision where nothing was
highlighted, recall where nothing is relevant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from doxeval.assess.agreement.coefficients import (
    Table,
    krippendorff_alpha,
    mean,
    share,
    total,
    weighted_kappa,
)
from doxeval.assess.agreement.overlap import (
    CharacterTables,
    character_depths,
    character_tables,
    mean_of,
)
from doxeval.assess.exchange.types import Judged
from doxeval.assess.judging import Mode, State, is_above_zero

# What two assessors say of the same document.
Pair = tuple[Judged, Judged]
# How often the first assessor gave grade i and the second grade j.
Counts = list[list[int]]
_LEVELS = {"?": 1, 1: 2, 2: 3}
_GRADES = 4
_ADJUDICATED = "adjudicated"
Value = float | None


class Averages(NamedTuple):
    """A value over everything together, and the mean of the values of its parts.

    >>> Averages(0.5, None).as_dict()
    {'micro': 0.5, 'macro': None}
    """

    micro: Value
    macro: Value

    def as_dict(self) -> dict[str, float | None]:
        """Return both by name."""
        return self._asdict()


def number(value: Fraction | float | None) -> float | None:
    """Return a fraction as the closest float.

    >>> number(Fraction(1, 4)), number(None)
    (0.25, None)
    """
    return None if value is None else float(value)


@dataclass(frozen=True)
class DocumentAgreement:
    """Whether documents are relevant; micro: all topics together, macro: the mean over topics.

    judged: documents that at least two of the assessors validated.
    agreed: those of them for which all of these say the same.
    """

    judged: int
    agreed: int
    kappa: Averages
    alpha: Averages

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> nothing = Averages(None, None)
        >>> DocumentAgreement(2, 1, nothing, nothing).as_dict()["judged"]
        2
        """
        return {
            "judged": self.judged,
            "agreed": self.agreed,
            "kappa": self.kappa.as_dict(),
            "alpha": self.alpha.as_dict(),
        }


@dataclass(frozen=True)
class CharacterAgreement:
    """What is highlighted; micro: all characters together, macro: the mean over documents.

    empty: documents in which none of the assessors highlighted anything. They have no Jaccard and
    no F1; their characters count in the micro κ and α.
    """

    empty: int
    jaccard: Averages
    f1: Averages
    kappa: Averages
    alpha: Averages

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> CharacterAgreement(3, *[Averages(None, None)] * 4).as_dict()["empty"]
        3
        """
        names = ("jaccard", "f1", "kappa", "alpha")
        return {"empty": self.empty, **{name: getattr(self, name).as_dict() for name in names}}


@dataclass(frozen=True)
class EntryPointAgreement:
    """How many characters lie between best entry points in the same document.

    compared: pairs of them, each of two assessors. equal: the share of those that are the same.
    """

    compared: int
    mean: Value
    median: Value
    equal: Value

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> EntryPointAgreement(1, 5.0, 5.0, 0.0).as_dict()["mean"]
        5.0
        """
        return asdict(self)


@dataclass(frozen=True)
class ElementAgreement:
    """Grades of elements: weighted κ with linear weights; macro: the mean over documents.

    compared: elements that have a grade from both assessors of a pair. In mode 2005 these are all
    elements of documents that both validated, on the scale not relevant < ? < 1 < 2. In mode 2003
    they are the elements that both graded; specificity is only graded there.
    """

    compared: int
    exhaustivity: Averages
    specificity: Averages | None

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> ElementAgreement(9, Averages(1.0, None), None).as_dict()["weights"]
        'linear'
        """
        values = {
            "compared": self.compared,
            "weights": "linear",
            "exhaustivity": self.exhaustivity.as_dict(),
        }
        if self.specificity is not None:
            values["specificity"] = self.specificity.as_dict()
        return values


@dataclass(frozen=True)
class AgreementRow:
    """How far some assessors agree, for one topic or (None) for all of them.

    With more than two assessors, κ, Jaccard and F1 are means over all pairs of them (for κ, that is
    Light's). α takes all assessors together.
    """

    topic: str | None
    assessors: tuple[str, ...]
    documents: DocumentAgreement
    characters: CharacterAgreement | None = None
    entry_points: EntryPointAgreement | None = None
    elements: ElementAgreement | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON; parts that the mode does not have are left out.

        >>> nothing = Averages(None, None)
        >>> documents = DocumentAgreement(0, 0, nothing, nothing)
        >>> list(AgreementRow("7", ("A1", "A2"), documents).as_dict())
        ['topic', 'assessors', 'documents']
        """
        parts = ("documents", "characters", "entry_points", "elements")
        values = {name: part.as_dict() for name in parts if (part := getattr(self, name))}
        return {"topic": self.topic, "assessors": list(self.assessors), **values}


@dataclass(frozen=True)
class AssessorAgreement:
    """How far assessors agree: for each topic, then for all topics, each pair, then all of them."""

    mode: Mode
    rows: tuple[AgreementRow, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything by name, for JSON.

        >>> AssessorAgreement("2006", ()).as_dict()
        {'mode': '2006', 'rows': []}
        """
        return {"mode": self.mode, "rows": [row.as_dict() for row in self.rows]}

    def table(self) -> list[list[str]]:
        """Return a head and rows of text: micro values, with three digits.

        >>> AssessorAgreement("2006", ()).table()[0][:4]
        ['topic', 'assessors', 'documents', 'agreed']
        """
        head = ["topic", "assessors", "documents", "agreed", "κ", "α"]
        if self.mode != "2003":
            head += ["Jaccard", "F1", "κ chars", "α chars"]
        if self.mode == "2006":
            head += ["entry points", "equal", "median distance"]
        if self.mode != "2006":
            head += ["elements", "κ exhaustivity"]
        if self.mode == "2003":
            head += ["κ specificity"]
        return [head, *map(_cells, self.rows)]


def _cells(row: AgreementRow) -> list[str]:
    documents = row.documents
    cells = ["all" if row.topic is None else row.topic, ", ".join(row.assessors)]
    cells += [f"{documents.judged:,}", f"{documents.agreed:,}"]
    cells += [_shown(documents.kappa.micro), _shown(documents.alpha.micro)]
    if (text := row.characters) is not None:
        cells += [_shown(each.micro) for each in (text.jaccard, text.f1, text.kappa, text.alpha)]
    if (entries := row.entry_points) is not None:
        median = "–" if entries.median is None else f"{entries.median:,g}"
        cells += [f"{entries.compared:,}", _shown(entries.equal), median]
    if (elements := row.elements) is not None:
        cells += [f"{elements.compared:,}", _shown(elements.exhaustivity.micro)]
        cells += [_shown(elements.specificity.micro)] if elements.specificity is not None else []
    return cells


def _shown(value: Value) -> str:
    return "–" if value is None else f"{value:.3f}"


# Agreement


def agreement(judged: Iterable[Judged], mode: Mode) -> AssessorAgreement:
    """Return the agreement of each pair of assessors and of all, for each topic and all topics.

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
    for judgment in judged:
        if not judgment.draft and not judgment.adjudicated and judgment.assessor is not None:
            by_topic.setdefault(judgment.topic, []).append(judgment)
    rows = [row for topic, judgments in by_topic.items() for row in _rows(topic, judgments, mode)]
    if len({row.topic for row in rows}) > 1:
        every = [judgment for judgments in by_topic.values() for judgment in judgments]
        rows += _rows(None, every, mode)
    return AssessorAgreement(mode, tuple(rows))


def agreement_with_programs(judged: Iterable[Judged], mode: Mode) -> AssessorAgreement:
    """Return the agreement of each program with each person, for each topic and all topics.

    The adjudicated judgments count as those of one more person, called "adjudicated". In each pair
    the person comes first.

    >>> from doxeval.assess.judging import State
    >>> relevant = State(highlights=((0, 10),), bep=0, status="validated")
    >>> ann = Judged("7", "a", "A1", relevant, 20)
    >>> rule = Judged("7", "a", "rule", State(status="validated"), 20, program=True)
    >>> row = agreement_with_programs([ann, rule], "2006").rows[0]
    >>> row.assessors, row.documents.agreed
    (('A1', 'rule'), 0)
    """
    by_topic: dict[str, list[Judged]] = {}
    for judgment in judged:
        name = _ADJUDICATED if judgment.adjudicated else judgment.assessor
        if not judgment.draft and name is not None:
            by_topic.setdefault(judgment.topic, []).append(replace(judgment, assessor=name))
    rows = [
        row for topic, judgments in by_topic.items() for row in _cross_rows(topic, judgments, mode)
    ]
    if len({row.topic for row in rows}) > 1:
        every = [judgment for judgments in by_topic.values() for judgment in judgments]
        rows += _cross_rows(None, every, mode)
    return AssessorAgreement(mode, tuple(rows))


def _cross_rows(topic: str | None, judged: Sequence[Judged], mode: Mode) -> list[AgreementRow]:
    """Return a row for each person and program with documents in common, program by program."""
    people, programs = (
        sorted({str(each.assessor) for each in judged if each.program == is_program})
        for is_program in (False, True)
    )
    pairs = ((person, program) for program in programs for person in people)
    return [
        _row(topic, pair, [shared], mode) for pair in pairs if (shared := _in_common(judged, *pair))
    ]


def _rows(topic: str | None, judged: Sequence[Judged], mode: Mode) -> list[AgreementRow]:
    """Return a row for each pair of assessors with documents in common, and one for all."""
    names = sorted({str(judgment.assessor) for judgment in judged})
    shared = {pair: _in_common(judged, *pair) for pair in combinations(names, 2)}
    pairs = {pair: documents for pair, documents in shared.items() if documents}
    rows = [_row(topic, pair, [documents], mode) for pair, documents in pairs.items()]
    if len(pairs) > 1:
        assessors = tuple(name for name in names if any(name in pair for pair in pairs))
        rows.append(_row(topic, assessors, list(pairs.values()), mode))
    return rows


def _in_common(judged: Iterable[Judged], first: str, second: str) -> list[Pair]:
    """Return the documents that both assessors judged."""
    others = {judgment.pair: judgment for judgment in judged if judgment.assessor == second}
    return [
        (judgment, others[judgment.pair])
        for judgment in judged
        if judgment.assessor == first and judgment.pair in others
    ]


def _row(
    topic: str | None, assessors: tuple[str, ...], pairs: Sequence[Sequence[Pair]], mode: Mode
) -> AgreementRow:
    # All judgments of each document, in the order of assessors.
    by_document: dict[tuple[str, str], dict[str, Judged]] = {}
    for pair in pairs:
        for both in pair:
            for judgment in both:
                by_document.setdefault(judgment.pair, {})[str(judgment.assessor)] = judgment
    documents = [list(by_assessor.values()) for by_assessor in by_document.values()]
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
    counts = Counter(
        (judged[0].topic, len(judged), sum(each.state.is_relevant for each in judged))
        for judged in documents
    )
    depths: dict[str, list[tuple[int, int, int]]] = {}
    for (topic, assessors, relevant), units in counts.items():
        depths.setdefault(topic, []).append((assessors, relevant, units))
    every = [depth for of_topic in depths.values() for depth in of_topic]
    return DocumentAgreement(
        len(documents),
        sum(units for assessors, relevant, units in every if relevant in (0, assessors)),
        _mean_of_pairs(map(_document_kappa, pairs)),
        Averages(number(krippendorff_alpha(every)), mean(map(krippendorff_alpha, depths.values()))),
    )


def _document_kappa(pair: Sequence[Pair]) -> Averages:
    counts = Counter(
        (first.topic, first.state.is_relevant, second.state.is_relevant) for first, second in pair
    )
    kinds = ((True, True), (True, False), (False, True), (False, False))
    topics = [
        Table(*(counts[topic, *kind] for kind in kinds))
        for topic in dict.fromkeys(topic for topic, *_ in counts)
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
    totals = [table.total() for table in tables]

    def averages(name: str) -> Averages:
        micro = mean(getattr(table, name) for table in totals)
        return Averages(micro, mean(mean_of(getattr(table, name)()) for table in tables))

    depths = character_depths(
        [[each.state.highlights for each in judged] for judged in documents],
        [judged[0].length for judged in documents],
    )
    return CharacterAgreement(
        sum(not any(each.state.highlights for each in judged) for judged in documents),
        averages("jaccard"),
        averages("f1"),
        averages("kappa"),
        Averages(depths.alpha(), mean_of(depths.alphas())),
    )


def _tables(pair: Sequence[Pair]) -> CharacterTables:
    first, second = zip(*pair, strict=True)
    return character_tables(
        [judgment.state.highlights for judgment in first],
        [judgment.state.highlights for judgment in second],
        [judgment.length for judgment in first],
    )


# Entry points


def _entry_points(pairs: Sequence[Sequence[Pair]]) -> EntryPointAgreement:
    entries = [(first.state.bep, second.state.bep) for pair in pairs for first, second in pair]
    distances = [abs(a - b) for a, b in entries if a is not None and b is not None]
    return EntryPointAgreement(
        len(distances),
        number(share(sum(distances), len(distances))),
        float(median(distances)) if distances else None,
        number(share(distances.count(0), len(distances))),
    )


# Elements


def element_agreement(pairs: Sequence[Sequence[Pair]], mode: Mode) -> ElementAgreement:
    """Return the mean over pairs of assessors, each given by the documents that both validated.

    >>> from doxeval.assess.judging import State
    >>> one = State(grades={"/s[1]": (3, 2), "/s[1]/p[1]": (1, 1)}, status="validated")
    >>> other = State(grades={"/s[1]": (3, 1), "/s[1]/p[1]": (1, 1)}, status="validated")
    >>> pair = (Judged("7", "a", "A1", one, 20), Judged("7", "a", "A2", other, 20))
    >>> values = element_agreement([[pair]], "2003")
    >>> values.compared, values.exhaustivity.micro, values.specificity.micro
    (2, 1.0, 0.0)
    """
    if mode == "2005":
        tables = [[_exhaustivity(*both) for both in pair] for pair in pairs]
        return ElementAgreement(_count_compared(tables), _mean_kappas(tables), None)
    by_scale = [[[_graded(*both, scale) for both in pair] for pair in pairs] for scale in (0, 1)]
    return ElementAgreement(_count_compared(by_scale[0]), *map(_mean_kappas, by_scale))


def _exhaustivity(first: Judged, second: Judged) -> Counts:
    """Count the grades of all elements of a document in mode 2005."""
    counts = _empty()
    paths = first.state.grades.keys() | second.state.grades.keys()
    for path in paths:
        i, j = (_LEVELS.get(judged.state.grades.get(path, 0), 0) for judged in (first, second))
        counts[i][j] += 1
    counts[0][0] += max(first.elements - len(paths), 0)
    return counts


def _graded(first: Judged, second: Judged, scale: int) -> Counts:
    """Count the grades of elements that both graded in mode 2003, on one of the two scales."""
    counts = _empty()
    for path in first.state.grades.keys() & second.state.grades.keys():
        grade, other = first.state.grades[path], second.state.grades[path]
        if isinstance(grade, tuple) and isinstance(other, tuple):
            counts[grade[scale]][other[scale]] += 1
    return counts


def _empty() -> Counts:
    return [[0] * _GRADES for _ in range(_GRADES)]


def _mean_kappas(pairs: Sequence[Sequence[Counts]]) -> Averages:
    micro = mean(weighted_kappa(_total(documents)) for documents in pairs)
    macro = mean(mean(map(weighted_kappa, documents)) for documents in pairs)
    return Averages(micro, macro)


def _total(documents: Iterable[Counts]) -> Counts:
    sums = _empty()
    for counts in documents:
        sums = [
            [a + b for a, b in zip(*rows, strict=True)] for rows in zip(sums, counts, strict=True)
        ]
    return sums


def _count_compared(pairs: Iterable[Iterable[Counts]]) -> int:
    return sum(sum(map(sum, counts)) for documents in pairs for counts in documents)


# Honeypots


@dataclass(frozen=True)
class HoneypotScore:
    """How one assessor does on honeypots.

    judged: those that they validated. right: those of them for which they say rightly whether the
    document is relevant.
    """

    assessor: str
    judged: int
    right: int
    precision: Averages
    recall: Averages
    f1: Averages

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> HoneypotScore("A1", 2, 1, *[Averages(None, None)] * 3).as_dict()["right"]
        1
        """
        scores = {name: getattr(self, name).as_dict() for name in ("precision", "recall", "f1")}
        return {
            "assessor": self.assessor,
            "judged": self.judged,
            "right": self.right,
            **scores,
        }


def honeypots(
    judged: Iterable[Judged], gold: Mapping[tuple[str, str], State], mode: Mode
) -> tuple[HoneypotScore, ...]:
    """Return the scores of all assessors who validated honeypots, by their pseudonyms.

    gold: what is known, by topic and document.

    >>> gold = {("7", "a"): State(highlights=((0, 10),))}
    >>> state = State(highlights=((5, 15),), bep=5, status="validated")
    >>> (score,) = honeypots([Judged("7", "a", "A1", state, 20)], gold, "2006")
    >>> score.precision.micro, score.recall.micro, score.f1.micro
    (0.5, 0.5, 0.5)
    """
    by_assessor: dict[str, list[Judged]] = {}
    for judgment in judged:
        if judgment.pair not in gold or judgment.draft or judgment.adjudicated:
            continue
        if judgment.assessor is not None:
            by_assessor.setdefault(judgment.assessor, []).append(judgment)
    return tuple(
        _score(assessor, by_assessor[assessor], gold, mode) for assessor in sorted(by_assessor)
    )


def _score(
    assessor: str,
    judged: Sequence[Judged],
    gold: Mapping[tuple[str, str], State],
    mode: Mode,
) -> HoneypotScore:
    known = [gold[judgment.pair] for judgment in judged]
    if mode == "2003":
        tables = _graded_elements([judgment.state for judgment in judged], known)
    else:
        tables = character_tables(
            [judgment.state.highlights for judgment in judged],
            [state.highlights for state in known],
            [judgment.length for judgment in judged],
        )

    total = tables.total()

    def averages(name: str) -> Averages:
        return Averages(number(getattr(total, name)), mean_of(getattr(tables, name)()))

    return HoneypotScore(
        assessor,
        len(judged),
        sum(
            judgment.state.is_relevant == right.is_relevant
            for judgment, right in zip(judged, known, strict=True)
        ),
        averages("precision"),
        averages("recall"),
        averages("f1"),
    )


def _graded_elements(states: Sequence[State], known: Sequence[State]) -> CharacterTables:
    """Count elements graded above zero by the assessor and in what is known, for each document."""
    rows = []
    for each, right in zip(states, known, strict=True):
        first, second = (
            {path for path, grade in state.grades.items() if is_above_zero(grade)}
            for state in (each, right)
        )
        rows.append((len(first & second), len(first - second), len(second - first), 0))
    return CharacterTables(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)
