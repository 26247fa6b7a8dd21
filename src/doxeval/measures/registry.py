"""All measures there are: the built-in families, those of installed packages, and registered ones.

A measure is found by its name, such as `nxCG@10(base=full)`, with help where a name is wrong. A
family is loaded when one of its measures is looked up, so that a command that needs one family does
not wait for the others. Packages offer measures under the entry-point group `doxeval.measures`;
they are looked for only when a name is not built in, or all are listed. A measure in a file is
named with the file: `my.py:NDCG@10`. `ir_measures:Compat(p=0.8)` is one that ir_measures computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Literal, NamedTuple, TypeVar

from doxeval.errors import SyntaxProblem
from doxeval.measures.base import Measure
from doxeval.messages import Parameter, truncate
from doxeval.named import Noun, Registry, defined_in, name_in_file

# Names of trec_eval, ir_measures and ranx, and what they are called here. What follows the name,
# such as @10, stays; cut-offs and levels of trec_eval (P_5, iprec_at_recall_0.10) become @5, @0.10.
ALIASES = {
    "map": "AP",
    "MAP": "AP",
    "gm_map": "GMAP",
    "bpref": "Bpref",
    "gm_bpref": "GMBpref",
    "recip_rank": "RR(unit=document)",
    "mrr": "RR",
    "MRR": "RR",
    "ndcg": "nDCG",
    "NDCG": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "set_relative_P": "SetRelP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelRet",
    "utility": "Utility",
    "11pt_avg": "IPrecAvg",
    "yaap": "YAAP",
}
_ALIASES_WITH_NUMBER = {
    "P": "P",
    "recall": "R",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "success": "Success",
    "relative_P": "RelP",
    "iprec_at_recall": "IPrec",
    "Rprec_mult": "RprecMult",
}
# Parameters as ir_measures writes them.
_ALIASES_OF_PARAMETERS = {
    "dcg='exp-log2'": "gain=exp",
    "dcg='log2'": "gain=linear",
    "judged_only=True": "judged_only=on",
    "judged_only=False": "judged_only=off",
}
# Before the name of a measure that ir_measures computes.
OF_IR_MEASURES = "ir_measures:"
_NAME_AND_REST = re.compile(r"([^@\[(]*)(.*)", re.DOTALL)
_NAME_AND_NUMBER = re.compile(r"(\w+)_([0-9]+(?:\.[0-9]+)?)")

# What people call measures elsewhere, and what comes nearest here.
_RECALL = "R@10 counts documents, cR@10 characters, sR@10 needs; bR@1000 is recall at a budget"
_PRECISION = "P@10 counts documents, cP@10 highlighted characters"
_CHARACTERS = "cP@10, cR@10, iP[0.01] and MAiP count highlighted characters as it does"
_PRECALL = "did you mean inex_eval? Its generalised form is inex_eval(quant=gen)"
_F = "SetF balances precision and recall of documents, cF@10 in characters"
_HIT = (
    "did you mean hit@10? It asks for a whole need, hit@10(cover=0) for any part of one; "
    "Success@10 asks for a relevant document"
)
KNOWN_ELSEWHERE = {
    **dict.fromkeys(("recall", "context_recall", "recall_at_k", "coverage"), _RECALL),
    **dict.fromkeys(("precision", "context_precision", "precision_at_k"), _PRECISION),
    **dict.fromkeys(("f1", "fmeasure"), _F),
    "reciprocal_rank": "RR is that of the first relevant document, or of the first answered need",
    "dcg": "nDCG@10 normalises it; nxCG@10 is its counterpart for elements, sDCG@10 for chunks",
    "ir": "did you mean cR@10, the recall of highlighted characters?",
    "hixeval": _CHARACTERS,
    **dict.fromkeys(("precall", "grp"), _PRECALL),
    "t2i": "did you mean MAgP(score=t2i), by tolerance to irrelevance?",
    **dict.fromkeys(("iou", "jaccard"), "did you mean IoU@5?"),
    **dict.fromkeys(("hit_rate", "hitrate", "hit", "hits"), _HIT),
    "all_hit": "did you mean all@5?",
    **dict.fromkeys(("strec", "subtopic_recall"), "did you mean StRecall@10?"),
    "map_ia": "ir_measures:AP_IA has it; P_IA@10 is intent-aware precision, ERR_IA@10 for ranks",
    **{
        re.split(r"\W", name.lower())[0]: f"ir_measures computes it: ir_measures:{name}"
        for name in (
            *("Accuracy", "Compat", "BPM(max_rel=3)@10", "INST(max_rel=3)", "INSQ(max_rel=3)"),
            *(
                "NERR8(max_rel=3)@10",
                "NERR9(max_rel=3)@10",
                "NERR10(max_rel=3)",
                "NERR11(max_rel=3)",
            ),
            *("SDCG(max_rel=3)@10", "alpha_DCG@10", "nERR_IA@10", "nNRBP", "AP_IA", "NumQ"),
        )
    },
    **dict.fromkeys(("passage2", "passage2_map"), "did you mean cAP, of TREC Genomics 2007?"),
    "passage_map": "did you mean pAP, of TREC Genomics 2006? cAP counts single characters",
    "aspect_map": "did you mean aspectAP, of TREC Genomics?",
    "aip": "MAiP gives its values by topic",
    "agp": "MAgP gives its values by topic",
}
MEASURE = Noun(
    "measure",
    "NAME, NAME@10, NAME[0.01], NAME(key=value,…) or FILE.py:NAME",
    "nxCG@10",
    KNOWN_ELSEWHERE,
)


# In the name that a table gives to a measure where duplicates are not treated as it does by itself.
_DUPLICATES = re.compile(r"[(,]duplicates=(drop|keep)\b")

ENTRY_POINTS = "doxeval.measures"
M = TypeVar("M", bound=type[Measure])


Question = Literal[
    "whole documents",
    "highlighted text",
    "chunks at a budget",
    "elements",
    "readers who navigate",
    "diversity",
]


class Family(NamedTuple):
    """A built-in family of measures; the module of its name explains and computes them.

    names: those of its measures, in the order in which pages list them, so that the family of a
    measure is known before it is loaded. A family that is spread over several modules is a package,
    which lists its `MEMBERS`. question: what its measures are about, for lists of all measures.
    """

    name: str
    title: str
    names: tuple[str, ...]
    question: Question

    @property
    def measures(self) -> tuple[type[Measure], ...]:
        """The measures that its module defines, in their order there."""
        module = import_module(f"doxeval.measures.families.{self.name}")
        listed: tuple[type[Measure], ...] = getattr(module, "MEMBERS", ())
        return listed or defined_in(module, Measure)


def _family(question: Question, name: str, title: str, names: str) -> Family:
    return Family(name, title, tuple(names.split()), question)


FAMILIES = (
    _family(
        "whole documents",
        "documents",
        "Documents as units",
        "P R AP GMAP Rprec Success IPrec Bpref infAP Judged SetP SetR SetF NumRet NumRel NumRelRet",
    ),
    _family("whole documents", "graded", "Documents with grades", "nDCG ERR RBP RBPresidual"),
    _family(
        "whole documents",
        "trec_eval",
        "trec_eval's other measures of documents",
        "binG RprecMult IPrecAvg RelP SetRelP SetAP Utility NumNonRelRet GMBpref YAAP G nDCGrel "
        "RnDCG",
    ),
    _family(
        "highlighted text", "hixeval", "HiXEval: highlighted characters", "cP cR cF MAcP iP MAiP"
    ),
    _family(
        "highlighted text", "genomics", "TREC Genomics: passages and aspects", "cAP pAP aspectAP"
    ),
    _family(
        "highlighted text",
        "in_context",
        "In context: documents that are pointed into",
        "gP gR MAgP",
    ),
    _family("highlighted text", "bepd", "BEPD: nearness to best entry points", "BEPD"),
    _family(
        "chunks at a budget",
        "chunks",
        "Chunks: recall at a budget, and needs that are answered",
        "IoU Red read bR U Cost hit sR all RR sDCG ans none vain",
    ),
    _family(
        "elements", "xcg", "XCG: cumulated gain over elements", "xCG gr nxCG MAnxCG MAep ep iMAep"
    ),
    _family(
        "elements", "inex_eval", "inex_eval: precision at recall over elements", "inex_eval qP qR"
    ),
    _family("elements", "ng", "ng: recall and precision with size and overlap", "ng ngR ngP"),
    _family("readers who navigate", "prum", "PRUM and EPRUM: users who browse", "PRUM EPRUM"),
    _family("readers who navigate", "erru", "ERRU: expected ratio of relevant units", "ERRU"),
    _family(
        "readers who navigate",
        "esr",
        "ESR: hits, misses and near-misses under navigation",
        "Hits NearMisses Misses RecallBase SR SRP MASRP ESRP ESRR SRiP SRiP2 SRiR SRiR2 NSRCG "
        "NSRCG2 SRPRUM MAESRP MASRiP MASRiP2",
    ),
    _family(
        "diversity",
        "diversity",
        "Diversity: subtopics of a topic",
        "alpha_nDCG ERR_IA P_IA StRecall NRBP",
    ),
)


class _Measures(Registry[Measure]):
    """All measures by name; looking one up loads its family only."""

    def __getitem__(self, name: str) -> type[Measure]:
        for family in FAMILIES:
            if name in family.names:
                return next(kind for kind in family.measures if kind.name == name)
        return super().__getitem__(name)

    def _is_built_in(self, name: str) -> bool:
        return any(name in family.names for family in FAMILIES)

    def named(self, text: str) -> Measure:
        """Return the measure of a name, which may be that of another program."""
        usual = self._name_here("".join(text.split()))
        if usual is None:
            return super().named(text)
        try:
            return super().named(usual)
        except SyntaxProblem as error:
            raise SyntaxProblem(f"{truncate(text)} is {error}") from None

    def _name_here(self, text: str) -> str | None:
        """Return what a measure is called here, given its name elsewhere; None if that is ours."""
        name, rest = _NAME_AND_REST.fullmatch(text).groups()  # type: ignore[union-attr]  # any text
        for theirs, ours in _ALIASES_OF_PARAMETERS.items():
            rest = rest.replace(theirs, ours)
        with_number = _NAME_AND_NUMBER.fullmatch(name)
        if name == "NumRet" and "rel=" in rest:  # ir_measures counts relevant documents so
            name = "NumRelRet"
        elif with_number is not None and with_number[1] in _ALIASES_WITH_NUMBER:
            name = f"{_ALIASES_WITH_NUMBER[with_number[1]]}@{with_number[2]}"
        elif name in ALIASES and name not in self.added:
            name, _, given = ALIASES[name].partition("(")
            if given:
                before, bracket, others = rest.partition("(")
                rest = f"{before}({given[:-1]},{others}" if bracket else f"{before}({given}"
        return None if name + rest == text else name + rest


def _built_in() -> Iterator[type[Measure]]:
    for family in FAMILIES:
        yield from family.measures


MEASURES = _Measures(Measure, MEASURE, _built_in, ENTRY_POINTS)


def register(kind: M) -> M:
    """Make a measure of your own known by its name, as a decorator or by a call.

    Names then work in Python and in other measures' company; the command line knows measures of
    installed packages (entry-point group `doxeval.measures`) and of files that are named
    (`my.py:NDCG@10`). A measure need not be registered to be used as a value.

    >>> from dataclasses import dataclass
    >>> from doxeval.measures import Measure
    >>> @dataclass(frozen=True)
    ... class Length(Measure):
    ...     '''The number of results.'''
    ...
    ...     name = "DocLength"
    ...
    ...     def scores(self, ranking):
    ...         return ranking.counts.astype(float)
    >>> register(Length) is Length, measure_named("DocLength")
    (True, DocLength)
    >>> MEASURES.unregister("DocLength")
    """
    return MEASURES.register(kind)


def measure_named(text: str) -> Measure:
    """Return a measure by its name; that of a measure in a file begins with the file.

    The file of `my.py:NDCG@10` is run, once, since the user names it. Names that are read from data
    are for `known_measure`. Names of trec_eval and ir_measures are known.

    >>> str(measure_named("cP@5"))
    'cP@5(alpha=0,resize=full)'
    >>> measure_named("ndcg_cut_10"), measure_named("nDCG(dcg='exp-log2')@10")
    (nDCG@10, nDCG@10(gain=exp))
    >>> measure_named("nxGC@10")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'nxGC'; did you mean nxCG?
    >>> measure_named("recall@10")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'recall': R@10 counts documents, cR@10 characters, \
