"""The first screen of a report: the finding in words, and all runs by one measure."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html

from doxeval.errors import InputError
from doxeval.reports import Contents, Loss, page, report
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from helpers import doxeval

NOISE = np.random.default_rng(5).normal(0, 0.01, (4, 20))


def scored(**means: float) -> ScoreTable:
    """Scores on 20 topics that differ clearly where means do."""
    facts = (MeasureFacts("P", "P", "precision"),)
    runs = tuple(
        RunScores(run, (mean + NOISE[number])[None], np.ones(20, dtype=np.bool_))
        for number, (run, mean) in enumerate(means.items())
    )
    return ScoreTable(facts, tuple(map(str, range(20))), runs)


def words_in(tree: Any, path: str) -> str:
    return " ".join(" ".join("".join(place.itertext()) for place in tree.xpath(path)).split())


def headline(table: ScoreTable, baseline: str | None = None) -> str:
    tree = html.fromstring(page(Contents(table, baseline=baseline)))
    return words_in(tree, "//p[@class='headline']")


def test_the_headline_states_the_finding() -> None:
    table = scored(base=0.3, good=0.8, bad=0.1)
    assert re.fullmatch(
        r"good is best: P 0\.80, significantly better than the baseline, base \(0\.30\)",
        headline(table, "base"),
    )
    assert headline(table, "good") == "No system is better than the baseline, good: P 0.80"
    assert headline(table) == "good is best: P 0.80, significantly better than all other systems"
    alone = headline(table.only(runs=["good"]))
    assert alone == "good: P 0.80 (95% interval 0.79 to 0.80)"


def test_what_is_not_shown_is_not_claimed() -> None:
    odd = np.arange(20)
    values = [0.5 + 0.3 * (-1.0) ** odd, 0.51 + 0.3 * (-1.0) ** (odd // 2)]
    runs = tuple(
        RunScores(run, np.array([v], dtype=np.float64), np.ones(20, dtype=np.bool_))
        for run, v in zip(("base", "mine"), values, strict=True)
    )
    table = replace(scored(a=0.1), runs=runs)
    assert "but not shown to differ from the baseline, base" in headline(table, "base")
    assert "but not shown to differ from the other system" in headline(table)


def test_equal_runs_have_no_best() -> None:
    run = scored(a=0.5).runs[0]
    table = replace(scored(a=0.5), runs=(run, replace(run, run="b")))
    assert headline(table, "b") == "All 2 systems have the same mean P, 0.50"
    shown = page(Contents(table))
    assert "<strong>" not in shown.partition('<section id="leaderboard"')[2].partition("<script")[0]
    tree = html.fromstring(shown)
    assert words_in(tree, "//table[@id='overview']//td[@class='compared']") == "same mean same mean"
    assert "(baseline)" not in words_in(tree, "//section[@id='leaderboard']")


def test_runs_that_tie_are_best_together() -> None:
    table = scored(a=0.5, base=0.2)
    a, base = table.runs
    table = replace(table, runs=(a, base, replace(a, run="b")))
    assert headline(table) == "a, b share the best P, 0.50"
    assert headline(table, "base") == "a, b share the best P, 0.50; the baseline is base (0.20)"
    assert headline(table, "b") == "No system is better than the baseline, b: P 0.50"
    tree = html.fromstring(page(Contents(table)))
    assert words_in(tree, "//table[@id='overview']//td[contains(@class, 'rank')]") == "1 1 3"


def test_chunkings_show_a_share_of_what_is_needed() -> None:
    label = "bR@1000(unit=words,fit=cut)"
    facts = (MeasureFacts("bR@1000", label, "recall at a budget"),)
    table = replace(scored(small=0.3, large=0.604), measures=facts)
    lost = tuple(Loss(run, "bR@1000", 0.3, 0.29, 0.1) for run in ("small", "large"))
    tree = html.fromstring(page(Contents(table, losses=lost)))
    assert words_in(tree, "//p[@class='headline']") == (
        "large shows 60% of what is needed in 1,000 words; "
        "29% is lost by retrieval, 10% by chunking"
    )
    assert "significantly better than the other chunking" in words_in(
        tree, "//div[@class='finding']"
    )


def test_two_digits_unless_the_best_two_would_seem_equal() -> None:
    assert "P 0.80" in headline(scored(a=0.8, b=0.3, c=0.301))
    assert "P 0.801" in headline(scored(a=0.803, b=0.8, c=0.3))


def test_equal_warnings_are_grouped() -> None:
    table = scored(a=0.5, b=0.4, c=0.3)
    of_runs = {"a": ("late", "late"), "b": ("late", "empty"), "c": ("late",)}
    runs = tuple(replace(run, warnings=of_runs[run.run]) for run in table.runs)
    contents = Contents(replace(table, runs=runs))
    assert contents.warnings[:2] == [(["a", "b", "c"], "late"), (["b"], "empty")]
    tree = html.fromstring(page(contents))
    lines = [
        " ".join("".join(each.itertext()).split())
        for each in tree.xpath("//ul[@class='warnings']/li")
    ]
    assert lines[:2] == ["all systems: late", "b: empty"]


def test_long_names_are_short_where_there_is_little_room() -> None:
    names = [f"{'a-long-name-of-a-run-' * 3}{number}-{'with-an-end-' * 2}" for number in (1, 2)]
    table = scored(x=0.8, y=0.3)
    runs = tuple(replace(run, run=name) for run, name in zip(table.runs, names, strict=True))
    contents = Contents(replace(table, runs=runs))
    shown = [contents.shown[name] for name in names]
    assert len(set(shown)) == 2
    assert all(len(name) <= 30 and "…" in name for name in shown)
    assert any("1" in name for name in shown)
    tree = html.fromstring(page(contents))
    cells = tree.xpath("//table[@id='overview']//th[@scope='row']/bdi")
    assert [(cell.text, cell.get("title")) for cell in cells] == list(
        zip(shown, names, strict=True)
    )


def test_what_was_not_tested_is_said() -> None:
    """Of one topic nothing is tested; of two systems there are no others to speak of."""
    table = scored(base=0.3, good=0.8)
    tested = html.fromstring(page(Contents(table, baseline="base")))
    assert "Of the other" not in words_in(tested, "//div[@class='finding']")
    first = tuple(
        replace(run, values=run.values[:, :1], counted=run.counted[:1]) for run in table.runs
    )
    single = replace(table, topic_ids=table.topic_ids[:1], runs=first)
    words = words_in(html.fromstring(page(Contents(single, baseline="base"))), "//section[1]")
    assert "2 systems on 1 topic" in words
    assert "Differences were not tested." in words
    assert "“Better”" not in words


def test_a_measure_without_scores_has_no_best() -> None:
    table = scored(a=0.3, b=0.8)
    nothing = tuple(replace(run, values=np.full_like(run.values, np.nan)) for run in table.runs)
    tree = html.fromstring(page(Contents(replace(table, runs=nothing))))
    assert words_in(tree, "//p[@class='headline']") == "No system has a mean by P"
    assert "best" not in words_in(tree, "//table[@id='overview']/tbody")
    half = page(Contents(replace(table, runs=(table.runs[0], nothing[1])), baseline="b"))
    shown = words_in(html.fromstring(half), "//p[@class='headline']")
    assert shown.endswith("; the baseline, b, has no mean")


def test_each_run_has_a_row_with_its_verdict() -> None:
    table = scored(base=0.3, good=0.8, bad=0.1).described({"good": "<b>good</b> parts"})
    contents = Contents(table, baseline="base")
    rows = html.fromstring(page(contents)).xpath("//table[@id='overview']/tbody/tr")
    texts = [["".join(cell.itertext()) for cell in row] for row in rows]
    assert [[row[1], row[2], row[3], row[5]] for row in texts] == [
        ["good", "<b>good</b> parts", "0.80", "better"],
        ["base", "", "0.30", "baseline"],
        ["bad", "", "0.10", "worse"],
    ]


def test_without_a_baseline_runs_are_compared_with_the_best() -> None:
    tree = html.fromstring(page(Contents(scored(first=0.3, good=0.8))))
    assert words_in(tree, "//table[@id='overview']//td[@class='compared']") == "best worse"
    assert words_in(tree, "//table[@id='overview']//th[@class='compared']") == "against the best"


def test_descriptions_are_of_runs_that_are_there() -> None:
    with pytest.raises(InputError, match="descriptions= of no run: nobody; there are a"):
        report(scored(a=0.5), descriptions={"nobody": "what"})


def test_the_page_speaks_of_what_was_compared() -> None:
    table = scored(first=0.3, good=0.8)
    lost = tuple(Loss(run, "P", 0.3, 0.2, 0.5) for run in ("first", "good"))
    chunks = html.fromstring(page(Contents(table, "Splitters", losses=lost)))
    for script in chunks.xpath("//script|//style"):
        script.drop_tree()
    words = words_in(chunks, "//body")
    assert "the best of 2 chunkings on 20 questions (0.80)" in words
    spoken = chunks.xpath("//@aria-label|//@title|//@placeholder|//figcaption//text()")
    assert not re.search(
        r"\b([Ss]ystems?|[Tt]opics?|[Rr]uns?(?! the page))\b", " ".join([words, *spoken])
    )
    assert "2 systems on 20 topics." in words_in(html.fromstring(page(Contents(table))), "//main")


def test_descriptions_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.txt"
    file.write_text("# runs\na:  the  first \nother: not here\n", encoding="utf-8")
    assert 'class="what">the first<' in report(scored(a=0.5), descriptions=file).html
    with pytest.raises(InputError, match=r"descriptions= of no run in .*: a, other; there are b"):
        report(scored(b=0.5), descriptions=file)


def test_what_the_command_line_says_of_a_run_replaces_its_comment(tmp_path: Path) -> None:
    text = "# \x1b]0;mine\x07 </script>\n7 Q0 d 1 1.0 mine\n"
    (tmp_path / "mine.run").write_text(text, encoding="utf-8")
    (tmp_path / "qrels").write_text("7 0 d 1\n", encoding="utf-8")
    given = ("report", tmp_path / "mine.run", "-a", tmp_path / "qrels", "-m", "AP")
    out = ("--out", tmp_path / "report.html")
    made = doxeval(*given, *out)
    assert made.exit_code == 0, made.stderr
    page_text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="what">\\u001b]0;mine\\u0007 &lt;/script&gt;<' in page_text
    made = doxeval(*given, *out, "--force", "--describe", "mine: <i>all</i> of it")
    assert made.exit_code == 0, made.stderr
    page_text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="what">&lt;i&gt;all&lt;/i&gt; of it<' in page_text
    wrong = doxeval(*given, *out, "--force", "--describe", "yours: nothing")
    assert wrong.exit_code == 1
    assert "--describe of no run: yours; there are mine" in wrong.stderr
