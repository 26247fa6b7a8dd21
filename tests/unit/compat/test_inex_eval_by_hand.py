"""The scores of the drop-in for inex_eval 3.1, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from inex_eval_runs import Evaluate, assert_same, evaluator_in, lines, near, values


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.chdir(tmp_path)
    return evaluator_in(tmp_path)


def test_focused(evaluate: Evaluate) -> None:
    # 20 of 40 characters, 20 of 80, 40 of 100: recall .4 with precision .5, .8 with .4.
    found = evaluate("-f -q", lines("7 a 20 40", "7 b 0 40", "7 a 0 20"))
    assert_same(
        found[:18],
        [
            '<eval run-id="mine" file="run.txt">',
            "num_ret\t\t7\t2",
            "num_rel\t\t7\t2",
            "num_rel_ret\t7\t1",
            "ret_size\t7\t100",
            "rel_size\t7\t50",
            "rel_ret_size\t7\t40",
            "art_prec\t7\t0.5",
            "art_rec\t\t7\t0.5",
            "art_f1\t\t7\t0.5",
            "char_prec\t7\t0.4",
            "char_rec\t7\t0.8",
            "char_f1\t\t7\t0.5333333333333333",
            "iP[0.00]\t7\t0.5",
            "iP[0.01]\t7\t0.5",
            "iP[0.05]\t7\t0.5",
            "iP[0.10]\t7\t0.5",
            "AiP\t\t7\t0.36138613861386137",  # (41 · .5 + 40 · .4) / 101
        ],
    )
    assert found[18] == "num_q\t\tall\t1"
    assert_same(found[35:36], ["MAiP\t\tall\t0.36138613861386137"])
    curve = [0.5] * 41 + [0.4] * 40 + [0.0] * 20
    assert_same(
        found[36:],
        [f"ircl_prn.{n / 100:.2f}\tall\t{precision}" for n, precision in enumerate(curve)]
        + ["</eval>"],
    )


def test_thorough_counts_new_text_where_there_is_relevant_text_and_all_elsewhere(
    evaluate: Evaluate,
) -> None:
    found = values(
        evaluate("-t", lines("7 a 20 40", "7 a 0 60", "7 b 0 40", "7 b 0 40", "7 a X X")), "all"
    )
    # New in a are 40 and 20 characters, 20 relevant each; b costs 40 twice, X in a nothing.
    assert (found["ret_size"], found["rel_ret_size"]) == (140, 40)
    assert found["char_prec"] == near(40 / 140)
    assert found["iP[0.00]"] == near(40 / 60)


def test_relevant_in_context(evaluate: Evaluate) -> None:
    # a: 40 of 60 characters, all 40 relevant ones: P 2/3, R 1. d: 10 of 10 characters.
    found = evaluate("-r -q -beta 1", lines("7 a 20 40", "7 a 0 20", "7 b 0 40", "7 d 40 10"))
    by_topic = values(found, "7")
    assert [by_topic[f"gP[{k}]"] for k in (1, 2, 3, 5)] == [
        near(0.8),
        near(0.4),
        near(0.6),
        near(0.6),
    ]
    assert [by_topic[f"gR[{k}]"] for k in (1, 2, 3, 5)] == [0.5, 0.5, 1, 1]
    assert by_topic["AgP"] == near((0.8 + 0.6) / 2)
    total = values(found, "all")
    assert (total["num_ret"], total["num_rel"], total["rel_size"]) == (3, 3, 60)
    curve = [total[f"ircl_prn.{n / 10:.2f}"] for n in range(11)]
    assert curve == [near(0.8)] * 6 + [near(0.6)] * 5
    labels = [line.split("\t")[0] for line in found]
    assert labels.index("MAgP") == labels.index("gP[1]", labels.index("num_q")) - 1


def test_relevant_in_context_weighs_recall_by_beta(evaluate: Evaluate) -> None:
    # P 1/2, R 1: F = 1.0625 · .5 / (.0625 · .5 + 1)
    found = values(evaluate("-r", lines("7 a 0 80")), "all")
    assert found["gP[1]"] == near(0.53125 / 1.03125)


def test_best_in_context(evaluate: Evaluate) -> None:
    # Entry points are at 10 and 40: distances 110 and 0 of n = 200.
    found = values(
        evaluate("-b -n 200", lines("7 a 120 1", "7 b 10 1", "7 d 40 1", "8 e X 1")), "all"
    )
    assert (found["ret_size"], found["rel_ret_size"], found["num_rel_ret"]) == (0, 0, 3)
    assert found["gP[1]"] == near((0.45 + 0) / 2)
    assert found["MAgP"] == near(((0.45 + 1.45 / 3) / 2 + 0) / 2)


def test_t2i_reads_passages_by_offset_then_the_rest(evaluate: Evaluate) -> None:
    # 60–80 irrelevant, then from the start 40 relevant, then 10 more irrelevant: 30 are borne.
    found = values(evaluate("-i -irr 30", lines("7 a 60 10", "7 a 70 10")), "all")
    assert found["gP[1]"] == near(40 / 70)
    # An article that ends before the reader gives up: 10 relevant, 10 not.
    found = values(evaluate("-i", lines("8 e 0 5")), "all")
    assert found["gP[1]"] == near(10 / 20)


@pytest.mark.parametrize(("task", "size"), [("-f", 18), ("-r", 18), ("-i", 18), ("-t", 0)])
def test_a_passage_that_is_nowhere_has_a_size_but_no_text(
    evaluate: Evaluate, task: str, size: int
) -> None:
    for offset in ("X", "-1"):
        found = values(evaluate(task, lines(f"7 a {offset} -1")), "all")
        assert (found["ret_size"], found["rel_ret_size"]) == (size, 0)


def test_recall_falls_into_bins_by_floating_point(evaluate: Evaluate) -> None:
    qrels = "7 Q0 a 100 100 0 0:100\n"
    for found, last_bin in ((29, 28), (30, 30), (57, 56), (58, 57)):
        curve = values(evaluate("-f", lines(f"7 a 0 {found}"), qrels), "all")
        filled = [n for n in range(101) if curve[f"ircl_prn.{n / 100:.2f}"] == 1]
        assert filled == list(range(last_bin + 1))