sR@10 needs; bR@1000 is recall at a budget
    """
    in_file = name_in_file(text)
    return known_measure(text) if in_file is None else MEASURES.named_in_file(in_file)


def known_measure(text: str) -> Measure:
    """Return a measure by its name, which may have been read from data: no file is run.

    >>> known_measure("ir_measures:Compat(p=0.8)")
    ir_measures:Compat(p=0.8)

    >>> known_measure("my.py:NDCG@10")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: 'my.py:NDCG@10' is not a measure: expected NAME, NAME@10, \
NAME[0.01], NAME(key=value,…) or FILE.py:NAME
    """
    if text.lstrip().startswith(OF_IR_MEASURES):
        from doxeval.measures.from_ir_measures import ir_measure_named

        return ir_measure_named(text.lstrip().removeprefix(OF_IR_MEASURES))
    policy = _DUPLICATES.search(text)
    if policy is not None:
        raise SyntaxProblem(
            f"{truncate(text)}: what is done with duplicates is no parameter of a measure; "
            + Parameter("duplicates", policy[1])
            + " says it for all of them"
        )
    return MEASURES.named(text)


def as_measure(given: str | Measure | type[Measure]) -> Measure:
    """Return a measure given as a value, as a name, or as a class, which means its defaults.

    >>> as_measure("iP[.01]") == as_measure(MEASURES["iP"])
    True
    """
    return measure_named(given) if isinstance(given, str) else MEASURES.value_of(given)


def not_among(known: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the measures that are not among the known ones, under whatever name.

    >>> not_among(["nxCG@10", "MAiP"], ["MAiP(alpha=0)", "nxCG@5"])
    ['nxCG@5']
    """
    values = {str(measure_named(name)) for name in known}
    return [name for name in names if str(measure_named(name)) not in values]
