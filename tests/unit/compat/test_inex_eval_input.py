"""The topics and files that the drop-in for inex_eval 3.1 reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from doxeval.compat import inex_eval_lines
from helpers import write_files
from inex_eval_runs import QRELS, Evaluate, evaluator_in, lines, near, options, values


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.chdir(tmp_path)
    return evaluator_in(tmp_path)


def test_topics_without_relevant_text_are_not_a_number(evaluate: Evaluate) -> None:
    found = values(evaluate("-f -q", lines("9 f 0 10", "7 a 0 40")), "9")
    assert found["art_rec"] == near(float("nan")) == found["char_rec"]
    assert {found[label] for label in ("art_prec", "art_f1", "char_f1", "iP[0.00]", "AiP")} == {0}
    found = values(evaluate("-r -q", lines("9 f 0 10", "7 a 0 40")), "all")
    assert found["MAgP"] == near(float("nan")) == found["gR[1]"]
    assert found["gP[1]"] == near(0.5)
    found = values(evaluate("-r -q -c", lines("7 a 0 40")), "9")
    assert (found["AgP"], found["gR[1]"]) == (near(float("nan")), 0)


def test_topics_are_those_with_results_or_all_sorted_as_strings(evaluate: Evaluate) -> None:
    qrels = QRELS + "10 Q0 g 1 9 0 0:1\n"
    found = evaluate("-f -q", lines("8 e 0 10", "6 a 0 1", "10 g 0 1"), qrels)
    assert [line for line in found if line.startswith(("num_ret", "num_q"))] == [
        "num_ret\t\t10\t1",
        "num_ret\t\t8\t1",
        "num_q\t\tall\t2",
        "num_ret\t\tall\t2",
    ]
    assert values(found, "all")["num_rel"] == 2
    found = evaluate("-f -c", lines("8 e 0 10"), qrels)
    assert (values(found, "all")["num_q"], values(found, "all")["num_rel"]) == (4, 4)


def test_a_run_without_assessed_topics_has_no_means(evaluate: Evaluate) -> None:
    for task in ("-f", "-r"):
        found = evaluate(task, lines("6 a 0 1"))
        assert found[0] == '<eval run-id="" file="run.txt">'
        assert values(found, "all")["ircl_prn.0.00"] == near(float("nan"))
        assert values(found, "all")["num_rel"] == (0 if task == "-f" else 3)


def test_the_run_is_named_by_the_last_line_of_an_assessed_topic(evaluate: Evaluate) -> None:
    run = "7 Q0 a 1 1 first 0 1\n7 Q0 b 2 1 last 0 1\n6 Q0 a 1 1 other 0 1\n"
    assert evaluate("-f", run)[0] == '<eval run-id="last" file="run.txt">'


def test_only_the_number_of_fields_counts_in_topics_without_assessments(
    evaluate: Evaluate,
) -> None:
    run = lines("7 a 0 1", "6 a huge -5", "6 a 0 9", "6 a 0 9")
    assert values(evaluate("-b", run), "all")["num_ret"] == 1


def test_assessments_are_not_checked_against_themselves(evaluate: Evaluate) -> None:
    # rsize says 20, the passages have 40 + 10 (twice): recall 60/20 is impossible.
    qrels = "7 Q0 a 20 30 0 0:40 30:10\n7 Q0 b 5 10\n7 Q0 c 5 10 0\n"
    found = evaluate("-f", lines("7 a 0 10", "7 a 10 30"), qrels)
    assert found[0] == "Impossible recall point: 166"
    assert found[1] == '<eval run-id="mine" file="run.txt">'
    total = values(found, "all")
    assert (total["rel_size"], total["rel_ret_size"], total["num_rel"]) == (30, 50, 3)
    assert total["iP[0.10]"] == 1
    # An article that is judged twice keeps its first rsize.
    found = evaluate("-f", lines("7 a 0 9"), "7 Q0 a 0 9\n7 Q0 a 5 9 0 0:5\n")
    assert (values(found, "all")["rel_size"], values(found, "all")["num_rel_ret"]) == (5, 0)


def test_lines_end_and_fields_are_separated_as_in_java(evaluate: Evaluate) -> None:
    run = "7\tQ0\x0ba  1 .5 mine +0 040 \r8 Q0 \x85é 1 .5 mine 0 1\r\n".encode()
    assert values(evaluate("-f -q", run), "7")["rel_ret_size"] == 40


def test_compressed_files_are_read_and_several_files_of_assessments(tmp_path: Path) -> None:
    run = gzip.compress(lines("7 a 0 40", "8 e 0 10").encode())
    first, second = QRELS[: QRELS.index("8 Q0")], QRELS[QRELS.index("8 Q0") :]
    write_files(tmp_path, {"run.txt.gz": run, "1": first, "2.gz": gzip.compress(second.encode())})
    found = inex_eval_lines(
        tmp_path / "run.txt.gz", [tmp_path / "1", tmp_path / "2.gz"], options("-f")
    )
    assert values(found, "all")["rel_ret_size"] == 50
