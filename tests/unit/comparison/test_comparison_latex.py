"""Comparisons as tables in LaTeX: marks of significance, the baseline, notes."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from doxeval.comparison import compare, compare_all, comparisons_as_latex
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts, RunScores, ScoreTable

NOISE = np.array([0.0, 0.01, -0.01, 0.02, -0.02, 0.01, 0.0, -0.01])
LEVELS = {"base": (0.5, 7.0), "up": (0.8, 7.001), "down": (0.1, 9.0), "same": (0.5, 5.0)}
MEASURES = (
    MeasureFacts("P@5(alpha=1)", "P@5(alpha=1,size=full)", "precision"),
    MeasureFacts("cost", "cost", "", 0.0, None, higher_is_better=False),
)


def table() -> ScoreTable:
    """Four runs by precision and by a cost; "same" is turned round, so that it does not differ."""
    runs = []
    for number, (run, levels) in enumerate(LEVELS.items()):
        values = np.array([level + np.roll(NOISE, number) for level in levels])
        runs.append(RunScores(run, values, np.ones(len(NOISE), dtype=bool)))
    return ScoreTable(MEASURES, tuple("12345678"), tuple(runs))


def rows_of(latex: str) -> dict[str, list[str]]:
    """Return the cells of each row by the name of its run; white space does not count."""
    lines = [line.removesuffix(r" \\") for line in latex.splitlines() if line.endswith(r"\\")]
    cells = [[cell.strip() for cell in line.split("&")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def notes_of(latex: str) -> list[str]:
    return re.findall(r"^\\item (.*)$", latex, re.M)


class TestBaseline:
    def test_marks_say_what_is_significantly_better_and_worse(self) -> None:
        latex = comparisons_as_latex(compare_all(table(), baseline="base"))
        rows = rows_of(latex)
        better, worse = r"\textsuperscript{+}", r"\textsuperscript{$-$}"
        assert rows["run"] == [r"\multicolumn{2}{c}{P@5}", r"\multicolumn{2}{c}{cost}"]
        assert rows["base"] == ["0.5000", "", "7.0000", ""]
        assert rows["up"] == [r"\textbf{0.8000}", better, "7.0010", ""]
        assert rows["down"] == ["0.1000", worse, "9.0000", worse]
        # The lowest cost is the best one.
        assert rows["same"] == ["0.5000", "", r"\textbf{5.0000}", better]

    def test_it_comes_first_and_is_set_apart(self) -> None:
        lines = compare(table(), "cost", baseline="base").to_latex().splitlines()
        at = next(at for at, line in enumerate(lines) if line.startswith("base &"))
        assert (lines[at - 1], lines[at + 1]) == (r"\midrule", r"\midrule")
        assert [line.split(" ")[0] for line in lines[at + 2 : at + 5]] == ["same", "up", "down"]

    def test_notes_name_measures_topics_test_and_level(self) -> None:
        comparisons = compare_all(table(), test="sign", baseline="base", alpha=0.01)
        assert notes_of(comparisons_as_latex(comparisons)) == [
            r"P@5: P@5(alpha=1,\allowbreak{}size=full), precision.",
            "Means over 8 topics.",
            "+ / $-$: significantly better / worse than base (sign test; Holm's correction for "
            "3 pairs, alpha 0.01).",
        ]


class TestLetters:
    def test_runs_that_do_not_differ_share_a_letter(self) -> None:
        comparisons = compare_all(table(), test="bootstrap", resamples=2000, seed=3)
        latex = comparisons_as_latex(comparisons)
        rows = rows_of(latex)
        for column, comparison in enumerate(comparisons):
            for run, letters in comparison.letters.items():
                assert rows[run][2 * column + 1] == rf"\textsuperscript{{{letters}}}"
        assert rows["base"][1] == rows["same"][1] != rows["up"][1]
        assert notes_of(latex)[-1] == (
            "Runs that share a letter are not significantly different by that measure (paired "
            "bootstrap test, 2,000 resamples, seed 3; Holm's correction for 6 pairs, alpha 0.05)."
        )

    def test_columns_align_marks_behind_numbers(self) -> None:
        latex = comparisons_as_latex(compare_all(table()))
        assert r"\begin{tabular}{lr@{}lr@{}l}" in latex
        rows = rows_of(latex)
        assert {len(cells) for run, cells in rows.items() if run != "run"} == {4}

    def test_runs_without_a_mean_have_a_dash(self) -> None:
        scores = table()
        nothing = replace(scores.runs[0], run="none", values=np.full((2, 8), np.nan))
        with pytest.warns(match="none"):
            comparisons = compare_all(replace(scores, runs=(*scores.runs, nothing)))
        latex = comparisons_as_latex(comparisons)
        assert rows_of(latex)["none"][0] == "--"
        assert "Means over 0 to 8 topics." in notes_of(latex)


@pytest.mark.parametrize("name", [r"\input{x}", "50%", "a&b_1", "[2cm]", "*"])
def test_names_are_printed_as_they_are(name: str) -> None:
    scores = table()
    renamed = replace(scores, runs=(replace(scores.runs[0], run=name), *scores.runs[1:]))
    latex = compare(renamed, "cost", baseline=name).to_latex()
    plain = latex.replace(r"\textbackslash{}", "\\")
    plain = re.sub(r"\\([%&_{}])|\{([\[*])\}", r"\1\2", plain)
    assert f"\n{name} & 7.0000 & " in plain
    assert f"worse than {name} (" in plain


def test_what_does_not_fit_into_one_table_is_refused() -> None:
    scores = table()
    with pytest.raises(InputError, match="one comparison or more, not 0"):
        comparisons_as_latex([])
    others = [
        compare(scores.only(runs=["base", "up"]), "cost"),
        compare(scores, "cost", baseline="up"),
    ]
    for other in others:
        with pytest.raises(InputError, match="the same runs and baseline"):
            comparisons_as_latex([compare(scores, "P@5(alpha=1)"), other])
