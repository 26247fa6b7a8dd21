"""The commands of `doxeval chunks` that cut, search, compare and rewrite."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helpers import doxeval, write_files

HANDBOOK = """# Delivery

## Times

Orders that reach us before noon leave the warehouse on the same day. All other orders leave on the
next working day. A parcel within the country is on its way for one or two days.

## Cost

Delivery costs 4 euros. Orders above 50 euros are delivered free of charge.
"""
QUESTIONS = [
    ("1", "What does delivery cost?", "Delivery costs 4 euros.", "cost"),
    ("2", "How long is a parcel on its way?", "A parcel within the country is on its way", "time"),
    ("3", "When do orders leave the warehouse?", "Orders that reach us before noon", "time"),
]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("handbook").mkdir()
    Path("handbook/delivery.md").write_text(HANDBOOK)
    lines = [
        {
            "id": name,
            "question": question,
            "needs": [{"spans": [{"doc": "delivery", "quote": quote}]}],
            "tags": [tag],
        }
        for name, question, quote, tag in QUESTIONS
    ]
    Path("q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def run(*arguments: str) -> Any:
    result = doxeval("chunks", *arguments)
    assert result.exit_code == 0, result.stderr
    return result


def test_try_needs_nothing_but_documents_and_questions(work: Path) -> None:
    result = run("try", "handbook", "q.jsonl", "--budget", "80", "--report", "r.html")
    for word in ("recursive:800:0", "sections", "bR@20", "U@80", "lost by chunking", "best: "):
        assert word in result.stdout
    assert Path("r.html").exists()
    rows = json.loads(
        run(
            *("try", "handbook", "q.jsonl", "--by", "sentences:1:0", "--format", "json"),
            *("--report", "s.html"),
        ).stdout
    )
    assert [row["chunking"] for row in rows] == ["sentences:1:0"]


def test_try_accepts_altered_quotes_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "terms.txt").write_text("You may keep a book for thirty days. It is free.")
    row = "How long may I keep a book?,keep the book for thirty days"
    (tmp_path / "q.csv").write_text(f"question,quote\n{row}\n")
    arguments = ("chunks", "try", tmp_path / "docs", tmp_path / "q.csv", "--by", "sentences:1:0")
    refused = doxeval(*arguments, "--budget", "9")
    assert refused.exit_code == 1 and "a text with similarity 0.87 stands at 8" in refused.stderr
    accepted = doxeval(*arguments, "--budget", "9", "--similar", ".8")
    assert accepted.exit_code == 0, accepted.stderr
    assert "not to the letter in any document (similarity 0.87)" in accepted.stderr
    assert "sentences:1:0  1.000" in accepted.stdout


def test_the_way_from_a_cut_to_scores(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--by", "words:10:0", "--out", "cuts")
    assert json.loads(Path("cuts/words-10-0.jsonl").read_text().splitlines()[0])["text"]
    limits = run("limits", "cuts/sentences-1-0.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    assert "paragraphs" in limits.stdout
    told = run("limits", "cuts/sentences-1-0.jsonl", "cuts/words-10-0.jsonl", "-g", "q.jsonl")
    assert "not known without the documents: --docs" in told.stderr
    found = json.loads(
        run("limits", "cuts/sentences-1-0.jsonl", "-g", "q.jsonl", "--docs", "handbook",
            "--format", "json").stdout
    )  # fmt: skip
    assert found["sentences-1-0"]["intact"] == 1

    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl", "-k", "3")
    run("rewrite", "run.jsonl", "--chunks", "cuts/sentences-1-0.jsonl", "--docs", "handbook",
        "--expand", "1", "--join", "--dedupe", "--budget", "30", "--out", "wide.jsonl")  # fmt: skip
    scores = run("evaluate", "run.jsonl", "wide=wide.jsonl", "-g", "q.jsonl", "--docs", "handbook",
                 "--chunks", "cuts/sentences-1-0.jsonl", "--by", "tag")  # fmt: skip
    for word in ("bR@1000", "oracle (greedy)", "read with 5 results", "mean of tags", "wide"):
        assert word in scores.stdout


def test_chunks_evaluate_gives_what_evaluate_gives(work: Path) -> None:
    by = "words:20:5"
    run("split", "handbook", "--by", by, "--by", "paragraphs", "--out", "split")
    run("gold", "q.jsonl", "--docs", "handbook", "--out", "judged.jsonl")
    for name in ("words-20-5", "paragraphs"):
        searched = ("search", f"split/{name}.jsonl", "q.jsonl", "--run-id", name)
        run(*searched, "--out", f"{name}.jsonl")
    files = ("words-20-5.jsonl", "paragraphs.jsonl")
    shared = [word for file in files for word in ("--chunks", f"split/{file}")]
    shared += ["--format", "csv", "--per-topic"]
    by_chunks = run("evaluate", *files, "-g", "judged.jsonl", "--docs", "handbook", *shared)
    words = ("-a", "judged.jsonl", "--preset", "rag", "--texts", "handbook")
    by_preset = doxeval("evaluate", *files, *words, *shared)
    assert by_preset.exit_code == 0, by_preset.stderr
    # Here it goes without saying that duplicates are kept.
    assert by_preset.stdout.replace("(duplicates=keep)", "") == by_chunks.stdout
    assert by_chunks.stdout.count("\n") > 60


def test_chunks_search_gives_what_search_gives(work: Path) -> None:
    run("split", "handbook", "--by", "words:12:4", "--out", "split")
    run("search", "split/words-12-4.jsonl", "q.jsonl", "--out", "run.jsonl")
    topics = [{"id": name, "title": question} for name, question, _, _ in QUESTIONS]
    Path("t.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics))
    for words in (
        ("collection", "build", "handbook", "--id", "path", "--out", "c"),
        ("index", "build", "c"),
        ("search", "c", "t.jsonl", "--task", "thorough", "--units", "split/words-12-4.jsonl",
         "--model", "bm25(k1=1.2,b=0.75,context=0)", "--out", "same.jsonl"),
    ):  # fmt: skip
        assert doxeval(*words).exit_code == 0
    lists = []
    for file in ("run.jsonl", "same.jsonl"):
        results = map(json.loads, Path(file).read_text().splitlines())
        lists.append(
            [[one[name] for name in ("topic", "start", "end", "score")] for one in results]
        )
    assert lists[0] == lists[1] and len(lists[0]) > 5


def test_runs_of_one_id_are_called_by_their_files_below_the_table_too(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    for file, k in (("few", "1"), ("many", "3")):
        run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", f"{file}.jsonl", "-k", k,
            "--run-id", "bm25")  # fmt: skip
    lines = Path("few.jsonl").read_text().splitlines(keepends=True)
    Path("few.jsonl").write_text("".join(lines[1:]))
    result = run("evaluate", "few.jsonl", "many.jsonl", "-g", "q.jsonl", "--docs", "handbook",
                 "--chunks", "cuts/sentences-1-0.jsonl", "--by", "tag", "--per-topic")  # fmt: skip
    assert "bm25" not in result.output
    lines = [line for line in result.stdout.splitlines() if line.startswith(("few", "many"))]
    assert len(lines) > 10
    read = [line for line in lines if "read with 5 results" in line]
    assert [line.partition(":")[0] for line in read] == ["few", "many"]
    assert "warning: few: no results for 1 of 3" in result.stderr


def test_scores_may_fail_a_build(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl")
    scored = ("evaluate", "run.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    run(*scored, "--fail-under", "bR@1000=.5", "--out", "last.json", "--format", "json")
    again = ("--baseline", "last.json", "--max-drop", ".01", "--junit", "j.xml")
    run(*scored, *again)
    Path("empty.jsonl").write_text('{"topic": "1", "doc": "delivery", "start": 0, "end": 5}\n')
    failed = doxeval(
        "chunks", "evaluate", "bm25=empty.jsonl", "-g", "q.jsonl", "--docs", "handbook", *again
    )
    assert failed.exit_code == 1
    assert "<failure" in Path("j.xml").read_text()


def lose_gold(count: int) -> None:
    """Let the quotes of the last questions be gone from the documents."""
    records = [json.loads(line) for line in Path("q.jsonl").read_text().splitlines()]
    for record in records[-count:]:
        record["needs"][0]["spans"][0]["quote"] = f"No such thing as {record['id']} anywhere."
    Path("q.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def test_gold_that_is_not_found_fails_the_gate(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl")
    lose_gold(1)
    words = ("evaluate", "run.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    gated = (*words, "--fail-under", "bR@500=.1", "--out", "scores.json", "--junit", "j.xml")
    result = doxeval("chunks", *gated)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.splitlines() == [
        "Error: q.jsonl: 1 of 3 quotes not found; --max-missing allows a number or a share",
        "  question 3: not found in delivery: 'No such thing as 3 anywhere.'",
    ]
    assert not Path("scores.json").exists() and not Path("j.xml").exists()
    allowed = run(*gated, "--max-missing", "34%")
    assert allowed.stderr.count("question 3: not found in delivery") == 1
    assert "passed: bR@500" in allowed.stderr
    told = json.loads(Path("scores.json").read_text())["warnings"]
    assert "question 3: not found in delivery: 'No such thing as 3 anywhere.'" in told
    # Texts of questions are enough to search for them.
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "again.jsonl")
    limits = ("limits", "cuts/sentences-1-0.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    for others in (limits, ("try", "handbook", "q.jsonl")):
        refused = doxeval("chunks", *others)
        assert refused.exit_code == 1
        assert "1 of 3 quotes not found; --max-missing allows" in refused.stderr
        assert "question 3: not found in delivery" in run(*others, "--max-missing", "1").stderr


def test_judged_ranges_that_are_not_in_the_documents_fail_the_gate(work: Path) -> None:
    run("gold", "q.jsonl", "--docs", "handbook", "--out", "judged.jsonl")
    more = [
        {"topic": "8", "doc": "gone", "start": 0, "end": 9},
        {"topic": "9", "doc": "delivery", "start": 5, "end": 99_999},
    ]
    with Path("judged.jsonl").open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in more)
    Path("run.jsonl").write_text('{"topic": "1", "doc": "delivery", "start": 0, "end": 9}\n')
    result = doxeval("chunks", "evaluate", "run.jsonl", "-g", "judged.jsonl", "--docs", "handbook")
    assert result.exit_code == 1
    assert "2 of 5 quotes not found" in result.stderr
    assert "  question 8: no document 'gone'\n" in result.stderr
    assert "  question 9: [5, 99999) is not in delivery, which has " in result.stderr


def test_without_any_gold_nothing_is_defined_and_no_nan_is_printed(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl")
    lose_gold(3)
    for more in ((), ("--max-missing", "100%")):
        tried = doxeval("chunks", "try", "handbook", "q.jsonl", *more)
        assert tried.exit_code == 1 and "nan" not in tried.output
    assert tried.stderr.endswith("Error: scores are not defined: no question has gold\n")
    lax = ("-g", "q.jsonl", "--docs", "handbook", "--max-missing", "100%")
    scored = run("evaluate", "run.jsonl", *lax, "--by", "tag")
    assert "run: not defined: no question has gold\n" in scored.stdout
    assert "nan" not in scored.output
    gated = doxeval("chunks", "evaluate", "run.jsonl", *lax, "--fail-under", "bR@500=.1")
    assert gated.exit_code == 1
    assert "failed: bR@500 is undefined for every topic; the limit is 0.1" in gated.stderr
    assert "nan" not in run("limits", "cuts/sentences-1-0.jsonl", *lax).output
    as_json = run("limits", "cuts/sentences-1-0.jsonl", *lax, "--format", "json").stdout
    assert json.loads(as_json)["sentences-1-0"]["intact"] is None


def test_all_cuts_are_written_or_none(work: Path) -> None:
    Path("own.py").write_text("def split(text):\n    raise ValueError('no')\n")
    for wrong in ("word:5", "own.py:split", "own.py:nothing"):
        words = ("split", "handbook", "--by", "sentences:1:0", "--by", wrong, "--out")
        assert doxeval("chunks", *words, "new/cuts").exit_code != 0
        assert not Path("new").exists()
        Path("old").mkdir(exist_ok=True)
        assert doxeval("chunks", *words, "old").exit_code != 0
        assert list(Path("old").iterdir()) == []
    both = run("split", "handbook", "--by", "sentences:1:0", "--by", "paragraphs", "--out", "old")
    assert [line.partition(":")[0] for line in both.stdout.splitlines()] == [
        "old/sentences-1-0.jsonl", "old/paragraphs.jsonl",
    ]  # fmt: skip
    assert len(list(Path("old").iterdir())) == 2


def test_scores_are_not_written_if_the_baseline_is_of_no_use(work: Path) -> None:
    run("split", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl")
    scored = ("evaluate", "run.jsonl", "-g", "q.jsonl", "--docs", "handbook", "--per-topic")
    run(*scored, "-m", "hit@5", "--out", "last.json")
    for wrong in (("--baseline", "last.json", "--max-drop", "0"), ("--by", "tag")):
        if wrong[0] == "--by":  # and where there are no tags
            records = [json.loads(line) for line in Path("q.jsonl").read_text().splitlines()]
            without = [json.dumps({**record, "tags": []}) + "\n" for record in records]
            Path("q.jsonl").write_text("".join(without))
        failed = doxeval("chunks", *scored, "--out", "now.json", *wrong)
        assert failed.exit_code == 1, failed.output
        assert not Path("now.json").exists()


def test_gold_and_questions_are_written_together(work: Path) -> None:
    words = ("gold", "q.jsonl", "--docs", "handbook", "--out", "judged.jsonl", "--topics-out")
    for wrong in ("judged.jsonl", "no/such.jsonl", "handbook"):
        assert doxeval("chunks", *words, wrong).exit_code == 1
        assert not Path("judged.jsonl").exists()
    run(*words, "topics.jsonl")
    assert Path("judged.jsonl").exists() and Path("topics.jsonl").exists()


def test_a_tree_and_its_run_are_written_together(work: Path) -> None:
    whole = {"id": "all", "doc": "delivery", "start": 0, "end": len(HANDBOOK)}
    Path("tree.jsonl").write_text(json.dumps(whole))
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "all"}\n')
    words = ("build", "handbook", "--chunks", "tree.jsonl", "--out", "c", "--run", "ids.jsonl")
    assert doxeval("collection", *words, "--run-out", "no/such.jsonl").exit_code == 1
    assert not Path("c").exists()
    Path("c").mkdir()
    Path("c/mine").touch()
    assert doxeval("collection", *words, "--run-out", "elements.jsonl").exit_code == 1
    assert not Path("elements.jsonl").exists()


def test_runs_may_name_chunks(work: Path) -> None:
    run("split", "handbook", "--by", "paragraphs", "--out", "cuts")
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "delivery#5", "run": "ids"}\n')
    result = run("evaluate", "ids.jsonl", "-g", "q.jsonl", "--chunks", "cuts/paragraphs.jsonl")
    assert "ids" in result.stdout
    wrong = doxeval("chunks", "evaluate", "ids.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    assert wrong.exit_code == 1
    assert "--chunks says where the chunks are" in wrong.stderr
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "delivery#99"}\n')
    wrong = doxeval(
        "chunks", "evaluate", "ids.jsonl", "-g", "q.jsonl", "--chunks", "cuts/paragraphs.jsonl"
    )
    assert "ids.jsonl:1" in wrong.stderr.replace(", line ", ":") or "line 1" in wrong.stderr
    assert "no chunk 'delivery#99'" in wrong.stderr


def test_runs_that_name_chunks_are_called_by_their_files(work: Path) -> None:
    run("split", "handbook", "--by", "paragraphs", "--out", "cuts")
    result = '{"topic": "1", "chunk": "delivery#5"}\n'
    ranges = '{"topic": "1", "doc": "delivery", "start": 0, "end": 9}\n'
    files = {"dense.jsonl": result, "hybrid.jsonl": result, "ranges.jsonl": ranges,
             "old/hybrid.jsonl": result, "bm25.csv": "topic,chunk\n1,delivery#5\n"}  # fmt: skip
    write_files(work, files)
    words = (*files, "-g", "q.jsonl", "--chunks", "cuts/paragraphs.jsonl")
    shown = json.loads(run("evaluate", *words, "-m", "cR@5", "--format", "json").stdout)
    names = ["dense", "hybrid (hybrid.jsonl)", "ranges", "hybrid (old/hybrid.jsonl)", "bm25"]
    assert [one["run"] for one in shown["runs"]] == names
    assert "\ndense " in run("evaluate", "dense.jsonl", *words[-4:]).stdout


def test_results_with_another_text_than_their_chunk_are_scored_by_it(work: Path) -> None:
    run("split", "handbook", "--by", "paragraphs", "--out", "cuts")
    first = json.loads(Path("cuts/paragraphs.jsonl").read_text().splitlines()[4])
    short = {"topic": "1", "chunk": first["id"], "text": first["text"][:12], "score": 2}
    whole = {"topic": "2", "chunk": first["id"], "text": first["text"].replace(" ", "\n")}
    lost = {"topic": "1", "chunk": first["id"], "text": "Nothing that stands there.", "score": 1}
    Path("run.jsonl").write_text(
        "\n".join(json.dumps(one) for one in (short, lost, whole | {"score": 1})) + "\n"
    )
    words = ("run.jsonl", "--chunks", "cuts/paragraphs.jsonl", "--docs", "handbook")
    scored = run("evaluate", *words, "-g", "q.jsonl", "-m", "cR@5")
    assert "2 results have another text than the chunk of their id; they are sc" in scored.stderr
    assert "1 result not found in the documents, which count as read" in scored.stderr
    run("rewrite", *words, "--budget", "900", "--out", "wide.jsonl")
    written = [json.loads(line) for line in Path("wide.jsonl").read_text().splitlines()]
    start = first["start"]
    assert [(one["doc"], one["start"], one["end"]) for one in written] == [
        ("delivery", start, start + len(first["text"][:12].rstrip())),
        ("(not found 1)", 0, 26),
        ("delivery", start, first["end"]),
    ]
    grown = doxeval("chunks", "rewrite", *words, "--expand", "1", "--out", "more.jsonl")
    assert grown.exit_code == 1 and "is none of the chunks" in grown.stderr
    places = [json.loads(line) for line in Path("cuts/paragraphs.jsonl").read_text().splitlines()]
    bare = [{key: one[key] for key in ("id", "doc", "start", "end")} for one in places]
    Path("bare.jsonl").write_text("".join(json.dumps(one) + "\n" for one in bare))
    known = run("evaluate", "run.jsonl", "--chunks", "bare.jsonl", *words[-2:], "-g", "q.jsonl")
    assert "2 results have another text" in known.stderr
    run("gold", "q.jsonl", "--docs", "handbook", "--out", "judged.jsonl")
    unknown = doxeval(
        "chunks", "evaluate", "run.jsonl", "--chunks", "bare.jsonl", "-g", "judged.jsonl"
    )
    assert unknown.exit_code == 1
    assert "those of the chunks are not known: --docs names the documents" in unknown.stderr
    Path("run.jsonl").write_text(json.dumps(short | {"text": 7}) + "\n")
    wrong = doxeval("chunks", "evaluate", *words, "-g", "q.jsonl")
    assert wrong.exit_code == 1 and "run.jsonl:1: text is 7: expected a text" in wrong.stderr


def test_a_tree_of_chunks_is_a_collection(work: Path) -> None:
    lines = [
        {"id": "all", "doc": "delivery", "start": 0, "end": len(HANDBOOK)},
        {"id": "one", "doc": "delivery", "start": 0, "end": 20, "parent": "all"},
        {"id": "two", "doc": "delivery", "start": 22, "end": 90, "parent": "all"},
    ]
    Path("tree.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "two"}\n')
    built = doxeval("collection", "build", "handbook", "--chunks", "tree.jsonl", "--out", "c",
                    "--run", "ids.jsonl", "--run-out", "elements.jsonl")  # fmt: skip
    assert built.exit_code == 0, built.stderr
    assert "/document[1]/chunk[1]/chunk[2]" in Path("elements.jsonl").read_text()
    shown = doxeval("collection", "show", "c", "delivery")
    assert "chunk[2]" in shown.stdout
    refused = doxeval(
        "collection", "build", "handbook", "--chunks", "tree.jsonl", "--id", "path", "--out", "f"
    )
    assert "--id has no effect with --chunks" in refused.stderr
    lines[1]["end"] = 30
    Path("tree.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    wrong = doxeval("collection", "build", "handbook", "--chunks", "tree.jsonl", "--out", "d")
    assert wrong.exit_code == 1
    assert "'one' [0, 30) and 'two' [22, 90) overlap" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("split", "handbook", "--by", "word:5", "--out", "x"), "did you mean words"),
        (("split", "nowhere", "--by", "words:5", "--out", "x"), "no such file"),
        (("rewrite", "q.jsonl", "--chunks", "q.jsonl", "--out", "x"), "give --expand"),
        (("limits", "q.jsonl", "-g", "q.jsonl"), "q.jsonl"),
        (("search", "none.jsonl", "q.jsonl", "--out", "x"), "none.jsonl"),
        (("try", "handbook", "q.jsonl", "--search", "bm52"), "did you mean bm25"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    work: Path, arguments: tuple[str, ...], why: str
) -> None:
    result = doxeval("chunks", *arguments)
    assert result.exit_code in (1, 2)
    assert why in result.stderr
    assert "Traceback" not in result.stderr


# Tokens, and what is read beside measures of k results


def cut_and_searched() -> None:
    run("split", "handbook", "--by", "sections", "--out", "cuts")
    run("search", "cuts/sections.jsonl", "q.jsonl", "--out", "r.jsonl")


def test_tables_show_what_is_read_beside_measures_of_k_results(work: Path) -> None:
    cut_and_searched()
    words = ("evaluate", "r.jsonl", "-g", "q.jsonl", "--chunks", "cuts/sections.jsonl")
    asked = ("-m", "cR@2", "-m", "bR@20", "-m", "hit@1", "-m", "cP@2")
    header, row = run(*words, *asked).stdout.splitlines()[:2]
    assert header.split() == ["run", "cR@2", "bR@20", "hit@1", "read@1", "cP@2", "read@2"]
    one = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()]
    best = {result["topic"]: result for result in reversed(one)}.values()
    texts = [HANDBOOK[result["start"] : result["end"]] for result in best]
    counts = [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]
    assert float(row.split()[4]) == pytest.approx(sum(counts) / 3, abs=1e-4)
    assert "read@" not in run(*words, "-m", "bR@20").stdout, "a budget says what is read"
    assert run(*words, "-m", "cR@2", "-m", "read@2").stdout.count("read@2") == 1
    assert run(*words, "-m", "cR@5", "--preset", "rag").stdout.count("read@5") == 1
    plain = json.loads(run(*words, *asked, "--format", "json").stdout)
    assert "read@2" not in json.dumps(plain), "other programs get what was asked for"


def test_measures_can_be_added_to_a_trial(work: Path) -> None:
    words = ("try", "handbook", "q.jsonl", "--by", "sections", "--by", "words:20:0")
    header = run(*words, "-m", "hit@2", "-m", "cR@3").stdout.splitlines()[1]
    assert all(name in header.split() for name in ("hit@2", "cR@3", "words@2", "words@3"))
    rows = json.loads(run(*words, "-m", "hit@2", "--format", "json").stdout)
    assert {"hit@2", "read@2"} <= rows[0].keys()
    assert doxeval("chunks", *words, "-m", "hits@2").exit_code != 0


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokeniser with a name, of which every second character begins a token."""
    encoding = SimpleNamespace(
        encode=lambda text, **_: text,
        decode_with_offsets=lambda text: (text, range(0, len(text), 2)),
    )
    module = SimpleNamespace(
        list_encoding_names=lambda: ["halves"],
        get_encoding=lambda name: encoding,
        encoding_name_for_model=dict[str, str]().__getitem__,
    )
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    monkeypatch.setitem(sys.modules, "tokenizers", None)


