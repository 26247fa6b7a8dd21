"""The verbs chunks gold and chunks locate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doxeval import chunks, read_assessments
from helpers import doxeval, write_files
from seams import change

TERMS = "Thirty days. Unused goods only. Ask us first. Unused goods only."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path / "docs", {"terms.md": TERMS, "faq.txt": "Parcels are free."})
    return tmp_path


def asked(folder: Path, *quotes: str) -> Path:
    needs = [{"spans": [{"doc": "terms", "quote": quote}]} for quote in quotes]
    record = {"id": "1", "question": "How long?", "needs": needs, "tags": ["returns"]}
    write_files(folder, {"q.jsonl": json.dumps(record)})
    return folder / "q.jsonl"


def cut(folder: Path, *records: dict[str, Any]) -> Path:
    write_files(folder, {"c.jsonl": "".join(json.dumps(record) + "\n" for record in records)})
    return folder / "c.jsonl"


def test_gold_is_written(folder: Path) -> None:
    file, out = asked(folder, "Thirty days.", "Unused goods only."), folder / "judged.jsonl"
    topics = folder / "topics.jsonl"
    words = ("chunks", "questions", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words, "--topics-out", topics)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "warning: question 1: stands 2 times in terms: 'Unused goods only.'\n"
    report = "0 not found, 0 at other offsets, 1 occurs more than once (1 question) "
    assert f"1 question, 2 needs: {report}" in result.stdout.replace("\n", " ")
    lines = result.stdout.splitlines()
    assert lines[-2:] == [f"{out}: 1 judged document", f"{topics}: 1 question"]
    judged = read_assessments(out).find("1", "terms")
    assert judged is not None and judged.highlights == ((0, 12), (13, 31), (46, 64))
    assert [one.need for one in judged.needs] == ["1", "2", "2"]
    assert json.loads(topics.read_text())["tags"] == ["returns"]
    again = doxeval(*words)
    assert again.exit_code == 1
    assert again.stderr.endswith("judged.jsonl exists; --force replaces it\n")
    assert doxeval(*words, "--force", "--copies", "place").exit_code == 0
    judged = read_assessments(out).find("1", "terms")
    assert judged is not None and judged.highlights == ((0, 12), (13, 31))


def test_lost_gold_ends_with_1(folder: Path) -> None:
    file, out = asked(folder, "Thirty days.", "Nothing like this at all."), folder / "judged.jsonl"
    words = ("chunks", "questions", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words)
    assert result.exit_code == 1 and not out.exists()
    assert result.stderr.splitlines() == [
        "warning: question 1: not found in terms: 'Nothing like this at all.'",
        "warning: 1 need not found and left out: such questions are scored by their other needs",
        f"Error: {file}: 1 of 2 quotes not found; --max-missing allows a number or a share",
    ]
    for allowed in ("1", "50%"):
        assert doxeval(*words, "--max-missing", allowed, "--force").exit_code == 0
    wrong = doxeval(*words, "--max-missing", "many", "--force")
    assert wrong.exit_code == 1
    assert "--max-missing many: expected a number, or a share such as '5%'" in wrong.stderr


def test_gold_of_other_documents(folder: Path) -> None:
    file, out = asked(folder, "Nothing like this at all."), folder / "judged.jsonl"
    words = ("chunks", "questions", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words)
    assert result.exit_code == 1
    assert result.stderr.endswith(
        f"Error: {file}: 0% of 1 quote located; are these the same texts? "
        "--max-missing allows a number or a share\n"
    )
    nothing = doxeval(*words, "--max-missing", "100%")
    assert nothing.exit_code == 1 and not out.exists()
    assert nothing.stderr.endswith("q.jsonl: no question has gold in these documents\n")


def test_chunks_are_located(folder: Path) -> None:
    parts = ["Thirty days. Unused", "goods only. Ask us", "first. Unused goods only."]
    file = cut(folder, *({"text": part, "metadata": {"source": "terms.md"}} for part in parts))
    out = folder / "located.jsonl"
    words = ("chunks", "locate", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "3 chunks: 3 exact, 0 white space, 0 fuzzy, 0 not found · 0 occur more than once, "
        "0 ambiguous · 15 of 69 non-space characters in no chunk · offsets: none given\n"
        f"{out}: 3 chunks\n"
    )
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(one["doc"], one["start"], one["end"]) for one in records] == [
        ("terms", 0, 19), ("terms", 20, 38), ("terms", 39, 64),
    ]  # fmt: skip
    assert doxeval(*words).exit_code == 1
    assert doxeval(*words, "--force", "--order", "none", "--doc-key", "source").exit_code == 0


def test_lost_chunks_end_with_1(folder: Path) -> None:
    records = [{"doc": "terms", "text": text} for text in ("Thirty days.", "Ask us first.")]
    file = cut(folder, *records, {"doc": "terms", "text": "Nothing like this at all."})
    out = folder / "located.jsonl"
    words = ("chunks", "locate", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words)
    assert result.exit_code == 1 and not out.exists()
    assert result.stderr.splitlines() == [
        "warning: not found: terms, chunk 3: Nothing like this at all. (best share 0.00)",
        "Error: 1 of 3 chunks not found; --max-missing allows a number or a share",
    ]
    allowed = doxeval(*words, "--max-missing", "34%")
    assert allowed.exit_code == 0
    assert json.loads(out.read_text().splitlines()[2])["how"] == "not found"
    assert doxeval(*words, "--max-missing", "-1", "--force").exit_code == 1


def test_chunks_with_too_many_places_end_with_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, occurrence_limit=0)
    write_files(folder / "docs", {"faq.txt": "a" * 500})
    file = cut(folder, *({"doc": "faq", "text": "a" * size} for size in range(20, 40)))
    out = folder / "located.jsonl"
    words = ("chunks", "locate", file, "--docs", folder / "docs", "--out", out)
    result = doxeval(*words)
    assert result.exit_code == 1 and not out.exists()
    first, *_, last = result.stderr.splitlines()
    assert first == f"warning: too ambiguous: faq, chunk 1: {'a' * 20} (too many places)"
    assert last == (
        "Error: 20 of 20 chunks with too many places to tell which is meant: offsets (start "
        "and end) would tell; --max-missing allows a number or a share"
    )
    assert doxeval(*words, "--max-missing", "20").exit_code == 0
    assert json.loads(out.read_text().splitlines()[0])["how"] == "too ambiguous"
    assert chunks.read_chunks(out, folder / "docs").missing.tolist() == list(range(20))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gold", "none.csv", "--docs", "docs", "--out", "o"), "none.csv: no such file"),
        (("gold", "q.jsonl", "--docs", "none", "--out", "o"), "none: no such file"),
        (("gold", "q.jsonl", "--docs", "docs", "--out", "docs"), "docs is a directory"),
        (("locate", "none.jsonl", "--docs", "docs", "--out", "o"), "none.jsonl: No such file"),
        (("locate", "q.jsonl", "--docs", "docs", "--out", "o"), "q.jsonl:1: the ranges"),
        (
            ("locate", "q.jsonl", "--docs", "docs", "--out", "o", "--min-share", "2"),
            "2.0 is not in",
        ),
    ],
)
def test_wrong_calls(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    asked(folder, "Thirty days.")
    monkeypatch.chdir(folder)
    result = doxeval("chunks", *words)
    assert result.exit_code in (1, 2)
    assert message in result.stderr and not (folder / "o").exists()


def test_the_group_lists_its_verbs() -> None:
    shown = doxeval("chunks", "--help").stdout
    assert "gold" in shown and "locate" in shown
    assert doxeval("chunks", "nothing").exit_code == 2
