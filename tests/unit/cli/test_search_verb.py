"""The verb search."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import doxeval as package
from doxeval.documents import Collection
from doxeval.errors import InputError
from doxeval.retrieve import TASKS, Index, build_index, search_words
from doxeval.retrieve import search as run_for
from doxeval.runs import read_run
from doxeval.topics import read_topics
from helpers import doxeval

TOPICS = Path(package.__file__).parent / "demo_data" / "topics.xml"


@pytest.fixture(scope="module")
def sea(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = Path(shutil.copytree(demo, tmp_path_factory.mktemp("verb") / "sea"))
    build_index(Collection(directory))
    return directory


@pytest.mark.parametrize("task", list(TASKS))
def test_it_writes_a_run_that_is_valid(sea: Path, tmp_path: Path, task: str) -> None:
    out = tmp_path / "my.run"
    result = doxeval("search", sea, TOPICS, "--task", task, "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{out}: ")
    run = run_for(Index.of(sea), TOPICS, task)
    assert read_run(out) == run
    checked = doxeval("validate", out, "--task", task, "--collection", sea, "--topics", TOPICS)
    assert "  0 errors, 0 warnings" in checked.stdout


def test_options_reach_the_search(sea: Path, tmp_path: Path) -> None:
    out = tmp_path / "my.jsonl"
    arguments = (
        "--task", "relevant-in-context", "--model", "bm25(k1=2)", "--articles", "best", "--keep",
        ".6", "--elements", "//(sec|p)", "--min-words", 5, "--phrases", "words", "--stop", "none",
        "--query", "description", "--topic", "301", "--topic", "303", "-k", 20, "--run-id", "x",
    )  # fmt: skip
    result = doxeval("search", sea, TOPICS, *arguments, "--out", out)
    assert result.exit_code == 0, result.output
    topics = [topic for topic in read_topics(TOPICS) if topic.id in ("301", "303")]
    expected = run_for(
        Index.of(sea),
        topics,
        "relevant-in-context",
        "bm25(k1=2)",
        articles="best",
        keep=0.6,
        elements="//(sec|p)",
        min_words=5,
        phrases="words",
        stop="none",
        query="description",
        max_results=20,
        run_id="x",
    )
    assert read_run(out) == expected
    again = doxeval("search", sea, TOPICS, "--out", out)
    assert (again.exit_code, again.stdout) == (1, "")
    assert f"{out} exists; --force replaces it" in again.stderr
    assert doxeval("search", sea, TOPICS, "--out", out, "--force").exit_code == 0


def test_words_show_the_ten_best_with_paths_and_snippets(sea: Path) -> None:
    result = doxeval("search", sea, "--words", "fog horn")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 20
    assert lines[0].startswith(" 1. fog /article[1]/")
    assert "horn" in lines[1] and "fog" in lines[1]
    points = doxeval(
        "search", sea, "--words", "fog", "--units", "windows(20,5)", "--max-results", 2
    )
    assert points.stdout.count(" characters ") == 2
    nothing = doxeval("search", sea, "--words", "qwertz")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "warning: no word of the query occurs in the collection" in nothing.stderr


def test_elements_that_are_not_there_are_not_taken_for_missing_words(
    sea: Path, tmp_path: Path
) -> None:
    message = "no element of the collection matches this"
    for arguments in (
        ("--words", "fog"),
        ("--words", "//sec[about(., fog)]", "--task", "vvcas"),
        (TOPICS, "--out", tmp_path / "x.run"),
    ):
        result = doxeval("search", sea, *arguments, "--elements", "//nosuch")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "//nosuch" in result.stderr
        assert message in result.stderr
    with pytest.raises(InputError, match=message):
        search_words(Index.of(sea), "fog", elements="//nosuch")
    short = doxeval("search", sea, "--words", "fog", "--min-words", 100_000)
    assert (short.exit_code, short.stdout) == (0, "")
    assert "words of the query occur, but in nothing that may be returned" in short.stderr
    out = ("--min-words", 100_000, "--out", tmp_path / "x.run")
    assert "is in what may be returned" in doxeval("search", sea, TOPICS, *out).stderr


def test_words_may_be_nexi(sea: Path) -> None:
    result = doxeval("search", sea, "--words", "//sec[about(.//p, fog)]", "--task", "sscas")
    assert result.exit_code == 0
    assert "/sec[" in result.stdout.splitlines()[0]
    wrong = doxeval("search", sea, "--words", "fog", "--task", "sscas")
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "column 1: expected '//' at the beginning" in wrong.stderr


def test_scores_are_explained(sea: Path) -> None:
    path = "/article[1]/body[1]/sec[3]/p[1]"
    result = doxeval("search", sea, TOPICS, "--explain", "301", "fog", path)
    assert result.exit_code == 0, result.output
    first, *_, last = result.stdout.splitlines()
    assert first.startswith(f"fog {path}: ") and "lm(element=0.2" in first
    assert last.startswith("score")
    whole = doxeval("search", sea, TOPICS, "--explain", "301", "fog", "--task", "documents")
    assert whole.stdout.startswith("fog: ")
    words = doxeval("search", sea, "--words", "fog", "--explain", "fog", path)
    assert words.stdout.startswith(f"fog {path}: ")
    spans = ("--units", "windows(20,20)", "--model", "bm25(feedback=2,titles=3)")
    start, _, end = doxeval("search", sea, "--words", "fog", *spans).stdout.split()[3:6]
    span = f"{start}-{end}".replace(",", "")
    window = doxeval("search", sea, "--words", "fog", *spans, "--explain", "fog", span)
    assert window.stdout.startswith(f"fog characters {start} to {end}: "), window.output
    assert window.stdout.splitlines()[-1].startswith("score")
    for arguments, message in (
        (("--explain", "1", "fog"), "no topic '1' in the file"),
        (("--explain", "301", "frog"), "no document 'frog'"),
        (("--explain", "301", "fog", "/article[1]/nothing[1]"), "nothing at"),
    ):
        refused = doxeval("search", sea, TOPICS, *arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert message in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give TOPICS, or a query with --words"),
        ((TOPICS,), "give the file of the run: --out RUN"),
        ((TOPICS, "/p[1]", "--out", "x"), "a part of a document is for --explain"),
        ((TOPICS, "--words", "fog"), "--words is the query; leave out TOPICS"),
        (("--words", "fog", "--out", "x"), "--out is for runs, not for --words"),
        (("--words", "fog", "--topic", "1"), "--topic is for runs, not for --words"),
        (("--words", "fog", "--keep", "0.5"), "--keep has no effect on focused"),
        (("--words", "fog", "--hint", "0.5"), "--hint is for vscas and vvcas"),
        (("--words", "fog", "--overlap", "none"), "--overlap is for tasks with structure"),
        (("--words", "fog", "--articles", "bm25"), "--articles has no effect"),
        (
            ("--words", "fog", "--task", "documents", "--model", "lm", "--articles", "lm"),
            "--articles has no effect: --model ranks documents",
        ),
        (("--words", "fog", "--units", "passages", "--elements", "//p"), "--elements is for"),
        ((TOPICS, "--explain", "301", "fog", "--out", "x"), "--out has no effect with --explain"),
        (("--words", "fog", "--task", "foccused"), "foccused"),
    ],
)
def test_what_has_no_effect_is_refused(
    sea: Path, arguments: tuple[object, ...], message: str
) -> None:
    result = doxeval("search", sea, *arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "bm52"), "no model 'bm52'; did you mean bm25?"),
        (("--units", "sentences"), "--units sentences: expected elements, windows(words,step)"),
        (("--stop", "nowhere.txt"), "--stop nowhere.txt: expected english, none or a file"),
        (("--topic", "999"), "no topic '999' in the file"),
        (("--query", "ontopic_keywords"), "no topic has ontopic_keywords"),
        (("--elements", "sec"), "path pattern 'sec', column 1"),
        (("--index", "nowhere"), "nowhere: no such directory; build_index"),
    ],
)
def test_what_is_wrong_is_told(
    sea: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = doxeval("search", sea, TOPICS, "--out", tmp_path / "x.run", *arguments)
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_topics_without_a_query_can_be_skipped(sea: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text(
        '{"id": "1", "title": "fog"}\n{"id": "2", "description": "horn"}\n', encoding="utf-8"
    )
    arguments = ("search", sea, tmp_path / "topics.jsonl", "--out", tmp_path / "x.run")
    result = doxeval(*arguments)
    assert result.exit_code == 1
    assert "topics without a title: 2; --skip-missing leaves them out" in result.stderr
    result = doxeval(*arguments, "--skip-missing")
    assert result.exit_code == 0
    assert "warning: topics without a title, which are skipped: 2" in result.stderr


def test_a_run_without_results_is_not_written(sea: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tqwertz\n", encoding="utf-8")
    out = tmp_path / "x.run"
    result = doxeval("search", sea, tmp_path / "topics.tsv", "--out", out)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "focused-lm returns nothing" in result.stderr
    assert not out.exists()


def test_a_collection_without_an_index(demo: Path) -> None:
    result = doxeval("search", demo, "--words", "fog")
    assert result.exit_code == 1
    assert "the collection has no index; build_index, or `doxeval index build " in result.stderr


@pytest.mark.parametrize("words", ["", " ", "…", '""'])
def test_a_query_without_words_is_an_error(sea: Path, words: str) -> None:
    result = doxeval("search", sea, "--words", words)
    assert result.exit_code == 1
    assert "has no words" in result.stderr


def test_topics_of_an_unknown_format_are_refused_without_naming_the_format_of_runs(
    sea: Path, tmp_path: Path
) -> None:
    (tmp_path / "topics.dat").write_text("1\tfog\n", encoding="utf-8")
    result = doxeval("search", sea, tmp_path / "topics.dat", "--out", tmp_path / "a.run")
    assert result.exit_code == 1
    assert "expected one of .xml, .jsonl" in result.stderr
    assert "--format" not in result.stderr
