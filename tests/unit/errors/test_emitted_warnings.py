"""Python never hides warnings: public functions emit each once, and results end with them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval
from doxeval import DoxevalWarning, chunks
from doxeval.cli import main
from doxeval.documents import example_collection

DOCS = {"terms": "Thirty days. Unused goods only.", "faq": "Call us. We answer on Mondays."}
GOLD = [
    {
        "id": "1",
        "question": "How long do I have?",
        "needs": [{"spans": [{"doc": "terms", "quote": "Thirty days"}]}],
    },
    {"id": "2", "question": "When?", "needs": []},
]
QRELS = {"7": {"a": 1, "b": 0}, "8": {"a": 1}}
RUN = {"7": {"a": 2.0, "b": 1.0}}  # nothing for topic 8, and so a warning


def emitted(call: Callable[[], Any]) -> list[str]:
    """The messages of doxeval that a call emits, each pointing at this file."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        call()
    own = [one for one in records if issubclass(one.category, DoxevalWarning)]
    assert {one.filename for one in own} <= {__file__}
    return [str(one.message) for one in own]


def test_evaluate_emits_each_warning_once() -> None:
    tables = []
    found = emitted(lambda: tables.append(doxeval.evaluate(RUN, QRELS, "AP")))
    assert found == list(tables[0].all_warnings())
    assert len(found) == 1


def test_warnings_of_several_runs_begin_with_their_names() -> None:
    found = emitted(lambda: doxeval.evaluate({"one": RUN, "two": RUN}, QRELS, "AP"))
    assert [text.partition(":")[0] for text in found] == ["one", "two"]


def test_an_evaluation_emits_its_own_warnings_when_it_is_made_and_those_of_runs_later(
    tmp_path: Path,
) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("7 Q0 a 5 100 0 0:3 2:3\n8 Q0 b 5 100 0 0:5\n")  # passages overlap
    made: list[doxeval.Evaluation] = []
    about_assessments = emitted(lambda: made.append(doxeval.Evaluation(qrels, "AP")))
    assert about_assessments == list(made[0].warnings) != []
    about_run = emitted(lambda: made[0].score_all({"mine": RUN}))
    assert len(about_run) == 1
    assert not set(about_run) & set(about_assessments)
    assert emitted(lambda: made[0].score(RUN)) == about_run
    together = emitted(lambda: doxeval.evaluate(RUN, qrels, "AP"))
    assert together == about_assessments + about_run


def test_a_warning_points_at_the_line_that_called() -> None:
    with pytest.warns(DoxevalWarning) as records:
        doxeval.evaluate(RUN, QRELS, "AP")
    (record,) = records
    assert record.filename == __file__
    line = Path(__file__).read_text().splitlines()[record.lineno - 1]
    assert line.strip() == 'doxeval.evaluate(RUN, QRELS, "AP")'


def test_warnings_can_be_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoxevalWarning)
        with pytest.raises(DoxevalWarning, match="8"):
            doxeval.evaluate(RUN, QRELS, "AP")


