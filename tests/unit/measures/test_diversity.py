"""Diversity: golden values, pyndeval on random worlds, and where subtopics come from."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment, NeededSpan, read_assessments
from doxeval.errors import MissingInput, SyntaxProblem
from doxeval.evaluation import evaluate
from doxeval.measures import measure_named
from helpers import write_files
from levels import LEVEL

GOLDEN = {
    "ERR_IA@5": 0.635401,
    "alpha_nDCG@5": 0.840606,
    "NRBP": 0.65625,
    "P_IA@5": 0.3,
    "StRecall@1": 0.5,
}
QRELS = "7 1 a 1\n7 2 a 1\n7 2 b 1\n"
RUN = {"7": {"b": 2.0, "a": 1.0}}


@pytest.mark.parametrize(("name", "value"), GOLDEN.items())
def test_golden_values_of_ndeval(name: str, value: float, tmp_path: Path) -> None:
    write_files(tmp_path, {"qrels": QRELS})
    scores = evaluate(RUN, tmp_path / "qrels", name)
    assert scores.mean()["run"][name] == pytest.approx(value, abs=5e-7)


def test_needs_are_subtopics() -> None:
    needs = (NeededSpan("1", 0, 5), NeededSpan("2", 9, 12))
    other = (NeededSpan("2", 3, 4), NeededSpan("2", 7, 8))
    judged = Assessments([Judgment("7", "a", needs=needs), Judgment("7", "b", needs=other)])
    scores = evaluate(RUN, judged, list(GOLDEN)).mean()["run"]
    assert scores == pytest.approx(GOLDEN, abs=5e-7)


def test_grades_of_whole_documents_are_no_subtopics() -> None:
    with pytest.raises(MissingInput, match=r"alpha_nDCG@5 needs subtopics .* subtopics=True"):
        evaluate(RUN, {"7": {"a": 1, "b": 1}}, "alpha_nDCG@5")


def test_subtopics_that_no_document_answers_do_not_count(tmp_path: Path) -> None:
    write_files(tmp_path, {"qrels": QRELS + "7 3 a 0\n7 3 b -1\n8 1 a 0\n8 2 a 0\n"})
    topics = evaluate(RUN, tmp_path / "qrels", "StRecall@5").topics()["run"]
    assert topics == {"7": {"StRecall@5": 1.0}, "8": {"StRecall@5": None}}


def test_a_greedy_ideal_list_can_be_beaten(tmp_path: Path) -> None:
    """The last of three documents with four subtopics each shares two with each of the others."""
    answers = {"a": "1234", "b": "5678", "c": "1256"}
    lines = [f"7 {subtopic} {doc} 1\n" for doc, several in answers.items() for subtopic in several]
    write_files(tmp_path, {"qrels": "".join(lines)})
    best = {"7": {"a": 3.0, "b": 2.0, "c": 1.0}}
    score = evaluate(best, tmp_path / "qrels", "alpha_nDCG@3").mean()["run"]["alpha_nDCG@3"]
    assert score is not None
    assert 1 < score < 1.02


@pytest.mark.parametrize(
    "name", ["alpha_nDCG(alpha=1.5)", "ERR_IA(alpha=2)", "NRBP(beta=1)", "NRBP(alpha=1.1)"]
)
def test_parameters_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(SyntaxProblem, match=r"must be"):
        measure_named(name)


# pyndeval

CUT_OFFS = (2, 5, 20)  # at rank 1, ndeval does not divide ERR-IA


def random_world(
    random: Random,
) -> tuple[list[tuple[str, str, str, int]], list[tuple[str, str, float]]]:
    """Return qrels with subtopics, and a run with ties."""
    documents = [f"d{number}" for number in range(random.randint(2, 14))]
    qrels = [
        (topic, str(subtopic), document, random.choice([-1, 0, 0, 1, 1, 2]))
        for topic in "123"[: random.randint(1, 3)]
        for subtopic in range(random.randint(1, 6))
        for document in documents
        if random.random() < 0.7
    ]
    run = [
        (topic, document, float(random.randint(1, 4)))
        for topic in "123"
        for document in random.sample([*documents, "x", "y"], random.randint(1, len(documents)))
    ]
    return qrels, run


@pytest.mark.parametrize("number", range(40 if LEVEL == "unit" else 300))
def test_pyndeval_says_the_same(number: int, tmp_path: Path) -> None:
    pyndeval: Any = pytest.importorskip("pyndeval", reason="pyndeval is not installed")
    random = Random(number)
    qrels, run = random_world(random)
    if not qrels:
        return
    alpha, beta = random.choice([0.0, 0.25, 0.5, 0.7, 1.0]), random.choice([0.25, 0.5, 0.8])
    rel = random.choice([1, 2])
    names = {
        "ERR-IA@{k}": f"ERR_IA@{{k}}(alpha={alpha},rel={rel})",
        "alpha-nDCG@{k}": f"alpha_nDCG@{{k}}(alpha={alpha},rel={rel})",
        "P-IA@{k}": f"P_IA@{{k}}(rel={rel})",
        "strec@{k}": f"StRecall@{{k}}(rel={rel})",
    }
    both = [(a.format(k=k), b.format(k=k)) for k in CUT_OFFS for a, b in names.items()]
    both.append(("NRBP", f"NRBP(alpha={alpha},beta={beta},rel={rel})"))
    theirs, ours = zip(*both, strict=True)
    evaluator = pyndeval.RelevanceEvaluator(
        qrels, theirs, relevance_level=rel, alpha=alpha, beta=beta
    )
    expected = evaluator.evaluate(run)
    write_files(
        tmp_path,
        {
            "qrels": "".join(f"{' '.join(map(str, line))}\n" for line in qrels),
            "run": "".join(f"{topic} Q0 {name} 0 {score} run\n" for topic, name, score in run),
        },
    )
    judged = read_assessments(tmp_path / "qrels", subtopics=True)
    table = evaluate(tmp_path / "run", judged, ours, order="rsv")
    labels = [facts.label for facts in table.measures]
    for topic, scores in table.topics()["run"].items():
        for name, label in zip(theirs, labels, strict=True):
            score = 0.0 if scores[label] is None else scores[label]
            assert score == pytest.approx(expected[topic][name], abs=1e-12), (topic, label)
