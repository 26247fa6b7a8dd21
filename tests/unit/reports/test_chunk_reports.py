"""Reports on retrieval of chunks: borders, what is read until a budget, and losses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment
from doxeval.errors import InputError
from doxeval.evaluation import Counting, Evaluation, Keep
from doxeval.reports import (
    Contents,
    Figure,
    all_figures,
    contents_of,
    losses,
    report,
)
from doxeval.runs import ChunkTable, Kind, Result, Run
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from helpers import doxeval
from report_pages import CHUNKED as TEXT
from report_pages import documents_of

BUDGETS = (3, 7, 12)


def evaluation_of(gold: list[tuple[int, int]], measures: list[str], **options: Any) -> Evaluation:
    judged = Assessments([Judgment("7", "a", tuple(gold))])
    counting = Counting(**{"texts": {"a": TEXT}} | options)
    return Evaluation(
        judged,
        measures,
        counting=counting,
        keep=Keep(curves=True, results=True),
    )


def run_of(ranges: list[tuple[int, int]], name: str = "mine", **more: Any) -> Run:
    results = [Result("7", "a", Kind.PASSAGE, start, end, **more) for start, end in ranges]
    return Run.from_results(results, name)


ranges = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 30)).map(
    lambda pair: (pair[0], min(sum(pair), len(TEXT)))
)


class TestWhatIsRead:
    @given(
        st.lists(ranges, min_size=1, max_size=3),
        st.lists(ranges, min_size=1, max_size=6),
        st.sampled_from(["words", "characters"]),
    )
    def test_the_text_that_is_read_is_what_recall_counts(
        self, gold: list[tuple[int, int]], found: list[tuple[int, int]], unit: str
    ) -> None:
        """The relevant characters among those that are read, counted one by one, are bR.

        White space next to a result may count too; everything else is counted exactly.
        """
        measures = [f"bR@{budget}(unit={unit})" for budget in BUDGETS]
        scores = evaluation_of(gold, measures).score(run_of(found))
        wanted = {at for start, end in gold for at in range(start, end)}
        kept = scores.results
        for number in range(len(BUDGETS)):
            read = {
                at
                for start, end in zip(kept.start, kept.budget_stops.ends[number], strict=True)
                for at in range(start, end)
            }
            beside = {
                at
                for start, end in zip(kept.start, kept.budget_stops.ends[number], strict=True)
                if end > start
                for at in (
                    *range(len(TEXT[:start].rstrip()), start),
                    *range(end, len(TEXT) - len(TEXT[end:].lstrip())),
                )
            }
            counted = scores.values[number, 0] * len(wanted)
            assert counted == pytest.approx(round(counted))
            least, most = len(read & wanted), len((read | beside) & wanted)
            assert least <= round(counted) <= most

    def test_stated_tokens_are_spread_evenly(self) -> None:
        evaluation = evaluation_of([(0, 40)], ["bR@15(unit=tokens)"])
        scores = evaluation.score(run_of([(0, 40)], tokens=20))
        assert scores.results.budget_stops.ends.tolist() == [[30]]
        assert scores.values[0, 0] == 0.75

    def test_several_ranges_of_a_result_are_read_one_after_another(self) -> None:
        result = Result("7", "a", Kind.SPANS, 0, 5, spans=((0, 5), (10, 20), (30, 40)))
        evaluation = evaluation_of([(0, 40)], ["bR@9(unit=characters)"])
        scores = evaluation.score(Run.from_results([result]))
        assert scores.results.budget_stops.ends.tolist() == [[5, 14, 30]]

    def test_repeats_cost_again_where_the_measure_says_so(self) -> None:
        evaluation = evaluation_of([(0, 20)], ["bR@15(unit=characters)"])
        kept = evaluation.score(run_of([(0, 10), (0, 10), (10, 20)])).results
        assert kept.budget_stops.ends.tolist() == [[10, 5, 10]]


class TestDocuments:
    def contents(self, **chunks: ChunkTable) -> Contents:
        evaluation = evaluation_of([(9, 23)], ["bR@3", "bR@7"])
        table = evaluation.score_all({"x": run_of([(9, 23)]), "y": run_of([(24, 46)])})
        return contents_of(table, "", None, evaluation.truth, None, chunks)

    def test_documents_need_no_collection(self) -> None:
        (document,) = documents_of(self.contents())
        assert document["text"] == TEXT
        assert document["highlights"] == [[9, 23]]
        assert document["budgets"] == ["3 words", "7 words"]
        assert [block[2] for block in document["blocks"]] == ["title", "text", "text"]
        first, second = document["results"]
        assert first["units"] == [[9, 23, 1]]
        assert first["read"] == [[22], [23]], "the third word ends before the full stop"
        assert second["read"] == [[38], [46]], "up to where the fourth word begins"
        assert "cuts" not in document

    def test_chunks_are_given_once_for_runs_that_share_them(self) -> None:
        table = ChunkTable.of(["1", "2"], ["a", "a"], [[(24, 46)], [(9, 23)]])
        (document,) = documents_of(self.contents(x=table, y=table))
        assert document["cuts"] == [{"runs": [0, 1], "ranges": [9, 14, 15, 22]}]
        (document,) = documents_of(self.contents(y=table))
        assert [cut["runs"] for cut in document["cuts"]] == [[1]]

    def test_solid_positions_are_not_drawn(self) -> None:
        evaluation = evaluation_of([(9, 23)], ["bR@3(unit=characters)"], ignore_whitespace=True)
        table = evaluation.score_all({"x": run_of([(9, 23)])})
        contents = contents_of(table, "", None, evaluation.truth)
        assert not contents.documents
        assert "documents are not shown" in contents.notes[0]

    def test_chunks_of_unknown_runs_are_refused(self) -> None:
        evaluation = evaluation_of([(9, 23)], ["bR@3"])
        table = evaluation.score_all({"x": run_of([(9, 23)])})
        chunks = ChunkTable.of(["1"], ["a"], [[(0, 9)]])
        with pytest.raises(InputError, match="of no run: y; there are x"):
            report(table, chunks={"y": chunks})

    @given(st.text("ab#\n ", max_size=30))
    def test_blocks_cover_the_text(self, rest: str) -> None:
        text = "a" + rest
        evaluation = evaluation_of([(0, 1)], ["bR@3"], texts={"a": text})
        table = evaluation.score_all({"x": run_of([(0, 1)])})
        (document,) = documents_of(contents_of(table, "", None, evaluation.truth))
        assert "".join(text[start:end] for start, end, _ in document["blocks"]) == text


def figures_of(contents: Contents, section: str) -> list[Figure]:
    return [figure for figure in all_figures(contents) if figure.section == section]


class TestFigures:
    def table(self, scores: dict[str, float], label: str = "bR@9") -> ScoreTable:
        facts = MeasureFacts(label, f"{label}(unit=words)", "recall")
        runs = [RunScores(run, np.array([[v]]), np.array([True])) for run, v in scores.items()]
        return ScoreTable((facts,), ("7",), tuple(runs))

    def test_losses_add_up(self) -> None:
        table = self.table({"x": 0.5, "y": 0.9})
        lost = losses(table, self.table({"x": 1, "y": 0.8}))
        contents = Contents(table, losses=lost)
        found = {one.run: one for one in lost}
        assert tuple(found["x"])[2:] == (0.5, 0.5, 0.0)
        assert found["y"].retrieval == 0, (
            "a run that surpasses the greedy oracle loses nothing by it"
        )
        assert all(one.shown + one.retrieval + one.chunking == pytest.approx(1) for one in lost)
        (figure,) = figures_of(contents, "losses")
        assert "x shows 50%, loses 50% by retrieval and 0% by chunking" in figure.alt

    def test_no_oracle_no_losses(self) -> None:
        assert not figures_of(Contents(self.table({"x": 0.5})), "losses")
        assert not losses(self.table({"x": 0.5}), self.table({"x": 0.5}, "bR@8"))

    def test_recall_by_budget_is_drawn_once(self) -> None:
        measures = ["bR@10", "bR@20", "U@20", "bR@20(fit=whole)"]
        evaluation = evaluation_of([(9, 23)], measures)
        table = evaluation.score_all({"x": run_of([(9, 23)]), "y": run_of([(0, 40)])})
        first, second = figures_of(Contents(table), "curves")
        assert "recall over 1 topic by budget in words, of bR@10, bR@20, U@20." in first.source
        assert max(row["x"] for row in first.rows) == 20  # type: ignore[type-var]
        assert "by budget in words, of bR@20(fit=whole)." in second.source
        assert "log" not in first.source


def test_the_command_writes_all_of_it(chunk_files: Path) -> None:
    files = chunk_files
    out = files / "report.html"
    chunks = ("--chunks", files / "x-chunks.jsonl", "--chunks", files / "y-chunks.jsonl")
    given_files = ("-a", files / "judged.jsonl", "--texts", files / "docs", *chunks)
    runs = (files / "x.jsonl", files / "y.jsonl")
    result = doxeval("report", *runs, *given_files, "-m", "bR@5", "-m", "bR@3", "--out", out)
    assert result.exit_code == 0, result.stderr
    page = out.read_text(encoding="utf-8")
    data = json.loads(page.split('id="report-data">')[1].split("</script>")[0])
    (document,) = data["documents"]
    assert document["budgets"] == ["3 words", "5 words"]
    assert [cut["runs"] for cut in document["cuts"]] == [[0], [1]]
    (figure,) = (figure for figure in data["figures"] if figure["section"] == "losses")
    assert figure["columns"]["measure"] == ["bR@5", "bR@5", "bR@3", "bR@3"]
    assert "What is lost by chunking and by retrieval" in page


def test_terminal_and_page_begin_with_the_same_reference_measure(chunk_files: Path) -> None:
    files = chunk_files
    runs = (files / "x.jsonl", files / "y.jsonl")
    common = ("-a", files / "judged.jsonl", "--texts", files / "docs", "--preset", "rag")
    compared = doxeval("compare", *runs, *common)
    assert compared.exit_code == 0, compared.stderr
    assert re.search(r"^[^\n]* of (\S+);", compared.stdout)[1] == "bR@1000"  # type: ignore[index]
    made = doxeval("report", *runs, *common, "--out", files / "report.html")
    assert made.exit_code == 0, made.stderr
    page = (files / "report.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="report-data">')[1].split("</script>")[0])
    assert data["measures"][0]["label"] == "bR@1000"


def test_as_many_chunk_files_as_runs(chunk_files: Path) -> None:
    files = chunk_files
    out = files / "report.html"
    chunks = ["--chunks", files / "x-chunks.jsonl"] * 3
    given_files = ("-a", files / "judged.jsonl", "--texts", files / "docs", *chunks)
    runs = (files / "x.jsonl", files / "y.jsonl")
    result = doxeval("report", *runs, *given_files, "-m", "bR@5", "--out", out)
    assert result.exit_code == 2
    assert "--chunks is given 3 times for 2 runs" in result.stderr
    assert not out.exists()
    result = doxeval("evaluate", *runs, *given_files, "-m", "bR@5")
    assert result.exit_code == 2


def test_a_text_that_several_questions_show_is_carried_once(chunk_files: Path) -> None:
    files = chunk_files
    both = (files / "judged.jsonl").read_text() + (files / "x.jsonl").read_text().splitlines()[1]
    (files / "judged.jsonl").write_text(both.replace('"7"', '"8"') + "\n" + both + "\n")
    out = files / "report.html"
    given_files = ("-a", files / "judged.jsonl", "--texts", files / "docs", "-m", "bR@6")
    made = doxeval("report", files / "x.jsonl", *given_files, "--out", out)
    assert made.exit_code == 0, made.stderr
    page = out.read_text(encoding="utf-8")
    data = json.loads(page.split('id="report-data">')[1].split("</script>")[0])
    assert [("text" in view, view.get("textOf")) for view in data["documents"]] == [
        (True, None),
        (False, 0),
    ]