def test_tokenisers_are_named(work: Path, halves: None) -> None:
    cut_and_searched()
    chunks = ("-g", "q.jsonl", "--docs", "handbook")
    found = run("limits", "cuts/sections.jsonl", *chunks, "--tokens", "halves").stdout
    characters = run("limits", "cuts/sections.jsonl", *chunks, "--unit", "characters").stdout
    assert "sizes in tokens" in found
    assert float(found.splitlines()[1].split()[3]) == pytest.approx(
        float(characters.splitlines()[1].split()[3]) / 2, abs=1
    )
    tried = run("try", "handbook", "q.jsonl", "--by", "sections", "--tokens", "halves").stdout
    assert "budgets in tokens" in tried and "tokens@5" in tried
    counted = run("try", "handbook", "q.jsonl", "--by", "sections", "--tokens", "halves",
                  "--unit", "words").stdout  # fmt: skip
    assert "budgets in words" in counted
    scored = ("evaluate", "r.jsonl", *chunks, "-m", "read@1")
    few, many = (
        float(run(*scored, *more).stdout.splitlines()[1].split()[1])
        for more in ((), ("--tokens", "halves"))
    )
    assert many > 2 * few
    assert "tokens read with 5 results" in run(*scored, "--tokens", "halves").stdout
    rewrite = ("rewrite", "r.jsonl", "--chunks", "cuts/sections.jsonl", "--budget", "10")
    run(*rewrite, "--tokens", "halves", "--out", "short.jsonl")
    first = json.loads(Path("short.jsonl").read_text().splitlines()[0])
    assert first["end"] - first["start"] <= 20