class TestEachFunction:
    """What a result warns about is emitted, too, once, by every public function."""

    def test_reading(self, tmp_path: Path) -> None:
        qrels = tmp_path / "qrels.txt"
        qrels.write_text("7 Q0 a 5 100 0 0:3 2:3\n")
        assert emitted(lambda: doxeval.read_assessments(qrels)) == list(
            doxeval.read_assessments(qrels).warnings
        )
        run = tmp_path / "mine.jsonl"
        run.write_text('{"topic": "7", "doc": "a", "score": 1}\n{"topic": "7", "doc": "b"}\n')
        found = emitted(lambda: doxeval.read_run(run))
        assert found == list(doxeval.read_run(run).warnings) != []

    def test_compare_correlate_and_agreement(self) -> None:
        table = doxeval.evaluate({"one": RUN, "two": RUN}, QRELS, ["AP", "P@1"])
        notes = doxeval.compare(table, "AP").notes
        assert emitted(lambda: doxeval.compare(table, "AP")) == list(notes) != []
        notes = doxeval.correlate(table).notes
        assert emitted(lambda: doxeval.correlate(table)) == list(notes) != []
        notes = doxeval.significant_agreement(table).notes
        assert emitted(lambda: doxeval.significant_agreement(table)) == list(notes) != []

    def test_report(self, tmp_path: Path) -> None:
        table = doxeval.evaluate({"one": RUN, "two": RUN}, QRELS, ["AP", "P@1"])
        found = emitted(
            lambda: doxeval.report(table, tmp_path / "a.html", topics=[doxeval.Topic("7")])
        )
        assert found == list(dict.fromkeys(found))
        assert set(found) >= set(doxeval.compare(table, "AP").notes)
        assert not set(found) & set(table.all_warnings())

    def test_search_simulate_and_pool(self, tmp_path: Path) -> None:
        collection = example_collection({"a": "<s><p>Fog.</p><p>A horn.</p></s>"})
        index = doxeval.Index(
            doxeval.build_index(collection, tmp_path / "index").directory, collection
        )
        found = emitted(lambda: doxeval.search(index, {"7": "nosuchword"}))
        assert found == list(doxeval.search(index, {"7": "nosuchword"}).warnings) != []
        query = "//p[about(., fog) and .//p/@year > 1990]"
        found = emitted(lambda: doxeval.search_words(index, query, task="vvcas"))
        assert len(found) == 1
        assert "ignored" in found[0]
        judged = doxeval.Assessments.from_dict({"7": {"a": []}})
        found = emitted(lambda: doxeval.simulate(judged, collection, "perfect"))
        assert found == list(doxeval.simulate(judged, collection, "perfect").warnings) != []
        found = emitted(lambda: doxeval.pool_runs([RUN], depth=1, topics=["7", "9"]))
        assert found == list(doxeval.pool_runs([RUN], depth=1, topics=["7", "9"]).warnings) != []

    def test_what_is_not_read_of_a_folder(self, tmp_path: Path) -> None:
        folder = tmp_path / "handbook"
        folder.mkdir()
        (folder / "terms.txt").write_text(DOCS["terms"])
        (folder / "faq.png").write_text("%PDF")
        said = [*chunks.documents(folder).warnings]
        assert len(said) == 1
        assert emitted(lambda: chunks.documents(folder)) == said
        calls: list[Callable[[], Any]] = [
            lambda: chunks.split(folder, "sentences:1:0"),
            lambda: chunks.locate(folder, ["Thirty days."]),
            lambda: chunks.evaluate({"1": [("terms", 0, 9)]}, GOLD, "all@1", docs=folder),
            lambda: chunks.compare(folder, GOLD, "sentences:1:0", budget=4),
        ]
        for call in calls:
            assert emitted(call).count(said[0]) == 1
        docs = chunks.documents(folder)
        assert emitted(lambda: chunks.split(docs, "sentences:1:0")) == []
        found = emitted(lambda: doxeval.build_collection(folder, tmp_path / "collection"))
        assert len(found) == 1
        assert ".png" in found[0]

    def test_studies_of_chunks(self) -> None:
        docs = chunks.documents(DOCS)
        gold = chunks.questions(GOLD, docs)
        assert emitted(lambda: chunks.questions(GOLD, docs)) == list(gold.warnings) != []
        cut = chunks.split(docs, "sections")
        assert emitted(lambda: chunks.split(docs, "sections")) == list(cut.warnings) != []
        for call in (chunks.limits, chunks.oracle, chunks.search):
            about: Any = call(cut, GOLD)
            found = emitted(lambda call=call: call(cut, GOLD))  # type: ignore[misc]
            assert found == list(about.warnings) == list(dict.fromkeys(found)), call
            assert set(gold.warnings) <= set(found), call
        found = emitted(lambda: chunks.retrieve(lambda _: [], gold, cut))
        assert found == ["questions for which nothing was returned: 1, 2"]
        found = emitted(lambda: chunks.evaluate({"1": [("terms", 0, 9)]}, GOLD, "all@1", docs=docs))
        assert len(set(found)) == len(found) >= len(gold.warnings)
        located = emitted(lambda: chunks.locate(docs, ["Thirty days.", "Not there at all, no."]))
        assert len(located) == len(set(located)) >= 1

    def test_comparisons_of_chunks(self) -> None:
        studies: list[chunks.Study] = []
        cuts = {"sections": "sections", "sentences": "sentences:1:0"}
        found = emitted(lambda: studies.append(chunks.compare(DOCS, GOLD, cuts, budget=8)))
        assert found == list(studies[0].warnings) == list(dict.fromkeys(found))
        assert any(text.startswith("sections: ") for text in found)
        found = emitted(lambda: chunks.grid(DOCS, GOLD, cuts, k=[1], measures=["cR"]))
        assert any(text.startswith("sections: ") for text in found)
        assert len(set(found)) == len(found)


def test_a_retriever_that_calls_doxeval_emits_its_own_warnings() -> None:
    cut = chunks.split(DOCS, "sentences:1:0")

    def retriever(question: str) -> list[str]:
        return [cut.texts[0]] if chunks.search(cut, {"x": "zzz"}) else []

    found = emitted(lambda: chunks.retrieve(retriever, {"1": "What?"}, cut))
    assert sum("x" in text and "nothing was found" in text for text in found) == 1


def test_results_end_with_their_warnings() -> None:
    table = doxeval.evaluate({"one": RUN, "two": RUN}, QRELS, "AP")
    lines = [f"warning: {text}" for text in table.all_warnings()]
    assert repr(table).splitlines()[-2:] == lines
    assert lines[0] in table._repr_html_()
    comparison = doxeval.compare(table)
    assert repr(comparison).splitlines()[-1] == f"warning: {comparison.notes[-1]}"
    study = chunks.compare(DOCS, GOLD, "sections", budget=8)
    assert repr(study).splitlines()[-1] == f"warning: {study.warnings[-1]}"


def test_of_many_warnings_a_result_shows_the_first() -> None:
    runs = {f"run {number}": RUN for number in range(15)}
    lines = repr(doxeval.evaluate(runs, QRELS, "AP")).splitlines()
    assert lines[-1] == "… and 5 more warnings"
    assert sum(line.startswith("warning: ") for line in lines) == 10


def test_a_command_emits_nothing_in_the_process_of_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("7 0 a 1\n8 0 a 1\n")
    (tmp_path / "mine.run").write_text("7 Q0 a 1 1.0 mine\n")
    arguments = ["evaluate", "mine.run", "-a", "qrels", "-m", "AP"]
    before = list(warnings.filters)
    assert emitted(lambda: CliRunner().invoke(main, arguments)) == []
    assert warnings.filters == before
