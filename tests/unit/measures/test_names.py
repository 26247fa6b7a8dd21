"""Names of measures: they print and parse back, and what is wrong with a name is told."""

from __future__ import annotations

import re
import string
import subprocess
import sys
from dataclasses import Field, dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment, JudgmentColumns, TopicAnswer
from doxeval.documents import example_collection
from doxeval.errors import SyntaxProblem
from doxeval.evaluation import evaluate
from doxeval.measures import ALIASES, FAMILIES, KNOWN_ELSEWHERE, MEASURES, Measure, measure_named
from doxeval.runs import ChunkTable, Result, Run
from levels import examples

KINDS = dict(MEASURES)


def test_measures_with_their_defaults_print_and_parse_back() -> None:
    measures = {name: kind() for name, kind in KINDS.items()}
    assert {name: measure_named(name) for name in measures} == measures
    assert {name: measure_named(str(measure)) for name, measure in measures.items()} == measures


def test_printed_names_show_every_parameter() -> None:
    hidden = [
        f"{name}: {spec.name}"
        for name, kind in KINDS.items()
        for spec in fields(kind)
        if not spec.metadata.get("sign") and f"{spec.name}=" not in str(kind())
    ]
    assert not hidden


def test_every_measure_is_in_one_family() -> None:
    listed = [measure.name for family in FAMILIES for measure in family.measures]
    assert sorted(listed) == sorted(MEASURES)


def test_families_list_the_names_of_their_measures() -> None:
    assert {family.name: family.names for family in FAMILIES} == {
        family.name: tuple(kind.name for kind in family.measures) for family in FAMILIES
    }


def test_a_measure_loads_its_family_only() -> None:
    program = (
        "import sys, doxeval.measures; doxeval.measures.nxCG; "
        "print(*(name for name in sys.modules if name.startswith('doxeval.measures.families.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["doxeval.measures.families.xcg"]


# Random values for parameters, from what the parameters say of themselves


def decimals(most: int, places: int = 12) -> st.SearchStrategy[Decimal]:
    """Numbers as people write them."""
    return st.decimals(0, most, places=places)


def values_of(spec: Field[Any]) -> st.SearchStrategy[Any]:
    """Values that a parameter may take, whether or not they go with the others."""
    if "at_most" in spec.metadata:
        return decimals(spec.metadata["at_most"]).map(Fraction)
    if spec.metadata.get("sign") == "@":
        return st.integers(1, 10**9 - 1) | st.just(spec.default)
    if spec.metadata.get("sign") == "[":
        return decimals(1).map(Fraction) | st.just(spec.default)
    if isinstance(spec.default, bool):
        return st.booleans()
    if isinstance(spec.default, int):
        return st.integers(0, 10**9 - 1)
    numbers = st.floats(0, 10**9, exclude_max=True) | decimals(10).map(float)
    if isinstance(spec.default, float):
        return numbers
    choices = spec.metadata["choices"]
    chosen = st.sampled_from(choices) if choices else free_texts(spec)
    return chosen | numbers if spec.metadata["number"] else chosen


def free_texts(spec: Field[Any]) -> st.SearchStrategy[str]:
    """Texts joined by plus signs, as tags and exponents are; else the default."""
    if spec.name != "ignore" and "+" not in str(spec.default):
        return st.just(str(spec.default))
    tags = st.text(string.ascii_letters + "-_.é", min_size=1, max_size=5)
    one = decimals(9, 3).map(str) if "+" in str(spec.default) else tags
    return st.just(str(spec.default)) | st.lists(one, min_size=1, max_size=3).map("+".join)


@st.composite
def measures(draw: st.DrawFn) -> Measure | None:
    """A measure with random parameters; None where they do not go together."""
    kind = MEASURES[draw(st.sampled_from(sorted(MEASURES)))]
    values = {spec.name: draw(values_of(spec)) for spec in fields(kind)}
    try:
        return kind(**values)
    except ValueError:
        return None


HUGE = 10**6000  # Python refuses to print it


PARAMETERS = {"iP": "x", "nxCG": "k", "cF": "beta", "MAgP": "n", "NSRCG": "m", "BEPD": "A"}


@pytest.mark.parametrize(
    "value",
    [HUGE, -HUGE, Fraction(1, HUGE) - 1, float("inf"), float("nan"), 1e308, 10**15 + 1, True, "x"],
    ids=lambda value: type(value).__name__,
)
def test_numbers_out_of_range_are_refused_in_few_words(value: Any) -> None:
    for name, parameter in PARAMETERS.items():
        with pytest.raises(SyntaxProblem, match=f"^{name}: ") as caught:
            MEASURES[name](**{parameter: value})
        assert len(str(caught.value)) < 300


def problem_of(name: str) -> str | None:
    """Return what is wrong with a name; None if it is a measure."""
    try:
        measure_named(name)
    except SyntaxProblem as problem:
        return str(problem)
    return None


def test_numbers_in_names_are_plain_and_in_range() -> None:
    numbers = ["1e999", "nan", "inf", "-1", "1_0", "٣", "9" * 20, "9" * 400]
    places = ["iP[{}]", "cF@{}", "cF(beta={})", "MAgP(n={})", "BEPD(A={})"]
    names = [place.format(number) for place in places for number in numbers]
    assert not [name for name in names if problem_of(name) is None]


@examples(400)
@given(measures())
def test_any_measure_prints_and_parses_back(measure: Measure | None) -> None:
    if measure is not None:
        assert measure_named(str(measure)) == measure


@examples(100)
@given(measures(), st.data())
def test_spaces_are_ignored(measure: Measure | None, data: st.DataObject) -> None:
    if measure is not None:
        spaces = st.sampled_from(["", "", " ", "\t", "\n", "  "])
        spaced = "".join(data.draw(spaces) + character for character in str(simple(measure)))
        assert measure_named(spaced) == simple(measure)


def simple(measure: Measure) -> Measure:
    """The measure with its numbers as they are by default."""
    defaults = {
        spec.name: spec.default
        for spec in fields(measure)
        if isinstance(getattr(measure, spec.name), float)
    }
    return replace(measure, **defaults)


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(2, 7)])
def test_a_point_that_is_no_decimal_parses_back(x: Fraction) -> None:
    measure = MEASURES["iP"](x=x)  # type: ignore[call-arg]
    assert measure_named(str(measure)) == measure


