"""Measures by name: `nxCG@10(base=full)` to a value, with help where a name is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

from doxeval.errors import SyntaxProblem
from doxeval.measures.base import Measure, signed_parameter
from doxeval.measures.parameters import from_text
from doxeval.wording import brief, suggestion

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_WHOLE = re.compile(
    rf"(?P<name>{NAME.pattern})"
    r"(?:@(?P<cut>[^\[\](),=@]*))?"
    r"(?:\[(?P<point>[^\[\](),=@]*)\])?"
    r"(?:\((?P<named>[^()]*)\))?"
)
_LONGEST = 80
# What people call measures elsewhere, and what comes nearest here.
KNOWN_ELSEWHERE = {
    "recall": "R@10 counts documents, cR@10 highlighted characters",
    "precision": "P@10 counts documents, cP@10 highlighted characters",
    "f1": "cF@10 balances precision and recall in characters",
    "fmeasure": "cF@10 balances precision and recall in characters",
    "map": "AP is its value for a topic; MAiP is its counterpart for highlighted text",
    "gmap": "AP gives the values by topic",
    "rprec": "AP, or P@k with a cut-off of your choice",
    "mrr": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "rr": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "recip_rank": "doxeval has none; AP and P@1 also look at the first relevant documents",
    "ndcg": "nxCG@10 is its counterpart for elements",
    "ndcg_cut": "nxCG@10 is its counterpart for elements",
    "dcg": "nxCG@10 is its counterpart for elements",
    "err": "ERRU@10 is the expected ratio of relevant units; expected reciprocal rank is not here",
    "iou": "doxeval has none; cF@10 also compares returned with highlighted text",
    "hit_rate": "R@10 and P@1 count documents",
    "hit": "Hits@10 is the expected gain from hits; R@10 counts documents",
    "success": "R@10 and P@1 count documents",
    "bpref": "doxeval has none; unjudged documents count as not relevant",
    "aip": "MAiP gives its values by topic",
    "agp": "MAgP gives its values by topic",
}


def parse_measure(text: str, known: Mapping[str, type[Measure]]) -> Measure:
    """The measure of a name, given all measures there are.

    >>> from doxeval.measures.registry import MEASURES
    >>> str(parse_measure("iP[.01]", MEASURES))
    'iP[0.01](alpha=0,resize=full)'
    >>> parse_measure("nxGC@10", MEASURES)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'nxGC'; did you mean nxCG?
    >>> parse_measure("recall@10", MEASURES)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'recall': R@10 counts documents, cR@10 highlighted \
characters
    """
    match = _WHOLE.fullmatch("".join(text.split()))
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if match is None:
        raise SyntaxProblem(
            f"{brief(text)} is not a measure: "
            "expected NAME, NAME@10, NAME[0.01] or NAME(key=value,…)"
        )
    kind = known.get(match["name"])
    if kind is None:
        name = match["name"][:_LONGEST]
        raise SyntaxProblem(f"no measure {brief(name)}{_hint(name, known)}")
    try:
        return kind(**_values(kind, match))
    except SyntaxProblem as error:
        raise SyntaxProblem(f"{text}: {error.message.removeprefix(f'{kind.name}: ')}") from None
    except ValueError as error:
        raise SyntaxProblem(f"{text}: {error}") from None


def _values(kind: type[Measure], match: re.Match[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for sign, given in (("@", match["cut"]), ("[", match["point"])):
        if given is not None:
            spec = signed_parameter(kind, sign)
            values[spec.name] = from_text(spec, given)
    for item in match["named"].split(",") if match["named"] else ():
        spec, value = _named(kind, item)
        if spec.name in values:
            raise SyntaxProblem(f"{spec.name} is given twice")
        values[spec.name] = value
    return values


def _named(kind: type[Measure], item: str) -> tuple[Field[Any], Any]:
    name, equals, given = item.partition("=")
    named = {spec.name: spec for spec in fields(kind) if "sign" not in spec.metadata}
    if not equals or not given:
        raise SyntaxProblem(f"{brief(item)} is not a parameter: expected key=value")
    if name not in named:
        if not named:
            raise SyntaxProblem(f"{kind.name} has no parameters")
        raise SyntaxProblem(f"{kind.name} has no parameter {brief(name)}{suggestion(name, named)}")
    return named[name], from_text(named[name], given)


def _has_cut_off(kind: type[Measure]) -> bool:
    return any(spec.metadata.get("sign") == "@" for spec in fields(kind))


def _hint(wrong: str, known: Mapping[str, Any]) -> str:
    """What a wrong name may mean: another program's name, or a slip of the fingers."""
    by_case = {name.lower(): name for name in known}
    if wrong.lower() in by_case:
        return f"; did you mean {by_case[wrong.lower()]}?"
    name = wrong.lower().rstrip("0123456789")
    cut_off, name = wrong[len(name) :], name.rstrip("_")  # trec_eval writes P_10
    if cut_off and name in by_case and _has_cut_off(known[by_case[name]]):
        return f"; did you mean {by_case[name]}@{cut_off}?"
    elsewhere = KNOWN_ELSEWHERE.get(wrong.lower()) or KNOWN_ELSEWHERE.get(name)
    return f": {elsewhere}" if elsewhere else suggestion(wrong, known)
