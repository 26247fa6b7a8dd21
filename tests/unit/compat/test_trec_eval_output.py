"""The drop-in for trec_eval 9.0.8 against what the program itself prints, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.compat import read_trec_qrels, trec_eval
from helpers import DATA, doxeval, write_files

WORLDS = DATA / "trec_eval-9.0.8"
OUTPUTS = sorted(WORLDS.glob("*/*.txt"))
FLAGS = {
    "J-official": "-J",
    "M10-official": "-M 10",
    "l2-official": "-l 2 -m official",
    "official": "",
    "q-all_trec": "-q -m all_trec",
    "q-c-official": "-q -c",
    "n-map-P.5,10-ndcg_cut.3": "-n -q -m map -m P.5,10 -m ndcg_cut.3",
}


def printed(runs: str | list[str], qrels: object, flags: str = "") -> str:
    given = [runs] if isinstance(runs, str) else runs
    done = doxeval("evaluate", *given, "-a", qrels, "--compat", "trec_eval-9.0.8", *flags.split())
    assert done.exit_code == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_every_output_of_the_program_is_here() -> None:
    assert len(OUTPUTS) == 56
    assert {path.stem for path in OUTPUTS} == set(FLAGS)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_same_bytes(output: Path) -> None:
    world = output.parent
    found = printed(str(world / "run"), world / "qrels", FLAGS[output.stem])
    assert found == output.read_text()


def test_several_runs_one_after_another(tmp_path: Path) -> None:
    runs = [str(WORLDS / "04" / "run"), str(WORLDS / "05" / "run")]
    qrels = tmp_path / "qrels"
    qrels.write_text((WORLDS / "04" / "qrels").read_text() + (WORLDS / "05" / "qrels").read_text())
    alone = [printed(run, qrels, "-q") for run in runs]
    assert printed(runs, qrels, "-q") == "".join(alone)
    out = tmp_path / "out.txt"
    assert printed(runs, qrels, f"-q --out {out}") == ""
    assert out.read_text() == "".join(alone)


def test_python_gives_the_same_values() -> None:
    world = WORLDS / "04"
    scores = trec_eval(world / "run", read_trec_qrels(world / "qrels"), ["all_trec"])
    lines = (world / "q-all_trec.txt").read_text().splitlines()
    expected = [line.split() for line in lines]
    summary = scores.summary()
    of_all = {label: value for label, topic, value in expected if topic == "all"}
    assert set(of_all) - set(summary) == {"runid"}
    for label, value in summary.items():
        assert value == pytest.approx(float(of_all[label]), abs=0.00005)
    by_topic = scores.by_topic()
    for label, topic, shown in expected:
        if topic != "all" and label != "relstring":
            assert by_topic[topic][label] == pytest.approx(float(shown), abs=0.00005)


QRELS = "1 0 a 1\n1 0 a.xml 2\n10 0 b 3\n2 0 c 1\n"


def test_names_are_compared_byte_by_byte_and_the_last_line_names_the_run(tmp_path: Path) -> None:
    run = "2 Q0 c 1 1 first\n\n10\tQ0  B  ? 1 second\n \n1 Q0 a.xml 9 -1e-3 third run, with more"
    files = write_files(tmp_path, {"qrels": QRELS, "run": run})
    found = printed(str(files / "run"), files / "qrels", "-q -m runid -m num_rel_ret -m relstring")
    assert found.splitlines() == [
        "num_rel_ret           \t1\t1",
        "relstring             \t1\t'2'",
        "num_rel_ret           \t10\t0",
        "relstring             \t10\t'-'",
        "num_rel_ret           \t2\t1",
        "relstring             \t2\t'1'",
        "runid                 \tall\tthird",
        "num_rel_ret           \tall\t2",
    ]


def test_scores_are_compared_in_single_precision_and_ties_fall_by_document(tmp_path: Path) -> None:
    qrels = "".join(f"1 0 {name} {grade}\n" for grade, name in enumerate("abcd"))
    run = "1 Q0 a 1 1.00000002 r\n1 Q0 b 2 1.00000001 r\n1 Q0 d 3 1 r\n1 Q0 c 4 1.0 r\n"
    files = write_files(tmp_path, {"qrels": qrels, "run": run})
    assert "'3210'" in printed(str(files / "run"), files / "qrels", "-q -m relstring")


def test_a_list_that_nothing_is_left_of(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"qrels": QRELS, "run": "1 Q0 x 1 1 r\n"})
    found = printed(str(files / "run"), files / "qrels", "-J -m iprec_at_recall.0,.5 -m 11pt_avg")
    assert found.splitlines() == [
        "iprec_at_recall_0.00  \tall\t  -nan",
        "iprec_at_recall_0.50  \tall\t0.0000",
        "11pt_avg              \tall\t  -nan",
    ]


def test_parameters_make_names_and_the_first_ones_win(tmp_path: Path) -> None:
    files = write_files(tmp_path, {"qrels": QRELS, "run": "1 Q0 a 1 1 r\n"})
    flags = "-q -n -m P -m P.7,3 -m P.5 -m set_F.2 -m relstring.3 -m map.7 -m success.2"
    found = printed(str(files / "run"), files / "qrels", flags)
    labels = [line.split("\t")[0].strip() for line in found.splitlines()]
    assert labels == ["map", "P_3", "P_7", "relstring_3", "success_2", "set_F_2"]
