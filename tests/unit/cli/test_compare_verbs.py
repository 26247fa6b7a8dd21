"""The verbs compare and correlate."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from doxeval.comparison import TESTS, Test
from helpers import doxeval as call
from helpers import write_files

TOPICS = range(1, 9)
QRELS = "".join(f"{topic} Q0 a 200 1000 0 0:200\n" for topic in TOPICS)


def run_of(name: str, shift: int) -> str:
    """Passages that miss more and more of what is relevant, and some noise by topic."""
    return "".join(
        f"{topic} Q0 a 1 9 {name} {shift + topic * (5 + shift % 7)} 200\n" for topic in TOPICS
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    runs = {"good.run": run_of("good", 0), "fair.run": run_of("fair", 9)}
    return write_files(tmp_path, {"qrels.txt": QRELS, "bad.run": run_of("bad", 90), **runs})


def arguments(files: Path, *names: str) -> list[object]:
    return [*(files / f"{name}.run" for name in names), "-a", files / "qrels.txt"]


class TestVerbs:
    def test_compare_as_a_table(self, files: Path) -> None:
        result = call("compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5")
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert lines[0] == "Paired t test of cR@5; Holm's correction for 3 pairs, alpha 0.05"
        assert [line.split()[0] for line in lines[2:5]] == ["good", "fair", "bad"]
        assert "good - bad" in result.stdout
        assert "95% interval" in result.stdout
        assert "good, the first by its mean, is significantly better than every other" in lines[-1]

    @pytest.mark.parametrize("test", TESTS)
    def test_compare_as_json_and_csv(self, files: Path, test: Test) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5"]
        options = ["--test", test]
        if test in ("bootstrap", "randomization"):
            options += ["--resamples", "500", "--seed", "3"]
        (found,) = json.loads(call(*command, *options, "--format", "json").stdout)["comparisons"]
        assert (found["measure"], found["test"]) == ("cR@5", test)
        assert [run["run"] for run in found["runs"]] == ["good", "fair", "bad"]
        rows = list(csv.DictReader(io.StringIO(call(*command, *options, "--format", "csv").stdout)))
        assert [(row["first"], row["second"]) for row in rows] == [
            (pair["first"], pair["second"]) for pair in found["pairs"]
        ]
        assert [float(row["p"]) for row in rows] == [pair["p"] for pair in found["pairs"]]
        assert [row["significant"] for row in rows] == [
            str(pair["significant"]).lower() for pair in found["pairs"]
        ]

    def test_compare_as_a_table_for_a_paper(self, files: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5", "-m", "cP@5"]
        latex = call(*command, "--format", "latex", "--baseline", files / "fair.run")
        assert latex.exit_code == 0, latex.stderr
        lines = latex.stdout.splitlines()
        assert lines[0] == r"% \usepackage{booktabs,threeparttable}"
        assert [line.split(" ")[0] for line in lines[6:10]] == ["fair", r"\midrule", "good", "bad"]
        assert lines[8].count(r"\textsuperscript{+}") == 2
        assert "worse than fair (paired t test; Holm's correction for 2 pairs, alpha" in lines[-3]
        letters = call(*command, "--format", "latex").stdout
        assert letters.count(r"\textsuperscript{a}") == 2

    def test_compare_with_a_baseline_by_id_or_file(self, files: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5"]
        by_id = call(*command, "--baseline", "fair", "--test", "randomization")
        by_file = call(*command, "--baseline", files / "fair.run", "--test", "randomization")
        assert by_id.exit_code == 0, by_id.stderr
        assert by_id.stdout == by_file.stdout
        assert by_id.stdout.startswith("Fisher's randomization test of cR@5, exact;")
        assert "Significantly better than fair: good; significantly worse than fair: bad." in (
            by_id.stdout
        )
        assert "letters" not in by_id.stdout

    def test_many_runs_are_summed_up(self, files: Path) -> None:
        names = [f"r{place}" for place in range(11)]
        write_files(files, {f"{n}.run": run_of(n, 3 * i) for i, n in enumerate(names)})
        result = call("compare", *arguments(files, *names), "-m", "cR@5")
        assert result.exit_code == 0, result.stderr
        # A pipe gets everything.
        assert sum(" - r" in line for line in result.stdout.splitlines()) == 55
        with_baseline = call("compare", *arguments(files, *names), "-m", "cR@5", "--baseline", "r3")
        assert " - " not in with_baseline.stdout
        everything = call(
            "compare", *arguments(files, *names), "-m", "cR@5", "--baseline", "r3", "--pairs"
        )
        assert "r0 - r3 " in everything.stdout

    def test_correlate(self, files: Path) -> None:
        command = ["correlate", *arguments(files, "bad", "good", "fair")]
        command += ["-m", "cR@5", "-m", "cP@5", "-m", "iP[.01]"]
        result = call(*command)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.split()[:4] == ["measures", "systems", "τ", "p"]
        assert "cR@5 and cP@5 rank the systems equivalently (τ above 0.9), but 3 systems" in (
            result.stdout
        )
        found = json.loads(call(*command, "--format", "json").stdout)
        assert len(found["pairs"]) == 3
        assert found["pairs"][0]["tau"] == {"value": 1.0, "p": pytest.approx(1 / 3)}
        assert found["pairs"][0]["agreement"] == "equivalent"
        rows = list(csv.DictReader(io.StringIO(call(*command, "--format", "csv").stdout)))
        assert [row["second"] for row in rows] == ["cP@5", "iP[.01]", "iP[.01]"]
        assert float(rows[0]["tau_ap"]) == 1

    def test_significant_pairs_of_two_measures(self, files: Path) -> None:
        command = ["correlate", *arguments(files, "bad", "good", "fair"), "--significant"]
        command += ["-m", "cR@5", "-m", "cP@5", "-m", "iP[.01]"]
        result = call(*command)
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert lines[0] == (
            "Pairs of systems distinguished: paired t test, Holm's correction, alpha 0.05"
        )
        assert lines[3].split() == ["cR@5", "3", "3", "1.000"]
        assert lines[8].split() == "cR@5 (x), cP@5 (y) 3 0 0 0 0 1.000 1.000".split()
        found = json.loads(call(*command, "--format", "json").stdout)
        assert (found["test"], found["alpha"], len(found["pairs"])) == ("t", 0.05, 3)
        first = found["pairs"][0]
        assert (first["same"], first["agreement"], first["tested"]) == (3, 1.0, 3)
        assert first["pairs"]["same"] == [["fair", "bad"], ["good", "bad"], ["good", "fair"]]
        rows = list(csv.DictReader(io.StringIO(call(*command, "--format", "csv").stdout)))
        assert [row["second"] for row in rows] == ["cP@5", "iP[.01]", "iP[.01]"]
        assert (rows[0]["same"], rows[0]["neither"], rows[0]["agreement"]) == ("3", "0", "1.0")
        strict = json.loads(call(*command, "--format", "json", "--alpha", "1e-9").stdout)
        assert (strict["pairs"][0]["neither"], strict["pairs"][0]["agreement"]) == (3, None)

    def test_options_of_significance_need_the_flag(self, files: Path) -> None:
        command = ["correlate", *arguments(files, "bad", "good"), "-m", "cR@5", "-m", "cP@5"]
        for option in (["--test", "sign"], ["--alpha", ".1"]):
            result = call(*command, *option)
            assert result.exit_code == 2
            assert f"{option[0]} is for --significant" in result.stderr
            assert call(*command, *option, "--significant").exit_code == 0
        seeded = [*command, "--significant", "--seed", "3"]
        assert call(*seeded).exit_code == 2
        assert call(*seeded, "--test", "randomization", "--resamples", "99").exit_code == 0

    def test_wrong_usage_and_wrong_input(self, files: Path) -> None:
        for verb in ("compare", "correlate"):
            alone = call(verb, *arguments(files, "good"), "-m", "cR@5")
            assert alone.exit_code == 2
            assert f"{verb} needs two runs or more" in alone.stderr
        both = arguments(files, "good", "bad")
        one = call("correlate", *both, "-m", "cR@5", "-m", "cR@5")
        assert one.exit_code == 2
        assert "two measures or more" in one.stderr
        assert call("compare", *both).exit_code == 2
        assert call("compare", *both, "-m", "cR@5", "--alpha", "1").exit_code == 2
        unknown = call("compare", *both, "-m", "cR@5", "--baseline", "other")
        assert unknown.exit_code == 1
        assert unknown.stderr == "Error: no run 'other'; there are good, bad\n"
        assert call("compare", *both, "-m", "nonsense").exit_code == 1

    def test_notes_are_told_on_stderr(self, files: Path) -> None:
        write_files(files, {"odd.run": "1 Q0 a 1 9 odd 0 100\n"})
        command = ["compare", *arguments(files, "good", "odd"), "-m", "cR@5"]
        result = call(*command, "--average-over", "retrieved", "--format", "json")
        assert result.exit_code == 0
        assert "are not tested: one topic has a score by cR@5 from both" in result.stderr
        (found,) = json.loads(result.stdout)["comparisons"]
        assert found["pairs"][0]["p"] is None

    def test_several_measures_are_all_compared(self, files: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good"), "-m", "cR@5", "-m", "cP@5"]
        shown = call(*command).stdout
        assert "Paired t test of cR@5" in shown
        assert "Paired t test of cP@5" in shown
        found = json.loads(call(*command, "--format", "json").stdout)["comparisons"]
        assert [one["measure"] for one in found] == ["cR@5", "cP@5"]
        rows = list(csv.DictReader(io.StringIO(call(*command, "--format", "csv").stdout)))
        assert [row["measure"] for row in rows] == ["cR@5", "cP@5"]
        preset = ["compare", *arguments(files, "bad", "good"), "--preset", "inex2009-focused"]
        assert "of MAiP" in call(*preset).stdout

    @pytest.mark.parametrize("option", ["--seed", "--resamples"])
    def test_options_of_resampling_need_such_a_test(self, files: Path, option: str) -> None:
        command = ["compare", *arguments(files, "bad", "good"), "-m", "cR@5", option, "7"]
        result = call(*command)
        assert result.exit_code == 2
        assert f"{option} is for tests by resampling" in result.stderr
        assert call(*command, "--test", "bootstrap").exit_code == 0


class TestScoresFromElsewhere:
    @pytest.fixture
    def scores(self, files: Path) -> Path:
        """The scores of three runs as evaluate writes them."""
        command = [*arguments(files, "bad", "good", "fair"), "-m", "cR@5", "-m", "cP@5"]
        out = files / "scores.csv"
        result = call("evaluate", *command, "--per-topic", "--format", "csv", "--out", out)
        assert result.exit_code == 0, result.stderr
        return out

    def test_they_are_compared_as_runs_are(self, files: Path, scores: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5", "-m", "cP@5"]
        for options in ([], ["--test", "sign", "--baseline", "fair"], ["--format", "csv"]):
            by_runs, by_scores = call(*command, *options), call("compare", scores, *options)
            assert by_scores.exit_code == 0, by_scores.stderr
            assert by_scores.stdout == by_runs.stdout
        one = call("compare", scores, "-m", "cP@5")
        assert one.stdout == call(*command[:-4], "-m", "cP@5").stdout

    def test_they_are_correlated_as_runs_are(self, files: Path, scores: Path) -> None:
        command = ["correlate", *arguments(files, "bad", "good", "fair")]
        command += ["-m", "cR@5", "-m", "cP@5"]
        for options in ([], ["--significant"], ["--format", "json"]):
            by_scores = call("correlate", scores, *options)
            assert by_scores.exit_code == 0, by_scores.stderr
            assert by_scores.stdout == call(*command, *options).stdout

    def test_files_of_single_runs_are_named(self, files: Path) -> None:
        write_files(files, {"x.csv": "qid,AP\n1,.5\n2,.6\n", "y.csv": "qid,AP\n1,.1\n2,.4\n"})
        x, y = files / "x.csv", files / "y.csv"
        result = call("compare", x, f"base={y}", "--baseline", "base")
        assert result.exit_code == 0, result.stderr
        assert [row.split()[0] for row in result.stdout.splitlines()[2:4]] == ["x", "base"]
        assert call("compare", x, f"base={y}", "--baseline", y).stdout == result.stdout

    def test_lower_is_better(self, files: Path) -> None:
        write_files(files, {"s.csv": "run,topic,ms\na,1,5\na,2,6\nb,1,1\nb,2,3\n"})
        command = ["compare", files / "s.csv", "--format", "json"]
        for options, best in (([], "a"), (["--lower-is-better", "ms"], "b")):
            (found,) = json.loads(call(*command, *options).stdout)["comparisons"]
            assert found["runs"][0]["run"] == best

    def test_warnings_are_printed(self, files: Path) -> None:
        write_files(files, {"s.csv": "run,topic,AP\na,1,.5\na,2,.6\na,3,1\nb,1,.1\nb,2,.3\n"})
        result = call("compare", files / "s.csv")
        assert result.exit_code == 0
        assert "b: no scores for 1 of 3 topics (3), which do not count for this run" in (
            result.stderr
        )

    def test_wrong_usage(self, files: Path, scores: Path) -> None:
        write_files(files, {"one.csv": "topic,AP\n1,.5\n2,1\n", "bad.csv": "a,1,.5\nb,1,.5\n"})
        run, qrels = files / "good.run", files / "qrels.txt"
        refused = {
            ("compare", scores, run): "scores.csv holds scores, but",
            ("compare", scores, "-a", qrels): "--assessments is for scoring runs; ",
            ("compare", scores, "--preset", "inex2009-focused"): "--preset is for scoring runs; ",
            ("compare", scores, "--jobs", 2): "--jobs is for scoring runs; ",
            ("compare", files / "one.csv"): "compare needs two runs or more",
            ("correlate", files / "one.csv"): "correlate needs two runs or more",
            ("correlate", scores, "-m", "cR@5"): "correlate needs two measures or more",
            (
                "compare",
                run,
                run,
                "-m",
                "cR@5",
            ): "Missing option '--assessments' / '-a'. Only score",
            ("compare", *arguments(files, "good", "bad"), "--lower-is-better", "cR@5"): (
                "--lower-is-better is for scores from a file"
            ),
        }
        for command, message in refused.items():
            result = call(*command)
            assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
        wrong = {
            ("compare", scores, "-m", "nDCG"): "no scores by 'nDCG'",
            ("compare", scores, "--baseline", "none"): "no run 'none'",
            ("compare", scores, files / "none.csv"): "none.csv: No such file",
            ("compare", f"x={scores}"): "3 runs (bad, good, fair), which cannot all be 'x'",
            ("compare", scores, scores): "is given twice, first",
            ("compare", files / "bad.csv"): "bad.csv:1: no column topic",
        }
        for command, message in wrong.items():
            result = call(*command)
            assert (result.exit_code, message in result.stderr) == (1, True), result.stderr
