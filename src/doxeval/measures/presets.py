"""Presets: the official measures of each INEX year and task, and sets for other uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, suggestion

if TYPE_CHECKING:
    from doxeval.measures.base import Repeats
    from doxeval.runs import Order


class Preset(NamedTuple):
    """A set of measures, given by their names.

    curves: whether curves belong to it. order: what ranked the runs of that year; None: the list.
    duplicates: what it does with results that were returned before, if not as each measure has it.
    reference: the measure by which reports rank runs, if it is not the first.
    """

    title: str
    measures: tuple[str, ...]
    curves: bool = False
    order: Order | None = None
    duplicates: Repeats | None = None
    reference: str | None = None


def _each(names: tuple[str, ...], *, quants: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, with each quantisation in turn in the place of {}."""
    return tuple(name.format(quant) for quant in quants for name in names)


_NG = ("ng(overlap=s,quant={})", "ng(overlap=o,quant={})")
_QUANTS_2005 = ("strict5", "gen5", "genLifted")
_FOCUSED = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")
_CUTS = (5, 10, 25, 50)


def _graded(*quants: str) -> tuple[str, ...]:
    return _each(("inex_eval(quant={})",), quants=quants) + _each(_NG, quants=("strict", "gen"))


def _in_context(score: str) -> tuple[str, ...]:
    return (f"MAgP({score})", *(f"gP@{cut}({score})" for cut in _CUTS))


def _focused_2006(ignore: str) -> tuple[str, ...]:
    return tuple(f"nxCG@{cut}(base=ideal,quant=spec,ignore={ignore})" for cut in _CUTS)


PRESETS: dict[str, Preset] = {
    "inex2002": Preset("INEX 2002: inex_eval and ng", _graded("strict", "gen"), order="rsv"),
    "inex2003": Preset("INEX 2003: inex_eval and ng", _graded("strict", "gen", "sog"), order="rsv"),
    "inex2004": Preset(
        "INEX 2004: inex_eval and ng",
        _graded("strict", "gen", "sog", "e3s32", "e3s321", "s3e32", "s3e321"),
        order="rsv",
    ),
    "inex2005-thorough": Preset(
        "INEX 2005, thorough: effort-precision",
        _each(("MAep(quant={})", "iMAep(quant={})"), quants=_QUANTS_2005),
        curves=True,
    ),
    "inex2005-focused": Preset(
        "INEX 2005, focused: normalised gain and effort-precision",
        _each(
            (
                *(f"nxCG@{cut}(base=ideal,quant={{}})" for cut in (10, 25, 50)),
                *(f"MAnxCG@{cut}(base=ideal,quant={{}})" for cut in (10, 25, 50, 1500)),
                "iMAep(base=ideal,quant={})",
            ),
            quants=_QUANTS_2005,
        ),
    ),
    "inex2006-thorough": Preset(
        "INEX 2006, thorough: effort-precision without links",
        ("MAep(base=full,quant=spec,ignore=links)",),
        curves=True,
    ),
    "inex2006-focused": Preset(
        "INEX 2006, focused: normalised gain, without and with links (base=ideal is what INEX "
        "called overlap on; overlap off was base=full)",
        _focused_2006("links") + _focused_2006("none"),
    ),
    "inex2006-relevant-in-context": Preset(
        "INEX 2006, relevant in context: generalised precision by F", _in_context("score=F,beta=1")
    ),
    "inex2006-best-in-context": Preset(
        "INEX 2006, best in context: BEPD and EPRUM (A=0.1 was official)",
        tuple(
            name.format(a)
            for name in ("BEPD(A={})", "EPRUM(A={},targets=bep)")
            for a in ("0.01", "0.1", "1", "10", "100")
        ),
    ),
    **{
        f"inex{year}-focused": Preset(f"INEX {year}, focused: interpolated precision", _FOCUSED)
        for year in range(2007, 2011)
    },
    "inex2007-relevant-in-context": Preset(
        "INEX 2007, relevant in context: generalised precision by F", _in_context("score=F,beta=1")
    ),
    "inex2008-relevant-in-context": Preset(
        "INEX 2008, relevant in context: generalised precision by F",
        _in_context("score=F,beta=0.25"),
    ),
    "inex2009-relevant-in-context": Preset(
        "INEX 2009, relevant in context: generalised precision by F",
        _in_context("score=F,beta=0.25"),
    ),
    "inex2010-relevant-in-context": Preset(
        "INEX 2010, relevant in context: generalised precision by tolerance to irrelevance",
        _in_context("score=t2i,irr=300"),
    ),
    "inex2007-best-in-context": Preset(
        "INEX 2007, best in context: generalised precision by entry points",
        _in_context("score=bep,n=1000"),
    ),
    **{
        f"inex{year}-best-in-context": Preset(
            f"INEX {year}, best in context: generalised precision by entry points",
            _in_context("score=bep,n=500"),
        )
        for year in range(2008, 2011)
    },
    "rag": Preset(
        "Retrieval of chunks for language models: recall at budgets, and whether all is there",
        (
            *(f"bR@{budget}" for budget in (500, 1000, 2000, 4000)),
            *("U@4000", "all@5", "sR@5", "RR@10", "cP@5", "Red@5", "read@5"),
        ),
        duplicates="keep",
        reference="bR@1000",
    ),
    "trec2007-genomics": Preset(
        "TREC Genomics 2007: characters (official), passages as in 2006, aspects and documents",
        ("cAP", "pAP", "aspectAP", "AP"),
    ),
    "esr": Preset(
        "ESR: hits, near-misses and misses under a model of navigation",
        (
            *(f"{name}@10" for name in "ESRP ESRR SRiP SRiR SRiP2 SRiR2 NSRCG NSRCG2".split()),
            *("MAESRP", "MASRiP", "MASRiP2", "SRPRUM[0.1]", "SRPRUM[0.5]", "SRPRUM[1]"),
        ),
    ),
    **{
        f"inex{year}-thorough": Preset(
            f"INEX {year}, thorough: interpolated precision", ("MAiP(resize=tool)",)
        )
        for year in (2009, 2010)
    },
}


# Hits, near-misses and misses by rank, which the report draws for each run. That the name says
# assessed=auto, which is the default, tells them apart from measures that users ask for.
PROFILE = tuple(f"{name}@1500(assessed=auto)" for name in ("Hits", "NearMisses", "Misses"))


def preset_named(name: str) -> Preset:
    """Return a preset by its name.

    >>> preset_named("inex2009-thorough").measures
    ('MAiP(resize=tool)',)
    >>> preset_named("inex2009-focussed")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no preset 'inex2009-focussed'; did you mean inex2009-focused?
    """
    if isinstance(name, str) and name in PRESETS:
        return PRESETS[name]
    raise SyntaxProblem(f"no preset {quoted(name)}{suggestion(str(name), PRESETS)}")