def test_the_names_in_a_table_of_scores_parse_back() -> None:
    collection = example_collection({"a": "<a>x</a>", "b": "<a/>", "c": "<a/>"})
    answers = {"7": TopicAnswer(("x",)), "8": TopicAnswer(exists=False)}
    judged = JudgmentColumns.of([Judgment("7", "a", ((0, 1),), 0)])
    assessments = Assessments(judged.with_answers(answers))
    table = evaluate(
        Run.from_results([Result("7", "a")]),
        assessments,
        MEASURES,
        collection=collection,
        chunks=ChunkTable.of(["1"], ["a"], [[(0, 1)]]),
    )
    for facts in table.measures:
        assert str(measure_named(facts.canonical)) == facts.canonical


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("iP[.01]", "iP[0.01]"),
        ("iP[.010]", "iP[0.01]"),
        ("iP[1]", "iP[1.0]"),
        ("iP[1.]", "iP[1.0]"),
        ("iP[0]", "iP[.0]"),
        ("iP", "iP[.01]"),
        ("nxCG", "nxCG@10"),
        ("nxCG@010", "nxCG@10"),
        ("MAgP(beta=.25)", "MAgP(beta=0.250)"),
        ("MAgP(n=500)", "MAgP(n=500.0)"),
        ("MAgP(n=1000,score=bep)", "MAgP(score=bep,n=1000)"),
        ("MAgP()", "MAgP"),
        ("BEPD(L=1000)", "BEPD(L=1000.0)"),
        ("nxCG@10(overlap=off)", "nxCG@10"),
        (" nx CG @ 1 0 ( base = full , quant = gen ) ", "nxCG@10(quant=gen,base=full)"),
    ],
)
def test_several_ways_to_write_one_measure(written: str, same: str) -> None:
    assert measure_named(written) == measure_named(same)
    assert str(measure_named(written)) == str(measure_named(same))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"),
        ("MAP@100", "AP@100"),
        ("map_cut_5", "AP@5"),
        ("gm_map", "GMAP"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("gm_bpref", "GMBpref"),
        ("recip_rank", "RR(unit=document)"),
        ("recip_rank(rel=2)", "RR(unit=document,rel=2)"),
        ("recip_rank@5", "RR@5(unit=document)"),
        ("MRR", "RR"),
        ("mrr@10", "RR@10"),
        ("RR(rel=2)@10", "RR@10(rel=2)"),
        ("P_5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success_1", "Success@1"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("IPrec@0.10", "IPrec@.1"),
        ("Rprec_mult_1.20", "RprecMult@1.2"),
        ("ndcg", "nDCG"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_rel", "nDCGrel"),
        ("Rndcg", "RnDCG"),
        ("11pt_avg", "IPrecAvg"),
        ("relative_P_5", "RelP@5"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_F", "SetF"),
        ("set_map", "SetAP"),
        ("set_relative_P", "SetRelP"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
        ("num_nonrel_judged_ret", "NumNonRelRet"),
        ("utility", "Utility"),
        ("yaap", "YAAP"),
        ("AP(rel=2)@10", "AP@10(rel=2)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG@10(gain=exp)"),
        ("nDCG(dcg='log2', judged_only=True)@10", "nDCG@10(judged_only=on)"),
        ("SetF(beta=0.5,rel=2)", "SetF(rel=2,beta=.5)"),
        ("NumRet(rel=1)", "NumRelRet"),
        ("nxCG(base=full)@10", "nxCG@10(base=full)"),
        ("iP(alpha=1)[.5]", "iP[.5](alpha=1)"),
    ],
)
def test_names_of_other_programs(theirs: str, ours: str) -> None:
    assert measure_named(theirs) == measure_named(ours)


def test_names_of_trec_eval_are_known() -> None:
    """All that `trec_eval -m all_trec` prints, but what is no measure."""
    cut_offs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    at_cut_offs = ("P", "recall", "ndcg_cut", "map_cut", "relative_P")
    names = [f"{name}_{k}" for name in at_cut_offs for k in cut_offs]
    names += [f"iprec_at_recall_{tenths / 10:.2f}" for tenths in range(11)]
    names += [f"Rprec_mult_{fifths / 5:.2f}" for fifths in range(1, 11)]
    names += ["infAP", "binG", "G", "success_1", "success_5", "success_10", *ALIASES]
    assert not [name for name in names if problem_of(name) is not None]


def test_a_measure_of_a_user_comes_before_a_name_of_another_program() -> None:
    @dataclass(frozen=True)
    class Mine(Measure):
        name = "MRR"

    MEASURES.register(Mine)
    try:
        assert measure_named("MRR") == Mine()
    finally:
        MEASURES.unregister("MRR")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("nxCG@10", "nxCG@10(base=ideal,quant=auto,ignore=none,overlap=off,penalty=1)"),
        ("iP[.01]", "iP[0.01](alpha=0,resize=full)"),
        ("gR", "gR@10"),
        ("AP", "AP(rel=1,judged_only=off,unit=document,cover=1,of=relevant)"),
        ("EPRUM", "EPRUM(A=0.1,L=collection,targets=auto,nav=auto,quant=auto,ignore=none)"),
        ("EPRUM@5", "EPRUM@5(A=0.1,L=collection,targets=auto,nav=auto,quant=auto,ignore=none)"),
        ("EPRUM[1]", "EPRUM[1](A=0.1,L=collection,targets=auto,nav=auto,quant=auto,ignore=none)"),
        ("MAgP(beta=.25)", "MAgP(score=F,beta=0.25,n=500,irr=300)"),
    ],
)
def test_printed_names(text: str, printed: str) -> None:
    assert str(measure_named(text)) == printed


# What is wrong with a name is told


MESSAGES = [
    ("nxGC@10", "no measure 'nxGC'; did you mean nxCG?"),
    ("nxcg@10", "no measure 'nxcg'; did you mean nxCG?"),
    ("maip", "no measure 'maip'; did you mean MAiP?"),
    ("inexeval", "no measure 'inexeval'; did you mean inex_eval?"),
    ("qqqqqq", "no measure 'qqqqqq'; there are P, R, AP, "),
    ("nxCG@10(bas=full)", "nxCG has no parameter 'bas'; did you mean base?"),
    ("nxCG@10(Base=full)", "nxCG has no parameter 'Base'; did you mean base?"),
    ("nxCG@10(k=5)", "nxCG has no parameter 'k'"),
    ("iP(x=.5)", "iP has no parameter 'x'"),
    ("cP@5(zzz=1)", "cP has no parameter 'zzz'; there are alpha, resize"),
    ("sDCG(beta=1)", "sDCG has no parameters"),
    ("nxCG@10(base=fulll)", "base is 'fulll': expected ideal or full; did you mean full?"),
    ("nxCG@10(base=zzz)", "base is 'zzz': expected ideal or full"),
    ("nxCG@10(quant=gen4)", "did you mean gen"),
    ("inex_eval(quant=gen5)", "quant is 'gen5': expected one of strict, gen, sog"),
    ("inex_eval(quant=genLifted)", "quant is 'genLifted': expected one of strict, gen, sog"),
    ("nxCG@10(overlap=yes)", "overlap is 'yes': expected on or off"),
    ("MAgP(beta=one)", "beta is 'one': expected a number"),
    ("MAgP(beta=-1)", "beta is '-1': expected a number"),
    ("MAgP(beta=nan)", "beta is 'nan': expected a number"),
    ("MAgP(beta=inf)", "beta is 'inf': expected a number"),
    ("MAgP(beta=1_0)", "beta is '1_0': expected a number"),
    ("MAgP(beta=٣)", "beta is '٣': expected a number"),
    ("BEPD(L=colection)", "L is 'colection': expected a number or collection"),
    ("nxCG@0", "@0 is not a cut-off: expected a whole number above 0"),
    ("nxCG@-1", "@-1 is not a cut-off: expected a whole number above 0"),
    ("nxCG@ten", "@ten is not a cut-off"),
    ("nxCG@1.5", "@1.5 is not a cut-off"),
    ("nxCG@", "@ is not a cut-off"),
    ("nxCG@٣", "@٣ is not a cut-off"),
    ("nxCG@1000000000", "@1000000000 is not a cut-off"),
    ("iMAep@10", "iMAep has no cut-off @k"),
    ("iP@10", "iP has no cut-off @k; it has a point: iP[x]"),
    ("nxCG[0.5]", "nxCG has no point [x]; it has a cut-off: nxCG@k"),
    ("cP@5[0.5]", "cP has no point [x]"),
    ("EPRUM@5[0.5]", "EPRUM has a cut-off @k or a point [x], not both"),
    ("iP[1.01]", "[1.01] is not a point: expected a number from 0 to 1"),
    ("iP[2]", "[2] is not a point: expected a number from 0 to 1"),
    ("iP[-0.1]", "[-0.1] is not a point"),
    ("iP[]", "[] is not a point"),
    ("iP[.]", "[.] is not a point"),
    ("iP[1e-2]", "[1e-2] is not a point"),
    ("nxCG(base=full,base=full)", "base is given twice"),
    ("nxCG@5(overlap=on)", "overlap=on is for base=full"),
    ("nxCG@5(base=ideal,overlap=on)", "overlap=on is for base=full"),
    ("MAep(overlap=on,penalty=2)", "penalty must be between 0 and 1"),
    ("cP@5(alpha=1.5)", "alpha must be between 0 and 1"),
    ("BEPD(A=0)", "A and L must be above 0"),
    ("BEPD(L=0)", "A and L must be above 0"),
    ("MAgP(n=0)", "n and irr must be above 0"),
    ("ERRU@5(exponents=1+2)", "exponents must be three numbers joined by +"),
    ("ERRU@5(exponents=1+2+x)", "exponents must be three numbers joined by +"),
    ("ERRU@5(exponents=1+2+0)", "exponents must be above 0 and below 100"),
    ("ERRU@5(exponents=1+2+nan)", "exponents must be above 0 and below 100"),
    ("nxCG@10(base)", "'base' is not a parameter: expected key=value"),
    ("nxCG@10(base=)", "'base=' is not a parameter: expected key=value"),
    ("nxCG@10(=full)", "no parameter ''"),
    ("nxCG@10(base=full,)", "'' is not a parameter: expected key=value"),
    ("nxCG@10(,)", "'' is not a parameter: expected key=value"),
    ("nxCG@10(base=full", "is not a measure: expected NAME, NAME@10"),
    ("nxCG@10base=full)", "is not a measure"),
    ("nxCG@10(base=full))", "is not a measure"),
    ("nxCG@10((base=full))", "is not a measure"),
    ("iP[0.01", "is not a measure"),
    ("iP0.01]", "is not a measure"),
    ("iP[.1][.2]", "is not a measure"),
    ("nxCG@5@10", "is not a measure"),
    ("nxCG(base=full)@10(base=full)", "is not a measure"),
    ("nxCG(base=full)(base=full)", "is not a measure"),
    ("IPrec@1.1", "@1.1 is not a level: expected a number from 0 to 1"),
    ("IPrec@x", "@x is not a level: expected a number from 0 to 1"),
    ("IPrec@", "@ is not a level"),
    ("ERR@5(max=0)", "max must be between 1 and 60"),
    ("RBP(p=1)", "p must be below 1"),
    ("RR(unit=document,cover=0)", "cover and by are for unit=need"),
    ("RR(unit=need,rel=2)", "rel and judged_only are for unit=document"),
    ("ndcg_cut_0", "ndcg_cut_0 is nDCG@0: @0 is not a cut-off"),
    ("map(rle=2)", "map(rle=2) is AP(rle=2): AP has no parameter 'rle'"),
    ("nxCG@10,AP", "is not a measure"),
    ("@10", "is not a measure"),
    ("", "'' is not a measure"),
    ("   ", "is not a measure"),
    ("5", "is not a measure"),
    ("nxCG\x00", "is not a measure"),
    ("MAgP(score=é)", "score is 'é': expected one of F, bep, t2i"),
]


def test_what_is_wrong_is_told() -> None:
    problems = [(name, problem_of(name), message) for name, message in MESSAGES]
    assert not [row for row in problems if row[1] is None or row[2] not in row[1]]


def test_unknown_parameters_of_any_measure_are_named() -> None:
    for name in KINDS:
        assert f"{name} has no parameter" in (problem_of(f"{name}(nosuch=1)") or ""), name


def test_misspelt_measures_are_recognised() -> None:
    for name in KINDS:
        assert len(name) <= 3 or "did you mean" in (problem_of(name + "x") or ""), name


def test_places_that_a_measure_does_not_have_are_named() -> None:
    for name, kind in KINDS.items():
        signs = {spec.metadata.get("sign") for spec in fields(kind)}
        for sign, place, noun in (("@", "@5", "cut-off"), ("[", "[.5]", "point")):
            if sign not in signs:
                assert f"{name} has no {noun}" in (problem_of(name + place) or ""), name + place


LONG = 200_000


HOSTILE = [
    "a" * LONG,
    "nxCG@" + "9" * LONG,
    "nxCG@" + "0" * LONG,
    "nxCG@" + "0" * 11 + "1" + "9" * 11,
    "nxCG@" + "0" * 11 + "1" + "9" * LONG,
    "iP[" + "9" * LONG + "]",
    "iP[0." + "1" * LONG + "]",
    "iP[" * LONG,
    "MAgP(beta=" + "9" * LONG + ")",
    "MAgP(" + "beta=1," * LONG + "beta=1)",
    "MAgP(" + "b" * LONG + "=1)",
    "MAgP(score=" + "F" * LONG + ")",
    "(" * LONG,
    "nxCG" + "(" * LONG + ")" * LONG,
    "nxCG@10(" + "," * LONG + ")",
    "\x00" * LONG,
    "😀" * LONG,
]


def test_hostile_names_are_refused() -> None:
    assert not [name[:20] for name in HOSTILE if problem_of(name) is None]


@examples(300)
@given(st.text("nxCGiPMAep@[](),=.0159 +é\t", max_size=20))
def test_any_text_is_a_measure_or_a_problem(text: str) -> None:
    try:
        measure = measure_named(text)
    except SyntaxProblem:
        return
    assert measure_named(str(measure)) == measure


def test_hints_for_names_of_other_programs_name_measures_there_are() -> None:
    for hint in KNOWN_ELSEWHERE.values():
        if hint.startswith("ir_measures computes it: "):
            assert measure_named(hint.removeprefix("ir_measures computes it: ")).title
            continue
        words = re.findall(r"[A-Za-z_]\w*(?:@\d+)?", hint)
        named = [word for word in words if "@" in word or word in KINDS]
        assert named or hint.startswith("doxeval has none"), hint
        assert not [word for word in named if problem_of(word) is not None], hint


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("iR@10", ["cR@10"]),
        ("precall", ["inex_eval"]),
        ("GRP", ["inex_eval"]),
        ("HiXEval", ["cP@10", "cR@10", "iP[0.01]", "MAiP"]),
        ("T2I", ["MAgP(score=t2i)"]),
        ("iP@10", ["iP[x]"]),
        ("dcg@10", ["nDCG@10", "nxCG@10", "sDCG@10"]),
        ("rbp", ["RBP"]),
    ],
)
def test_suggestions_for_names_of_the_literature(text: str, nearest: list[str]) -> None:
    with pytest.raises(SyntaxProblem) as told:
        measure_named(text)
    for name in nearest:
        assert name in str(told.value)
        if name[0].isalpha() and " " not in name and "[x]" not in name:
            measure_named(name)
