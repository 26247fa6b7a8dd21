"""What trec_eval refuses, and how it ends then; and what it should refuse, and we do."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from click.testing import Result

from doxeval.compat import TrecEvalError, TrecEvalOptions, trec_eval
from doxeval.errors import InputError
from helpers import doxeval, write_files

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 a 1 2.0 mine\n2 Q0 b 1 1.0 mine\n"


def called(folder: Path, qrels: str | bytes, run: str | bytes, *flags: str) -> Result:
    files = write_files(folder, {"qrels": qrels, "run": run})
    words = ("evaluate", files / "run", "-a", files / "qrels", "--compat", "trec_eval-9.0.8")
    return doxeval(*words, *flags)


BAD_FILES: dict[str, tuple[str, str | bytes, int, str]] = {
    "no results in": (QRELS, "", 2, "run: the file is empty"),
    "no judgments in": ("", RUN, 2, "qrels: the file is empty"),
    "only blank lines": (QRELS, "\n \n", 2, "run: no results in the file"),
    "a blank line of qrels": ("1 0 a 1\n\n2 0 a 1\n", RUN, 2, "qrels:2: a blank line"),
    "three fields": ("1 0 a 1\n1 0 b\n", RUN, 2, "qrels:2: not four fields"),
    "five fields": ("1 0 a 1 x\n", RUN, 2, "qrels:1: not four fields"),
    "a grade that is none": ("1 0 a 1\n1 0 b high\n", RUN, 2, "qrels:2: 'high' is not a grade"),
    "half a grade": ("1 0 a 1.5\n", RUN, 2, "qrels:1: '1.5' is not a grade"),
    "a sign alone": ("1 0 a -\n", RUN, 2, "qrels:1: '-' is not a grade"),
    "a huge grade": ("1 0 a 1234567890\n", RUN, 2, "qrels:1: '1234567890' is not a grade"),
    "five fields of a run": (QRELS, RUN + "\n3 Q0 a 1 2\n", 2, "run:4: fewer than six fields"),
    "a score that is none": (QRELS, "1 Q0 a 1 high mine\n", 2, "run:1: 'high' is not a score"),
    "no number": (QRELS, "1 Q0 a 1 nan mine\n", 2, "run:1: 'nan' is not a score"),
    "other bytes": (QRELS, b"1 Q0 a 1 1 mine\n1 Q0 \xff 1 1 mine\n", 2, "run:2: byte 0xff"),
    "a NUL": (QRELS, b"1 Q0 a\0 1 1 mine\n", 2, "run:1: control character 0x00"),
    "a byte order mark": ("\ufeff1 0 a 1\n", RUN, 2, "qrels:1: begins with a byte order mark"),
    "no common topic": ("3 0 a 1\n", RUN, 7, "run: no topic has both results and judgments"),
    "only pooled": ("1 0 a -1\n", RUN, 4, "qrels: topic 1 has only grades below 0"),
    "only low grades": (QRELS.replace("2 0 a 1", "2 0 a -2"), RUN, 4, "qrels: topic 2 has only"),
    "judged twice": (QRELS + "2 0 a 0\n", RUN, 4, "qrels: topic 2 judges 'a' twice"),
    "returned twice": (QRELS, RUN + "2 Q0 b 2 0.5 mine\n", 4, "run: topic 2 returns 'b' twice"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(case: str, tmp_path: Path) -> None:
    qrels, run, code, reason = BAD_FILES[case]
    done = called(tmp_path, qrels, run)
    assert done.exit_code == code
    assert not done.stdout
    assert reason in done.stderr


def test_a_topic_that_is_refused_comes_after_those_before(tmp_path: Path) -> None:
    done = called(tmp_path, QRELS, RUN + "2 Q0 b 2 0.5 mine\n", "-q", "-m", "map")
    assert done.exit_code == 4
    assert done.stdout == "map                   \t1\t1.0000\n"
    done = called(tmp_path, QRELS, RUN + "2 Q0 b 2 0.5 mine\n", "--out", str(tmp_path / "out.txt"))
    assert done.exit_code == 4
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("flags", [("-M", "1"), ("-m", "runid", "-m", "num_q")])
def test_documents_returned_twice_where_nobody_looks(tmp_path: Path, flags: tuple[str]) -> None:
    assert called(tmp_path, QRELS, RUN + "2 Q0 b 2 0.5 mine\n", *flags).exit_code == 0


def test_a_later_topic_may_be_pooled_only(tmp_path: Path) -> None:
    assert called(tmp_path, QRELS.replace("2 0 a 1", "2 0 a -1"), RUN).exit_code == 0


def test_a_missing_file_ends_as_trec_eval_ends(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"qrels": QRELS})
    words = ("evaluate", files / "nosuch", "-a", files / "qrels", "--compat", "trec_eval-9.0.8")
    done = doxeval(*words)
    assert done.exit_code == 2
    assert "nosuch" in done.stderr


BAD_MEASURES = {
    "MAP": (1, "trec_eval has no measure 'MAP'"),
    "": (1, "trec_eval has no measure ''"),
    "P.": (1, "no parameters behind the point of 'P.'"),
    "P.0": (2, "P.0: expected a whole number, 1 or more"),
    "P.2.5": (2, "P.2.5: expected a whole number, 1 or more"),
    "P.1e1": (2, "P.1e1: expected a whole number, 1 or more"),
    "P.5,": (2, "P.: expected a whole number, 1 or more"),
    "P.1000000000": (2, "P.1000000000: expected a whole number, 1 or more"),
    "P.a": (2, "P.a: expected a whole number, 1 or more"),
    "P.5,5": (2, "P: a cut-off is given twice in '5,5'"),
    "iprec_at_recall.x": (2, "iprec_at_recall.x: expected a number"),
    "iprec_at_recall.nan": (2, "iprec_at_recall.nan: expected a number"),
    "iprec_at_recall.1.5": (2, "iprec_at_recall: IPrec: @1.5 is not a level"),
    "set_F.x": (2, "set_F.x: expected a number"),
    "ndcg.1=3": (2, "parameters of ndcg are not available"),
    "11pt_avg.0.2,0.8": (2, "parameters of 11pt_avg are not available"),
    "utility.1,-1,0,0": (2, "parameters of utility are not available"),
    "prefs_simp": (1, "prefs_simp needs preferences or several assessors, not qrels"),
    "qrels_jg": (1, "qrels_jg needs preferences or several assessors, not qrels"),
}


@pytest.mark.parametrize("measure", BAD_MEASURES)
def test_bad_measures(measure: str, tmp_path: Path) -> None:
    code, reason = BAD_MEASURES[measure]
    done = called(tmp_path, QRELS, RUN, "-m", measure)
    assert done.exit_code == code
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--per-topic",), "--per-topic has no meaning for trec_eval-9.0.8"),
        (("--task", "focused"), "--task has no meaning for trec_eval-9.0.8"),
        (("--format", "json"), "--format has no meaning for trec_eval-9.0.8"),
        (("--preset", "inex2009-focused"), "--preset has no meaning for trec_eval-9.0.8"),
        (("-a", "more"), "trec_eval-9.0.8 reads one file of qrels: give -a once"),
        (("-l", "-1"), "'-l'"),
        (("-M", "many"), "'-M'"),
    ],
)
def test_options_of_others(tmp_path: Path, flags: tuple[str, ...], reason: str) -> None:
    done = called(tmp_path, QRELS, RUN, *flags)
    assert done.exit_code == 2
    assert reason in done.stderr


def test_runs_have_no_other_names(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"qrels": QRELS, "run": RUN})
    words = ("-a", files / "qrels", "--compat", "trec_eval-9.0.8")
    done = doxeval("evaluate", f"mine={files / 'run'}", *words)
    assert done.exit_code == 2
    assert "trec_eval-9.0.8 prints no names of runs" in done.stderr


@pytest.mark.parametrize("flags", [("-q",), ("-c",), ("-l", "2"), ("-J",), ("-M", "5"), ("-n",)])
def test_its_options_go_with_it(tmp_path: Path, flags: tuple[str, ...]) -> None:
    files = write_files(tmp_path, {"qrels": QRELS, "run": RUN})
    done = doxeval("evaluate", files / "run", "-a", files / "qrels", "-m", "AP", *flags)
    assert done.exit_code == 2
    assert f"{flags[0]} goes with --compat trec_eval-9.0.8" in done.stderr
    words = ("--compat", "inex_eval-3.1", "--task", "focused")
    done = doxeval("evaluate", files / "run", "-a", files / "qrels", *words, *flags)
    assert done.exit_code == 2
    assert f"{flags[0]} has no meaning for inex_eval-3.1" in done.stderr


def test_python_refuses_too() -> None:
    for bad in ({"relevance_level": -1}, {"max_results": -1}):
        with pytest.raises(InputError, match="expected 0 or more"):
            TrecEvalOptions(**bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="measures='map': expected a list of names"):
        TrecEvalOptions("map")
    assert trec_eval({"1": {"a": 1.0}}, {"1": {"a": 1}}, "map").summary() == {"map": 1.0}
    with pytest.raises(TrecEvalError, match="topic 1 has only grades below 0"):
        trec_eval({"1": {"a": 1.0}}, {"1": {"a": -1}})


def test_an_error_keeps_its_exit_code_on_its_way_from_another_process() -> None:
    error = TrecEvalError("no topic", "run", exit_code=7)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.exit_code) == (str(error), 7)
