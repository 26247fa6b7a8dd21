"""`irds:NAME` gives documents, topics and judgments of a data set, registered here by the test."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, TrecQuery, TrecSubQrel

from doxeval import (
    Collection,
    DoxevalError,
    build_collection,
    chunks,
    evaluate,
    read_assessments,
    read_topics,
)
from helpers import doxeval, write_files

SHOWN = {"tide/1": "The tide turns twice a day.", "fog": "Fog hides the é coast."}
NAME = "doxeval-test/small"
SUBTOPICS = "doxeval-test/subtopics"


class Page(NamedTuple):
    doc_id: str
    title: str
    url: int
    body: str


class Handlers(BaseDocs, BaseQueries, BaseQrels):  # type: ignore[misc]  # no types there
    """A data set with fields of its own."""

    def docs_iter(self) -> Iterator[Page]:
        yield Page("a", "Tides", 7, "Twice a day.")

    def docs_cls(self) -> type[Page]:
        return Page

    def queries_iter(self) -> Iterator[Any]:
        yield TrecQuery("1", "tides", "When do they turn?", "")

    def qrels_iter(self) -> Iterator[Any]:
        yield TrecSubQrel("1", "a", 2, "when")
        yield TrecSubQrel("1", "a", 0, "why")

    def qrels_defs(self) -> dict[int, str]:
        return {}


class NoNetwork(BaseDocs):  # type: ignore[misc]
    """A data set that cannot be downloaded."""

    def docs_iter(self) -> Iterator[Any]:
        raise OSError("Network is unreachable")


@pytest.fixture(scope="session", autouse=True)
def registered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    files = write_files(
        tmp_path_factory.mktemp("irds"),
        {
            "docs.tsv": "tide/1\tThe tide turns twice a day.\nfog\tFog hides the é coast.\n",
            "queries.tsv": "7\twhen does the tide turn\n8\twhat hides the coast\n",
            "qrels.txt": "7 0 tide/1 2\n7 0 fog 0\n8 0 fog 1\n",
        },
    )
    small = ir_datasets.create_dataset(
        *(str(files / name) for name in ("docs.tsv", "queries.tsv", "qrels.txt"))
    )
    sets = {
        NAME: small,
        SUBTOPICS: ir_datasets.Dataset(Handlers()),
        "doxeval-test/offline": ir_datasets.Dataset(NoNetwork()),
    }
    for name, dataset in sets.items():
        ir_datasets.registry.register(name, dataset)
    yield
    for name in sets:
        del ir_datasets.registry._registered[name]


def test_documents_become_a_collection(tmp_path: Path) -> None:
    report = build_collection(f"irds:{NAME}", tmp_path / "c")
    collection = Collection(tmp_path / "c")
    assert report.documents == 2
    assert dict(zip(collection.ids(), map(collection.text_of, range(2)), strict=True)) == SHOWN


def test_a_collection_is_that_of_the_same_lines_of_jsonl(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "text": text}) for name, text in SHOWN.items()]
    files = write_files(tmp_path, {"docs.jsonl": "\n".join(lines)})
    planned: list[int] = []
    build_collection(f"irds:{NAME}", tmp_path / "one", planned=planned.append)
    build_collection(files / "docs.jsonl", tmp_path / "two")
    one, two = Collection(tmp_path / "one"), Collection(tmp_path / "two")
    assert list(one.ids()) == list(two.ids())
    assert [one.text_of(number) for number in range(2)] == list(SHOWN.values())
    assert len(one.nodes) == len(two.nodes)


def test_topics_have_titles_and_what_else_queries_have() -> None:
    assert [(topic.id, topic.title) for topic in read_topics(f"irds:{NAME}")] == [
        ("7", "when does the tide turn"),
        ("8", "what hides the coast"),
    ]
    [topic] = read_topics(f"irds:{SUBTOPICS}")
    assert (topic.title, topic.description, topic.narrative) == (
        "tides",
        "When do they turn?",
        None,
    )


def test_judgments_are_grades_of_documents_and_of_subtopics() -> None:
    judged = read_assessments(f"irds:{NAME}")
    assert judged.to_dict() == {"7": {"tide/1": 2, "fog": 0}, "8": {"fog": 1}}
    [judgment] = read_assessments(f"irds:{SUBTOPICS}")
    assert judgment.subtopics == (("when", 2), ("why", 0))
    run = {"7": {"tide/1": 1.0}, "8": {"tide/1": 1.0}}
    assert evaluate(run, f"irds:{NAME}", "AP").mean()["run"] == {"AP": 0.5}


def test_documents_and_questions_of_a_study() -> None:
    docs = chunks.documents(f"irds:{SUBTOPICS}")
    assert dict(docs) == {"a": "Tides\nTwice a day."}, "title and body, not the number"
    gold = chunks.questions(f"irds:{NAME}", f"irds:{NAME}")
    assert gold.texts == {"7": "when does the tide turn", "8": "what hides the coast"}
    assert gold.needs["8"][0].spans[0] == ("fog", 0, len(SHOWN["fog"]))


def test_commands_take_data_sets(tmp_path: Path) -> None:
    name = f"irds:{NAME}"
    assert doxeval("collection", "build", name, "--out", tmp_path / "c").exit_code == 0
    assert doxeval("index", "build", tmp_path / "c").exit_code == 0
    run = tmp_path / "mine.run"
    done = doxeval("search", tmp_path / "c", name, "--task", "documents", "--out", run)
    assert done.exit_code == 0, done.output
    assert "1.0000" in doxeval("evaluate", run, "-a", name, "-m", "AP").stdout
    assert doxeval("topics", name).exit_code == 0
    assert doxeval("chunks", "questions", name, "--docs", name).exit_code == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("irds:beir/scifakt/test", "irds:beir/scifakt/test: ir_datasets has no such data set; did"),
        ("irds:", "irds:: ir_datasets has no such data set"),
        ("irds:doxeval-test/offline", "has no topics; it has documents"),
    ],
)
def test_wrong_names_and_missing_parts_are_errors(name: str, message: str) -> None:
    for read in (read_topics, read_assessments):
        with pytest.raises(DoxevalError) as raised:
            read(name)
        assert message.replace("topics", "judgments" if read is read_assessments else "topics") in (
            str(raised.value)
        )


def test_what_cannot_be_downloaded_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DoxevalError, match=r"irds:doxeval-test/offline: ir_datasets cannot read"):
        build_collection("irds:doxeval-test/offline", tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_without_ir_datasets_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(DoxevalError, match=r"pip install 'doxeval\[ir-datasets\]'"):
        read_topics(f"irds:{NAME}")


def test_a_format_and_subtopics_that_are_not_there_are_refused() -> None:
    with pytest.raises(DoxevalError, match="format= has no effect"):
        read_topics(f"irds:{NAME}", "inex")
    with pytest.raises(DoxevalError, match="the data set has none"):
        read_assessments(f"irds:{NAME}", subtopics=True)