@pytest.mark.parametrize(
    "words",
    [
        ("try", "handbook", "q.jsonl"),
        ("limits", "cuts/sections.jsonl", "-g", "q.jsonl"),
        ("evaluate", "r.jsonl", "-g", "q.jsonl", "--docs", "handbook"),
        ("rewrite", "r.jsonl", "--chunks", "cuts/sections.jsonl", "--budget", "9", "--out", "n"),
    ],
)
def test_missing_packages_and_unknown_tokenisers_are_told(
    work: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_and_searched()
    for name in ("tiktoken", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)
    result = doxeval("chunks", *words, "--tokens", "cl100k_base")
    assert result.exit_code == 1
    assert "--tokens cl100k_base: neither tiktoken nor tokenizers is installed" in result.stderr
    result = doxeval("chunks", *words, "--tokens", "no.json")
    assert result.exit_code == 1 and "need the package tokenizers" in result.stderr


def test_tokens_need_texts(work: Path) -> None:
    cut_and_searched()
    run("gold", "q.jsonl", "--docs", "handbook", "--out", "j.jsonl")
    result = doxeval("chunks", "evaluate", "r.jsonl", "-g", "j.jsonl", "--tokens", "words")
    assert result.exit_code == 2 and "give --docs" in result.stderr
    result = doxeval("chunks", "try", "handbook", "q.jsonl", "--unit", "tokens")
    assert result.exit_code == 1 and "--tokens names a tokeniser" in result.stderr


def test_budgets_beyond_all_documents_are_told(work: Path) -> None:
    words = ("try", "handbook", "q.jsonl", "--by", "words:20:0", "--by", "sections")
    shown = run(*words).stderr
    assert (
        "words in all, and bR@1000 reads 1,000: a smaller --budget tells chunkings apart" in shown
    )
    assert "in all" not in run(*words, "--budget", "40").stderr
    whole = run("try", "handbook", "q.jsonl", "--by", "words:900:0", "--budget", "80").stderr
    assert "most documents are one chunk" in whole, "white space around a document is in no chunk"


def test_characters_are_told_where_words_are_not_known(work: Path) -> None:
    cut_and_searched()
    run("gold", "q.jsonl", "--docs", "handbook", "--out", "j.jsonl")
    words = ("evaluate", "r.jsonl", "-g", "j.jsonl")
    assert "budgets count characters" in run(*words).stderr
    assert "budgets count" not in run(*words, "--docs", "handbook").stderr


def test_a_chunk_that_is_returned_twice_counts_alike_in_measures_and_footers(work: Path) -> None:
    """Gold a[0, 10), the run a[0, 20) twice: whoever reads it reads 40 characters."""
    Path("gold.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 10}\n')
    Path("run.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 20}\n' * 2)
    alone = run("evaluate", "run.jsonl", "-g", "gold.jsonl", "-m", "cP@5")
    preset = run("evaluate", "run.jsonl", "-g", "gold.jsonl", "--preset", "rag")
    assert "0.2500  40.0000" in alone.stdout
    assert re.search(r"cP@5 +0.2500\n(.*\n)?read@5 +40.0000", preset.stdout)
    for result in (alone, preset):
        assert "run: 40 characters read with 5 results" in result.stdout
        assert "1 duplicate keeps its rank" in result.stderr
        assert "--duplicates" not in result.stderr, "an option that this verb does not have"
    scored = run("evaluate", "run.jsonl", "-g", "gold.jsonl", "-m", "cP@5", "--format", "json")
    assert json.loads(scored.stdout)["canonical"] == {
        "cP@5": "cP@5(alpha=0,resize=full,duplicates=keep)"
    }


def test_terminal_and_report_call_the_same_cut_best_by_the_same_measure(work: Path) -> None:
    cuts = ("--by", "words:20:0", "--by", "sentences:1:0", "--by", "sections")
    for options, reference, headline in (
        ((), "bR@1000", "All 3 chunkings have the same mean {1}, "),
        (("--budget", "40"), "bR@40", "All 3 chunkings have the same mean {1}, "),
        (("--budget", "40", "--reference", "bR@12"), "bR@12", "By {1}, it is the best of 3 "),
    ):
        shown = run("try", "handbook", "q.jsonl", *cuts, *options, "--report", "r.html").stdout
        best = re.search(r"best: (\S+) by (\S+) \(", shown)
        assert best is not None
        assert best[2] == reference
        page = re.sub(r"<[^>]+>", "", Path("r.html").read_text())
        assert headline.format(best[1], reference) in page
        Path("r.html").unlink()


def test_every_verb_tells_files_that_are_not_read(work: Path) -> None:
    for name in ("a.png", "b.png", "c.rst"):
        Path("handbook", name).write_text("x")
    told = "warning: handbook: 3 files were not read: .png (2), .rst (1)\n"
    chunks = "cuts/sentences-1-0.jsonl"
    Path("contexts.json").write_text(
        json.dumps([{"user_input": "Cost?", "retrieved_contexts": ["Delivery costs 4 euros."]}])
    )
    docs = ("--docs", "handbook")
    verbs = [
        ("try", "handbook", "q.jsonl", "--budget", "80"),
        ("split", "handbook", "--by", "sentences:1:0", "--out", "cuts"),
        ("gold", "q.jsonl", *docs, "--out", "j.jsonl"),
        ("locate", chunks, *docs, "--out", "l.jsonl"),
        ("limits", chunks, "-g", "j.jsonl", *docs),
        ("search", chunks, "q.jsonl", *docs, "--out", "r.jsonl"),
        ("rewrite", "r.jsonl", "--chunks", chunks, *docs, "--expand", "1", "--out", "e.jsonl"),
        ("evaluate", "r.jsonl", "-g", "q.jsonl", "--chunks", chunks, *docs),
        ("retrieved", "contexts.json", *docs, "--out", "c.jsonl"),
    ]
    for arguments in verbs:
        assert run(*arguments).stderr.count(told) == 1, arguments
    built = doxeval("collection", "build", "handbook", "--chunks", chunks, "--out", "built")
    assert built.stderr.count(told) == 1
