"""ir_measures asks doxeval, and doxeval asks ir_measures: the same numbers either way."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Any

import ir_measures as library
import pandas
import pytest

import doxeval.ir_measures
from doxeval import DoxevalError, DoxevalWarning, Evaluation, Run, evaluate
from doxeval.ir_measures import column, provider
from doxeval.measures import MEASURES, explain_measure, measure_named
from helpers import doxeval as command
from helpers import write_files
from strategies.trec_worlds import trec_world

WORLDS = range(50)
_PROVIDERS: Any = library.providers
OTHERS = _PROVIDERS.FallbackProvider(
    [
        each
        for each in library.DefaultPipeline.providers
        if each.NAME in ("pytrec_eval", "pyndeval", "compat")
    ]
)
# Of whole documents, with the parameters that they have there.
OF_DOCUMENTS = [
    measure(**values)
    for measure in (
        *(library.P @ 1, library.P @ 5, library.R @ 5, library.AP, library.AP @ 3, library.RR),
        *(library.Rprec, library.nDCG, library.nDCG @ 5, library.Bpref, library.infAP),
        *(library.SetP, library.SetRelP, library.SetR, library.SetF, library.SetF(beta=2.0)),
        *(library.SetAP, library.Success @ 3, library.IPrec @ 0.3, library.NumRet),
        library.NumRelRet,
    )
    for values in ({}, {"rel": 2}, {"judged_only": True}, {"rel": 3, "judged_only": True})
    if values.keys() <= measure.SUPPORTED_PARAMS.keys()
]
OF_SUBTOPICS = [
    measure(**values)
    for measure in (
        *(library.alpha_nDCG @ 5, library.ERR_IA @ 5, library.P_IA @ 5, library.StRecall @ 5),
        *(library.NRBP, library.NRBP(alpha=0.3, beta=0.8), library.alpha_nDCG(alpha=0.9) @ 3),
    )
    for values in ({}, {"rel": 2})
]


def theirs(measures: Iterable[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    """What ir_measures computes; one by one, since its ndeval reads a run only once."""
    return by_topic(
        each for measure in measures for each in OTHERS.iter_calc([measure], qrels, run)
    )


def by_topic(metrics: Iterable[Any]) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}


def documents_of(seed: int) -> tuple[list[Any], list[Any]]:
    """A world of documents, equal scores included; ids that only the suffix .xml tells apart go."""
    world = trec_world(seed, may_fail=False)
    qrels, run = (
        [line.split()[:6] for line in text.splitlines() if line.split()[2] not in ("a.xml", "./a")]
        for text in (world.qrels, world.run)
    )
    return (
        [library.Qrel(topic, document, int(grade)) for topic, _, document, grade in qrels],
        [library.ScoredDoc(row[0], row[2], float(row[4])) for row in run],
    )


def subtopics_of(seed: int) -> tuple[list[Any], list[Any]]:
    """A world of documents that answer subtopics; no two scores are equal."""
    chance = random.Random(f"subtopics {seed}")
    qrels, run = [], []
    for topic in map(str, range(1, chance.randint(2, 4))):
        for document in chance.sample("abcdefgh", 6):
            subtopics = chance.sample("123", chance.randint(1, 3))
            grades = (chance.choice([0, 1, 1, 2]) for _ in subtopics)
            qrels += [
                library.Qrel(topic, document, grade, subtopic)
                for subtopic, grade in zip(subtopics, grades, strict=True)
            ]
        qrels.append(library.Qrel(topic, "sure", 2, "1"))
        returned = chance.sample("abcdefghxyz", chance.randint(1, 9))
        scores = chance.sample(range(100), len(returned))
        pairs = zip(returned, scores, strict=True)
        run += [library.ScoredDoc(topic, document, score) for document, score in pairs]
    return qrels, sorted(run, key=lambda row: (row.query_id, -row.score))


def assert_same(found: dict[Any, float], expected: dict[Any, float]) -> None:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        # pytrec_eval has nan where nothing that is returned was judged
        assert math.isclose(found[key], 0.0 if math.isnan(value) else value, abs_tol=1e-6), key


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_documents_have_the_numbers_of_pytrec_eval() -> None:
    for seed in WORLDS:
        qrels, run = documents_of(seed)
        found = provider.iter_calc(OF_DOCUMENTS, qrels, run)
        assert_same(by_topic(found), theirs(OF_DOCUMENTS, qrels, run))


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_subtopics_have_the_numbers_of_ndeval() -> None:
    for seed in WORLDS:
        qrels, run = subtopics_of(seed)
        found = provider.iter_calc(OF_SUBTOPICS, qrels, run)
        assert_same(by_topic(found), theirs(OF_SUBTOPICS, qrels, run))


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_what_only_doxeval_has_is_what_it_says_itself() -> None:
    """Topics that are undefined are left out of the mean there, too."""
    names = "GMAP binG RprecMult@0.5 IPrecAvg RelP Utility RnDCG nDCGrel RBPresidual(p=0.5)".split()
    measures = [library.parse_measure(name) for name in names]
    for seed in WORLDS:
        qrels, run = documents_of(seed)
        expected = Evaluation(qrels, names, order="trec").score_all({"run": run}).mean()["run"]
        for form in (run, pandas.DataFrame(run)):
            found = library.calc_aggregate(measures, qrels, form)
            for name, measure in zip(names, measures, strict=True):
                mean = expected[name]
                assert mean is None or math.isclose(found[measure], mean), (seed, name)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_columns_have_the_numbers_of_ir_measures() -> None:
    of_documents = "AP Compat Compat(p=0.5,normalize=False) nDCG(gains={1:3,2:8})@5".split()
    of_subtopics = "alpha_DCG@5 AP_IA nERR_IA@5 nNRBP alpha_nDCG@5".split()
    for seed in WORLDS:
        qrels, run = documents_of(seed)
        run = [row._replace(score=len(run) - at) for at, row in enumerate(run)]  # no ties
        _assert_columns(of_documents, qrels, qrels, run)
        qrels, run = subtopics_of(seed)
        frame = pandas.DataFrame(qrels).rename(columns={"iteration": "subtopic"})
        _assert_columns(of_subtopics, qrels, frame, run)


def _assert_columns(names: list[str], qrels: list[Any], here: Any, run: list[Any]) -> None:
    columns = [f"ir_measures:{name}" for name in names]
    table = evaluate({"run": run}, here, columns).topics()["run"]
    measures = [column(library.parse_measure(name)).measure for name in names]
    expected = theirs(measures, qrels, run)
    for (name, topic), value in expected.items():
        assert table[topic][f"ir_measures:{name}"] == pytest.approx(value, nan_ok=True)


# What people write


def test_every_measure_is_known_to_ir_measures_by_its_name() -> None:
    assert set(MEASURES) <= set(library.measures.registry)
    measure = library.parse_measure("RprecMult(rel=2)@0.5")
    assert str(measure) == "RprecMult(rel=2)@0.5" == str(library.parse_measure(str(measure)))
    assert library.DefaultPipeline.providers[-1] is provider, "others come first"


def test_frames_with_spans_are_scored_as_passages() -> None:
    qrels = pandas.DataFrame(
        {"query_id": ["7"], "doc_id": ["a"], "relevance": [1], "start": [0], "end": [50]}
    )
    run = pandas.DataFrame(
        {"query_id": ["7"], "doc_id": ["a"], "score": [2.0], "start": [25], "end": [125]}
    )
    measure = library.parse_measure("cP@1")
    assert library.calc_aggregate([measure, library.P @ 1], qrels, run) == {
        measure: 0.25,
        library.P @ 1: 1.0,
    }


def test_undefined_topics_count_as_others_have_it_and_are_told() -> None:
    qrels = {"7": {"a": 1}, "8": {"a": 0}, "9": {}}
    with pytest.warns(DoxevalWarning, match="AP is undefined for 8, where nothing is relevant"):
        found = provider.calc_aggregate([library.AP], qrels, {"7": {"a": 1.0}, "8": {"a": 1.0}})
    assert found[library.AP] == pytest.approx(1 / 3)


def test_empty_runs_and_qrels() -> None:
    runs: tuple[Any, ...] = ({}, [], pandas.DataFrame({"query_id": [], "doc_id": [], "score": []}))
    for run in runs:
        with pytest.warns(DoxevalWarning, match="no results"):
            assert provider.calc_aggregate([library.AP], {"7": {"a": 1}}, run)[library.AP] == 0
    nothing: tuple[Any, ...] = ({}, [])
    for qrels in nothing:
        assert list(provider.iter_calc([library.AP], qrels, {"7": {"a": 1.0}})) == []


def test_what_doxeval_lacks_it_does_not_claim() -> None:
    assert not provider.supports(library.Compat)
    assert not provider.supports(library.RBP)  # by grades
    assert not provider.supports(library.nDCG(gains={1: 3}) @ 5)
    assert not provider.supports(library.ERR), "the cut-off of doxeval was not asked for"
    with pytest.raises(ValueError, match="doxeval does not compute Compat"):
        provider.evaluator([library.Compat], {"7": {"a": 1}})
    with pytest.raises(DoxevalError, match="GMAP has no parameter 'p'"):
        provider.supports(library.parse_measure("GMAP")(p=1))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Compat", "no measure 'Compat': ir_measures computes it: ir_measures:Compat"),
        ("NERR8@5", "ir_measures computes it: ir_measures:NERR8(max_rel=3)@10"),
        ("ir_measures:Compta", "ir_measures has no measure 'Compta'; did you mean Compat?"),
        ("ir_measures:P", "ir_measures:P needs cutoff: ir_measures:P@10"),
        ("ir_measures:AP(k=3)", "AP has no parameter 'k'; there are cutoff, rel, judged_only"),
        ("ir_measures:Compat(p='x')", "ir_measures:Compat: invalid param p='x'"),
        ("ir_measures:RBP", "ir_measures cannot compute it: Unsupported measures {RBP}"),
        ("ir_measures:alpha_DCG@5", "needs subtopics"),
        ("ir_measures:open('x')", "is not a measure of ir_measures: expected NAME, NAME@10"),
        ("ir_measures:P(cutoff=open)", "is not a measure of ir_measures"),
        ("ir_measures:" + "(" * 5000, "is not a measure of ir_measures"),
    ],
)
def test_wrong_names_say_what_is_right(name: str, message: str) -> None:
    with pytest.raises(DoxevalError) as raised:
        evaluate({"7": {"a": 1.0}}, {"7": {"a": 1}}, name)
    assert message in str(raised.value)


def test_columns_are_explained_printed_and_read_again(tmp_path: Any) -> None:
    write_files(tmp_path, {"qrels": "7 0 a 1\n7 0 b 1\n", "mine.run": "7 Q0 a 1 1 mine\n"})
    runs = (tmp_path / "mine.run", "-a", tmp_path / "qrels", "-m", "ir_measures:Compat(p=0.8)")
    out = tmp_path / "scores.csv"
    assert "ir_measures:Compat(p=0.8)" in command("evaluate", *runs).stdout
    assert command("evaluate", *runs, "--per-topic", "--format", "csv", "--out", out).exit_code == 0
    [measure] = doxeval.read_scores(out).measures
    assert measure.label == str(measure_named(measure.label)) == "ir_measures:Compat(p=0.8)"
    explained = explain_measure(measure_named(measure.label))
    assert "- `p` persistence (here 0.8; default 0.95)" in explained
    assert command("measures", "ir_measures:Compat(p=0.8)").exit_code == 0


def test_a_failing_provider_is_an_error_and_no_traceback() -> None:
    def broken(qrels: Any, run: Any) -> Any:
        raise RuntimeError("no such model")

    measure = column(library.define(broken, name="mine"))
    with pytest.raises(DoxevalError, match="ir_measures cannot compute it: no such model"):
        evaluate(Run.from_dict({"7": {"a": 1.0}}), {"7": {"a": 1}}, measure)
