"""Passages of TREC Genomics: values worked out by hand, and long texts."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from doxeval.assessments import Assessments, Judgment, NeededSpan
from doxeval.evaluation import RunOptions, evaluate
from doxeval.measures import cAP
from doxeval.runs import Kind, Result, Run
from helpers import Builder, doxeval, write_files

GOLD = "7\td1\t0\t10\ta|b\n7\td1\t20\t10\tb\n7\td2\t5\t10\tc\n"
RUN = "7 d1 1 5 20 run\n7 d3 2 0 10 run\n7 d2 3 0 20 run\n"
NAMES = ("cAP", "pAP", "aspectAP", "AP")


def scores(folder: Path, run: str, gold: str = GOLD, **options: object) -> list[float]:
    """Return the means of the preset."""
    files = write_files(folder, {"gold.tsv": gold, "my.run": run})
    table = evaluate(
        files / "my.run",
        files / "gold.tsv",
        presets="trec2007-genomics",
        **options,  # type: ignore[arg-type]
    )
    means = next(iter(table.mean().values()))
    return [means[name] or 0.0 for name in NAMES]


def near(*values: float | Fraction) -> object:
    return pytest.approx([float(value) for value in values], abs=1e-12)


def test_golden_values(tmp_path: Path) -> None:
    """Those of the specification, to six digits."""
    found = scores(tmp_path, RUN)
    assert [round(value, 6) for value in found] == [0.366691, 0.183333, 0.888889, 0.833333]


def test_the_preset_by_name(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"gold.tsv": GOLD, "my.run": RUN})
    preset = ("--preset", "trec2007-genomics")
    result = doxeval("evaluate", files / "my.run", "-a", files / "gold.tsv", *preset)
    assert result.exit_code == 0
    assert "0.3667" in result.output


def test_equal_ranks_are_ordered_by_the_format(tmp_path: Path) -> None:
    """Nothing is wrong with them, so nothing is warned about."""
    run = "7 d2 2 5 10 m\n7 d1 1 20 10 m\n7 d1 1 0 10 m\n"
    files = write_files(tmp_path, {"gold.tsv": GOLD, "my.run": run})
    table = evaluate(files / "my.run", files / "gold.tsv", ["cAP", "pAP", "aspectAP"])
    assert list(table.mean()["m"].values()) == near(1, 1, 1)
    assert list(table.run_warnings()) == []


def test_the_gold_itself_is_perfect(tmp_path: Path) -> None:
    run = "7 d1 1 0 10 m\n7 d1 2 20 10 m\n7 d2 3 5 10 m\n"
    assert scores(tmp_path, run) == near(1, 1, 1, 1)


def test_the_passage_that_is_listed_first_counts(tmp_path: Path) -> None:
    run = "7 d 1 0 20 m\n"
    gold = ["7\td\t12\t8\tx\n", "7\td\t0\t10\ty|z\n"]
    assert scores(tmp_path, run, "".join(gold))[1:3] == near(Fraction(8, 20) / 2, Fraction(1, 3))
    swapped = scores(tmp_path, run, "".join(gold[::-1]))
    assert swapped[1:3] == near(Fraction(10, 20) / 2, Fraction(2, 3))


def test_touching_is_no_overlap(tmp_path: Path) -> None:
    run = "7 d 1 0 5 m\n7 d 2 10 5 m\n7 d 3 7 0 m\n"
    assert scores(tmp_path, run, "7\td\t5\t5\tx\n") == near(0, 0, 0, 1)


def test_what_is_returned_twice(tmp_path: Path) -> None:
    """pAP counts it twice, cAP reads what is not relevant of it again, aspects become old."""
    run = "7 d 1 0 20 m\n7 d 2 0 20 m\n7 e 3 0 10 m\n"
    gold = "7\td\t0\t10\tx\n7\te\t0\t10\ty\n"
    tail = sum(Fraction(10 + n, 30 + n) for n in range(1, 11))
    assert scores(tmp_path, run, gold) == near(
        (10 + tail) / 20,
        (Fraction(10, 20) + Fraction(20, 40) + Fraction(30, 50)) / 3,
        (Fraction(1, 1) + Fraction(2, 2)) / 2,
        1,
    )


def test_topics_without_results_count_as_nothing(tmp_path: Path) -> None:
    gold = GOLD + "8\td1\t0\t10\ta\n"
    halves = [value / 2 for value in scores(tmp_path, RUN)]
    assert scores(tmp_path, RUN, gold) == near(*halves)


def test_a_topic_without_gold_is_undefined() -> None:
    run = Run.from_results([Result("7", "a", Kind.PASSAGE, 0, 5)], "m")
    table = evaluate(run, Assessments([Judgment("7", "a")]), ["cAP", "pAP", "aspectAP"])
    assert set(table.mean()["m"].values()) == {None}


def test_highlights_are_passages_and_aspects_by_themselves() -> None:
    judgment = Judgment("7", "a", ((0, 10), (20, 30)))
    run = Run.from_results([Result("7", "a", Kind.PASSAGE, 0, 10)], "m")
    means = evaluate(run, Assessments([judgment]), ["cAP", "pAP", "aspectAP"]).mean()["m"]
    assert list(means.values()) == near(0.5, 0.5, 0.5)


def test_offsets_may_be_bytes(tmp_path: Path, build: Builder) -> None:
    """In UTF-8, é has two bytes."""
    collection = build({"a.xml": "<s>é é one two</s>"})
    options = {"collection": collection, "run_options": RunOptions(offsets="bytes")}
    found = scores(tmp_path, "7 a 1 0 9 m\n", "7\ta\t6\t3\tx\n", **options)
    assert found[:2] == near(sum(Fraction(n, 4 + n) for n in range(1, 4)) / 3, Fraction(3, 7))


def slowly(gold: list[tuple[int, int]], run: list[tuple[int, int]], length: int) -> float:
    """cAP, character by character, over one document."""
    relevant, seen = np.zeros(length, dtype=bool), np.zeros(length, dtype=bool)
    for start, end in gold:
        relevant[start:end] = True
    precision: list[float] = []
    hits = read = 0
    for start, end in run:
        part = slice(start, end)
        is_read = ~(relevant[part] & seen[part])
        new = relevant[part] & ~seen[part]
        reads, all_hits = read + np.cumsum(is_read), hits + np.cumsum(new)
        precision += (all_hits[new] / reads[new]).tolist()
        hits, read = int(all_hits[-1]), int(reads[-1])
        seen[part] |= relevant[part]
    return sum(precision) / int(relevant.sum())


@pytest.mark.parametrize("seed", range(5))
def test_long_texts(seed: int) -> None:
    """The closed form agrees with adding up, far beyond where reciprocals are tabled."""
    random, length = Random(seed), 10 ** (seed + 2)

    def spans(count: int) -> list[tuple[int, int]]:
        edges = [sorted(random.sample(range(length), 2)) for _ in range(count)]
        return [(start, end) for start, end in edges]

    gold, run = spans(5), spans(20)
    judgment = Judgment("7", "a", needs=tuple(NeededSpan(None, *span) for span in gold))
    results = [Result("7", "a", Kind.PASSAGE, *span) for span in run]
    table = evaluate(Run.from_results(results, "m"), Assessments([judgment]), [cAP])
    assert table.mean()["m"]["cAP"] == pytest.approx(slowly(gold, run, length), rel=1e-12)


def test_texts_that_no_loop_over_characters_would_finish() -> None:
    judgment = Judgment("7", "a", needs=(NeededSpan("x", 10**9, 4 * 10**9),))
    run = Run.from_results([Result("7", "a", Kind.PASSAGE, 0, 4 * 10**9)], "m")
    # The mean of j/(r+j) over j = 1 … n, n = 3r, is near that of x/(r+x): 1 − ln(4)/3.
    mean = evaluate(run, Assessments([judgment]), [cAP]).mean()["m"]["cAP"]
    assert mean == pytest.approx(1 - np.log(4) / 3, abs=1e-9)
