"""Measures explained in words, from the facts that their classes state.

Nothing is kept by hand: where parameters change the range of a measure, its laws or its needs is
found by giving one parameter, or two at a time, other values than their defaults. The papers that
measures come from are listed at the end, by the short names under which they are cited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import Field, fields
from fractions import Fraction
from functools import partial
from inspect import cleandoc
from itertools import combinations, product
from typing import Any, TypeVar

from doxeval.assessments import LINKS
from doxeval.errors import SyntaxProblem
from doxeval.measures.base import Law, Measure, Need
from doxeval.measures.from_ir_measures import IrMeasure
from doxeval.measures.registry import ALIASES, FAMILIES, Family
from doxeval.named import parameters_in_words, shown

T = TypeVar("T", bound=Hashable)
_NUMBERS = (0.0, 0.5, 1.0)
_Changes = dict[tuple[str, ...], list[tuple[Any, ...]]]


def explain_measure(given: Measure | type[Measure]) -> str:
    """Explain a measure, as Markdown that also reads well in a terminal.

    For a class, or a measure with its defaults, this includes which parameters change its range,
    its laws and its needs. Any other measure is explained as it is, with its own values:

    >>> from doxeval.measures import MAep
    >>> print(explain_measure(MAep).split("\\n\\n")[0])
    ### MAep: average effort-precision
    >>> print(explain_measure(MAep(base="ideal")).split("\\n\\n")[7])
    **Range** 0 to ∞; higher is better. By default it is 0 to 1.
    """
    measure = given() if isinstance(given, type) else given
    if isinstance(measure, IrMeasure):
        return measure.explained()
    kind, facts, default = type(measure), measure.facts, type(measure)()
    parts = [
        f"### {kind.name}: {measure.title}",
        cleandoc(kind.__doc__ or ""),
        f"    {facts.formula}" if facts.formula else "",
        _names_elsewhere(kind),
        f"**By default** `{default}`",
        "" if measure == default else f"**Here** `{measure}`",
        parameters_in_words(measure, {"ignore": links_in_words()}),
        _range(measure),
        _needs(measure),
        f"**Edge cases** {facts.edge_cases}" if facts.edge_cases else "",
        _laws(measure),
        f"**Source** {facts.cite}" if facts.cite else "",
        *_example(measure),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def links_in_words() -> str:
    """Say which tags `ignore=links` leaves out.

    >>> links_in_words()[:40]
    'links are collectionlink, imagelink, lan'
    """
    return f"links are {', '.join(sorted(LINKS))}"


def _is_default(measure: Measure) -> bool:
    return measure == type(measure)()


def _names_elsewhere(kind: type[Measure]) -> str:
    """Say by which names of other programs the measure is known, too."""
    names = [
        f"`{name}`" + (f" (`{here}`)" if here != kind.name else "")
        for name, here in ALIASES.items()
        if here.partition("(")[0] == kind.name
    ]
    return f"**Also called** {', '.join(names)}" if names else ""


# Range, needs and laws: of the measure as it is, and what other parameters change


def _bounds(measure: Measure) -> str:
    lowest = measure.facts.lowest
    highest = "∞" if measure.highest is None else shown(measure.highest)
    return f"{'−∞' if lowest == -math.inf else shown(round(lowest, 4))} to {highest}"


def _range(measure: Measure) -> str:
    usual, here = _bounds(type(measure)()), _bounds(measure)
    better = "higher" if measure.facts.higher_is_better else "lower"
    text = f"**Range** {here}; {better} is better."
    text += f" By default it is {usual}." if here != usual else ""
    if measure.facts.average == "geometric":
        text += " That is the logarithm; the mean over topics is between 0 and 1."
    if _is_default(measure):
        changed = effect_of_parameters(type(measure), _bounds)
        text += "".join(f" It is {bounds} with {where}." for bounds, where in changed.items())
    return text


def _needs(measure: Measure) -> str:
    text = f"**Needs** {_listed(measure.needs)}."
    if _is_default(measure):
        changed = effect_of_parameters(type(measure), lambda variant: variant.needs)
        text += "".join(f" With {where}: {_listed(needs)}." for needs, where in changed.items())
    return text


def _listed(needs: frozenset[Need]) -> str:
    return "; ".join(sorted(need.value for need in needs)) or "nothing special"


def _laws(measure: Measure) -> str:
    kind, usual, here = type(measure), type(measure)().laws, measure.laws
    if _is_default(measure):
        changed = {law: effect_of_parameters(kind, partial(_obeys, law)) for law in Law}
        exceptions = {
            law: f" (not with {where[False]})" for law, where in changed.items() if False in where
        }
        laws = [law.value + exceptions.get(law, "") for law in here]
        laws += [
            f"with {where[True]}: {law.value}" for law, where in changed.items() if True in where
        ]
    else:
        laws = [law.value for law in here]
        laws += [f"with some other parameters, {law.value}" for law in usual - here]
    return "**Laws** (checked on random data) " + "; ".join(sorted(laws)) + "." if laws else ""


def _obeys(law: Law, measure: Measure) -> bool:
    return law in measure.laws


def _example(measure: Measure) -> Iterator[str]:
    example = measure.facts.example
    if example is None:
        return
    yield f"**Example** `{example.name}` = {example.value:.4f}. {example.why}"
    if example.documents:
        yield "\n".join(f"    {name}.xml   {xml}" for name, xml in example.documents.items())
    if example.chunks:
        yield _indented("chunks", example.chunks)
    yield _indented("assessments", example.assessments)
    yield _indented("run", example.run)


def _indented(title: str, text: str) -> str:
    return "\n".join([f"    # {title}", *(f"    {line}" for line in text.splitlines())])


# Families and lists


def family_page(family: Family, introduction: str) -> str:
    """Return the documentation of a family: a hand-written introduction, then the reference."""
    reference = "\n".join(explain_measure(kind) for kind in family.measures)
    return f"# {family.title}\n\n{introduction.strip()}\n\n## Reference\n\n{reference}"


def listing() -> Iterator[tuple[Family, list[tuple[str, str]]]]:
    """Yield all built-in families with the default name and title of each measure."""
    for family in FAMILIES:
        yield family, names_and_titles(family.measures)


def names_and_titles(kinds: Iterable[type[Measure]]) -> list[tuple[str, str]]:
    """Return the default name and the title of each measure."""
    return [(str(kind()), kind().title) for kind in kinds]


# What parameters change


def effect_of_parameters(kind: type[Measure], fact: Callable[[Measure], T]) -> dict[T, str]:
    """Return the values of a fact that differ from the default's, each with its parameters.

    >>> from doxeval.measures.registry import MEASURES
    >>> effect_of_parameters(MEASURES["MAep"], lambda measure: measure.highest)
    {None: '`base=ideal`, or `overlap=on`'}
    >>> effect_of_parameters(MEASURES["nxCG"], lambda measure: measure.highest)
    {None: '`base=full` and `overlap=on`'}
    """
    usual = fact(kind())
    effects: dict[T, _Changes] = {}
    decisive: set[tuple[str, Any]] = set()
    for values in _changes(kind):
        measure = _make(kind, values)
        if measure is None or decisive & set(values.items()):
            continue
        value = fact(measure)
        if value != usual:
            effects.setdefault(value, {}).setdefault(tuple(values), []).append(
                tuple(values.values())
            )
            if len(values) == 1:
                decisive |= set(values.items())
    return {value: _in_words(kind, changes) for value, changes in effects.items()}


def _changes(kind: type[Measure]) -> Iterator[dict[str, Any]]:
    """Yield other values than the defaults: first of each parameter alone, then of two."""
    others = {spec.name: _others(spec) for spec in fields(kind)}
    for count in (1, 2):
        for names in combinations(others, count):
            for values in product(*(others[name] for name in names)):
                yield dict(zip(names, values, strict=True))


def _others(spec: Field[Any]) -> tuple[Any, ...]:
    """Return some values of a parameter besides its default."""
    sign, choices = spec.metadata.get("sign"), spec.metadata.get("choices") or ()
    values: tuple[Any, ...] = choices
    if sign is not None:  # another cut-off or point changes nothing, having one at all may
        values = () if spec.default is not None else (10 if sign == "@" else Fraction(1, 2),)
    elif isinstance(spec.default, bool):
        values = (False, True)
    elif isinstance(spec.default, float):
        values = _NUMBERS
    return tuple(value for value in values if value != spec.default)


def _make(kind: type[Measure], values: dict[str, Any]) -> Measure | None:
    """Return the measure; None if these values do not go together."""
    try:
        return kind(**values)
    except (ValueError, SyntaxProblem):
        return None


def _in_words(kind: type[Measure], changes: _Changes) -> str:
    specs = {spec.name: spec for spec in fields(kind)}
    parts = []
    for names, values in changes.items():
        columns = [tuple(dict.fromkeys(column)) for column in zip(*values, strict=True)]
        if len(values) == len(list(product(*columns))):
            named = zip(names, columns, strict=True)
            parts.append(" and ".join(_any_of(specs[name], column) for name, column in named))
        else:
            parts += [
                " and ".join(_any_of(specs[n], (v,)) for n, v in zip(names, row, strict=True))
                for row in values
            ]
    return ", or ".join(parts)


def _any_of(spec: Field[Any], values: tuple[Any, ...]) -> str:
    sign = spec.metadata.get("sign")
    if sign is not None:
        return "a cut-off `@k`" if sign == "@" else "a point `[x]`"
    if len(values) > 1 and values == _others(spec):
        return f"`{spec.name}` other than `{shown(spec.default)}`"
    return " or ".join(f"`{spec.name}={shown(value)}`" for value in values)


# The papers

REFERENCES = {
    "Agrawal et al. 2009": "R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong: Diversifying search "
    "results. WSDM 2009.",
    "Ali, Consens and Lalmas 2012": "M. S. Ali, M. Consens, M. Lalmas: Extended structural "
    "relevance framework: a framework for evaluating structured document retrieval.",
    "Buckley and Voorhees 2004": "C. Buckley, E. M. Voorhees: Retrieval evaluation with incomplete "
    "information. SIGIR 2004.",
    "Chapelle et al. 2009": "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal "
    "rank for graded relevance. CIKM 2009.",
    "Clarke et al. 2008": "C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan, "
    "S. Büttcher, I. MacKinnon: Novelty and diversity in information retrieval evaluation. "
    "SIGIR 2008.",
    "Clarke, Kolla and Vechtomova 2009": "C. L. A. Clarke, M. Kolla, O. Vechtomova: An "
    "effectiveness measure for ambiguous and underspecified queries. ICTIR 2009.",
    "Cooper 1968": "W. S. Cooper: Expected search length: a single measure of retrieval "
    "effectiveness based on the weak ordering action of retrieval systems. American Documentation "
    "19(1), 1968.",
    "Gövert et al. 2003": "N. Gövert, G. Kazai, N. Fuhr, M. Lalmas: Evaluating the effectiveness "
    "of content-oriented XML retrieval. Technical report, University of Dortmund, 2003.",
    "Järvelin and Kekäläinen 2002": "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation "
    "of IR techniques. ACM Transactions on Information Systems 20(4), 2002.",
    "Hersh et al. 2006": "W. Hersh, A. M. Cohen, P. Roberts, H. K. Rekapalli: TREC 2006 Genomics "
    "Track overview. TREC 2006.",
    "Hersh et al. 2007": "W. Hersh, A. Cohen, L. Ruslen, P. Roberts: TREC 2007 Genomics Track "
    "overview. TREC 2007.",
    "Kamps et al. 2008": "J. Kamps, J. Pehcevski, G. Kazai, M. Lalmas, S. Robertson: INEX 2007 "
    "evaluation measures. INEX 2007.",
    "Karpukhin et al. 2020": "V. Karpukhin and others: Dense passage retrieval for open-domain "
    "question answering. EMNLP 2020.",
    "Kazai and Lalmas 2006": "G. Kazai, M. Lalmas: eXtended cumulated gain measures for the "
    "evaluation of content-oriented XML retrieval. ACM Transactions on Information Systems 24(4), "
    "2006.",
    "Lalmas and Tombros 2007": "M. Lalmas, A. Tombros: Evaluating XML retrieval effectiveness at "
    "INEX. SIGIR Forum 41(1), 2007.",
    "Lalmas et al. 2007": "M. Lalmas, G. Kazai, J. Kamps, J. Pehcevski, B. Piwowarski, "
    "S. Robertson: INEX 2006 evaluation measures. INEX 2006.",
    "Moffat and Zobel 2008": "A. Moffat, J. Zobel: Rank-biased precision for measurement of "
    "retrieval effectiveness. ACM Transactions on Information Systems 27(1), 2008.",
    "Pehcevski and Thom 2006": "J. Pehcevski, J. A. Thom: HiXEval: highlighting XML retrieval "
    "evaluation. INEX 2005.",
    "Piwowarski and Dupret 2006": "B. Piwowarski, G. Dupret: Evaluation in (XML) information "
    "retrieval: expected precision-recall with user modelling (EPRUM). SIGIR 2006.",
    "Piwowarski and Gallinari 2003": "B. Piwowarski, P. Gallinari: Expected ratio of relevant "
    "units: a measure for structured information retrieval. INEX 2003.",
    "Piwowarski et al. 2007": "B. Piwowarski, P. Gallinari, G. Dupret: Precision recall with user "
    "modeling (PRUM): application to structured information retrieval. ACM Transactions on "
    "Information Systems 25(1), 2007.",
    "Raghavan et al. 1989": "V. Raghavan, P. Bollmann, G. S. Jung: A critical investigation of "
    "recall and precision as measures of retrieval system performance. ACM Transactions on "
    "Information Systems 7(3), 1989.",
    "Rajpurkar, Jia and Liang 2018": "P. Rajpurkar, R. Jia, P. Liang: Know what you don't know: "
    "unanswerable questions for SQuAD. ACL 2018.",
    "Robertson 2006": "S. Robertson: On GMAP: and other transformations. CIKM 2006.",
    "Robertson 2012": "S. Robertson: On smoothing average precision. ECIR 2012.",
    "Sakai and Dou 2013": "T. Sakai, Z. Dou: Summaries, ranked retrieval and sessions: a unified "
    "framework for information access evaluation. SIGIR 2013.",
    "Smith and Troynikov 2024": "B. Smith, A. Troynikov: Evaluating chunking strategies for "
    "retrieval. Technical report, Chroma, 2024.",
    "Voorhees 1999": "E. M. Voorhees: The TREC-8 question answering track report. TREC-8, 1999.",
    "Yilmaz and Aslam 2006": "E. Yilmaz, J. A. Aslam: Estimating average precision with incomplete "
    "and imperfect judgments. CIKM 2006.",
    "Zhai, Cohen and Lafferty 2003": "C. Zhai, W. W. Cohen, J. Lafferty: Beyond independent "
    "relevance: methods and evaluation metrics for subtopic retrieval. SIGIR 2003.",
    "ir_measures": "S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with "
    "ir-measures. ECIR 2022.",
    "trec_eval": "C. Buckley and others: trec_eval, the evaluation program of the Text REtrieval "
    "Conference (TREC).",
}
