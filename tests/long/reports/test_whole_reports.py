"""Reports as files: their figures, their size, and how they look without their script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from doxeval.reports import Contents, all_figures, page, write_report
from helpers import doxeval
from report_pages import SECTIONS, data_of, synthetic


def test_fifty_runs_stay_small() -> None:
    table = synthetic(50, 114, 5)
    shown = page(Contents(table, baseline="run3"))
    assert len(shown.encode()) < 4_000_000
    assert all(f">{run.run}<" in shown for run in table.runs)
    chosen = [run["name"] for run in data_of(shown)["runs"] if run["shown"]]
    assert len(chosen) == 10 and "run3" in chosen


@pytest.mark.parametrize("topics", [8, 150])
def test_every_figure_compiles(topics: int) -> None:
    drawn = all_figures(Contents(synthetic(13, topics)))
    assert {figure.section for figure in drawn} >= {"curves", "scatter", "differences", "tau"}
    for figure in drawn:
        spec = {**json.loads(json.dumps(figure.spec)), "data": {"values": figure.rows}}
        compiled = vl_convert.vegalite_to_vega(spec)
        signals = {signal["name"]: signal.get("value") for signal in compiled["signals"]}
        if "run" in figure.columns:
            assert len(signals["chosen"]) == 10


def test_figures_are_written_with_their_data(hostile_contents: Contents, tmp_path: Path) -> None:
    files = write_report(hostile_contents, tmp_path / "report.html", tmp_path / "figures")
    assert files[0].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    names = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert names == {
        "curve-1",
        "curve-2",
        "shares",
        "differences",
        "scatter-1",
        "scatter-2",
        "tau",
        "difficulty",
    }
    for name in names:
        figure = tmp_path / "figures" / name
        assert figure.with_suffix(".svg").read_bytes().startswith(b"<svg")
        assert figure.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert figure.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
        assert len(figure.with_suffix(".csv").read_text(encoding="utf-8").splitlines()) > 1
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "figures"}


@pytest.mark.parametrize("runs_script", [True, False])
def test_in_a_browser(chromium: Any, hostile_page: str, tmp_path: Path, runs_script: bool) -> None:
    (tmp_path / "report.html").write_text(hostile_page, encoding="utf-8")
    size = {"width": 1000, "height": 800}
    tab = chromium.new_page(java_script_enabled=runs_script, viewport=size)
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "report.html").as_uri())
    assert all(tab.locator(f"section#{section}").is_visible() for section in SECTIONS)
    for table in (".leaderboard", ".topics", "#undefined", "#against-baseline"):
        assert tab.locator(f"table{table}").is_visible()
    assert said == []
    assert len(asked) == 1
    tab.close()


def test_budgets_and_borders_in_a_browser(chunk_files: Path, chromium: Any) -> None:
    files = chunk_files
    out = files / "report.html"
    given_files = ("-a", files / "judged.jsonl", "--texts", files / "docs")
    chunks = ("--chunks", files / "x-chunks.jsonl")
    measures = ("-m", "bR@6", "-m", "bR@2")
    made = doxeval("report", files / "x.jsonl", *given_files, *chunks, *measures, "--out", out)
    assert made.exit_code == 0, made.stderr
    tab = chromium.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(out.as_uri())
    view = tab.locator("#document-view")
    view.scroll_into_view_if_needed()
    tab.wait_for_selector(".dv-returned")

    def returned() -> list[str]:
        return " ".join(tab.locator(".dv-returned").all_text_contents()).split()

    def read_until(budget: str) -> list[str]:
        tab.get_by_label("Read until").select_option(budget)
        return returned()

    whole = "One two three. Four five six seven.".split()
    assert returned() == whole[:5], "the sixth word, of the reference measure, is the full stop"
    assert read_until("2 words") == whole[:2]
    assert view.locator(".dv-count").inner_text() == "1 within the budget of 2 results here"
    assert read_until("the end of the list") == whole
    assert view.locator(".dv-cut-begins").count() == view.locator(".dv-cut-ends").count() == 2
    assert not view.locator(".dv-outline").is_visible(), "a plain text has no outline"
    assert not errors
    tab.close()


def test_a_text_that_several_questions_show_is_shown_with_each(
    chunk_files: Path, chromium: Any
) -> None:
    files = chunk_files
    both = (files / "judged.jsonl").read_text() + (files / "x.jsonl").read_text().splitlines()[1]
    (files / "judged.jsonl").write_text(both.replace('"7"', '"8"') + "\n" + both + "\n")
    out = files / "report.html"
    given_files = ("-a", files / "judged.jsonl", "--texts", files / "docs", "-m", "bR@6")
    made = doxeval("report", files / "x.jsonl", *given_files, "--out", out)
    assert made.exit_code == 0, made.stderr
    tab = chromium.new_page()
    tab.goto(out.as_uri())
    tab.locator("#document-view").scroll_into_view_if_needed()
    tab.locator("[data-choose=topic]").select_option(index=1)
    assert tab.locator(".dv-column").inner_text().startswith("# Goods")
    tab.close()
