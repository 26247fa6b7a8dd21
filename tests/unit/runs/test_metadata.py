"""ir_metadata of runs: read beside and in them, written, shown, and refused where it is hostile."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from doxeval import evaluate, read_run, write_run
from doxeval.errors import FormatError, OutputError
from doxeval.evaluation import Evaluation
from doxeval.reports import report
from doxeval.runs import (
    METADATA,
    Run,
    as_run,
    describe_metadata,
    made_by_doxeval,
    metadata_of_file,
    metadata_rows,
    parse_metadata,
    read_metadata,
)
from helpers import doxeval, write_files
from levels import examples

EVERYTHING = Path(__file__).parents[2] / "data" / "metadata" / "harbour.run.yaml"
LINES = "7 Q0 a 1 2.0 mine\n7 Q0 b 2 1.0 mine\n"
QRELS = {"7": {"a": 1}}
SAID = {"tag": "mine", "method": {"automatic": True, "retrieval": [{"name": "bm25", "b": 0.4}]}}


def in_comments(text: str) -> str:
    """The same as comments, as repro_eval writes them: with a blank at the end of each line."""
    lines = "".join(f"# {line} \n" for line in text.splitlines())
    return f"# ir_metadata.start\n{lines}# ir_metadata.end\n"


def without_bounds(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("ir_metadata"))


# Reading


def test_all_sections_are_read() -> None:
    said = read_metadata(EVERYTHING)
    assert list(said) == [
        *("schema-version", "run-version", "tag", "platform", "research goal"),
        *("implementation", "method", "actor", "data", "made"),
    ]
    assert said["platform"]["hardware"]["cpu"]["number of cores"] == 16
    assert said["method"]["retrieval"][1]["params"] == {"depth": 2, "weights": [0.5, 0.25]}
    assert (
        said["research goal"]["publication"]["abstract"]
        == "Fog horns are found by what they say.\n"
    )
    assert said["made"] == "2026-11-19", "dates are text"
    assert json.loads(json.dumps(said)) == said
    rows = dict(metadata_rows(said))
    assert rows["platform: hardware: ram"] == "32 GB"
    assert rows["platform: software: libraries: java"] == "lucene==9.9"
    assert rows["method: retrieval 3: interpolates"] == "bm25, sections"
    assert rows["research goal: evaluation: significance test 1: correction method"] == "holm"
    assert rows["actor: fields"] == "ir, fog"
    assert describe_metadata(said) == (
        "BM25 (k1=0.9, b=0.4); sections: SectionReranker (depth=2, weights=0.5, 0.25), "
        "reranks bm25; both, interpolates bm25, sections, weight 0.6"
    )


def test_without_a_library_what_doxeval_wrote_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_yaml(name: str, *more: Any, **others: Any) -> Any:
        if name == "yaml":
            raise ModuleNotFoundError(name)
        return importing(name, *more, **others)

    importing = builtins.__import__
    run = Run.from_dict({"7": ["a"]}, "mine")
    run.facts[METADATA] = made_by_doxeval(**SAID)
    write_run(run, tmp_path / "mine.run", metadata="beside")
    write_files(tmp_path, {"other.run": LINES, "other.run.yaml": "tag: mine\n"})
    monkeypatch.setattr(builtins, "__import__", without_yaml)
    assert read_run(tmp_path / "mine.run").facts[METADATA]["method"] == SAID["method"]
    other = read_run(tmp_path / "other.run")
    assert len(other) == 2
    [warning] = other.warnings
    assert "pip install 'doxeval[metadata]'" in warning


@pytest.mark.parametrize("name", ["mine.run.yaml", "mine.run.yml", "mine.yaml", "mine.yml"])
def test_beside_a_run(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {"mine.run": LINES, name: "tag: x\ndescription: by  the\n  title\n"})
    assert read_run(tmp_path / "mine.run").facts[METADATA]["tag"] == "x"
    table = evaluate(tmp_path / "mine.run", QRELS, "AP")
    assert table.descriptions == {"mine": "by the title"}
    assert (table.runs[0].metadata or {})["tag"] == "x"


def test_in_the_comment_of_a_run(tmp_path: Path) -> None:
    text = without_bounds(EVERYTHING.read_text())
    comment = "# Our best.\n" + in_comments(text)
    path = write_files(tmp_path, {"mine.run": comment + LINES}) / "mine.run"
    run = read_run(path)
    assert run.facts[METADATA] == read_metadata(EVERYTHING)
    assert run.facts["description"] == "Our best.", "what is not metadata"
    assert run.line.tolist() == [comment.count("\n") + 1, comment.count("\n") + 2]
    assert evaluate(path, QRELS, "AP").descriptions == {"mine": "Our best."}
    bad = write_files(tmp_path, {"bad.run": comment + LINES + "7 Q0 a\n"}) / "bad.run"
    with pytest.raises(FormatError) as raised:
        read_run(bad)
    assert raised.value.line == comment.count("\n") + 3, "lines are counted from the beginning"


def test_metadata_come_with_runs_in_blocks_and_as_a_whole(tmp_path: Path) -> None:
    lines = "".join(f"{topic} Q0 a 1 1.0 mine\n" for topic in range(50))
    path = write_files(tmp_path, {"mine.run": in_comments(json.dumps(SAID)) + lines}) / "mine.run"
    qrels = {str(topic): {"a": 1} for topic in range(50)}
    evaluation = Evaluation(qrels, ["AP"])
    for run in (path, as_run(path)):
        assert evaluation.score_all([run]).runs[0].metadata == SAID
    twice = write_files(tmp_path, {"twice.run": in_comments('{"tag": "x"}') + LINES * 2})
    assert evaluate(twice / "twice.run", QRELS, "AP").runs[0].metadata == {"tag": "x"}


def test_what_is_no_metadata_of_file_a_run_is_left_alone(tmp_path: Path) -> None:
    files = {"mine.run": LINES, "mine.yaml": "model: bm25\nk1: 0.9\n"}
    run = read_run(write_files(tmp_path, files) / "mine.run")
    assert (METADATA in run.facts, run.warnings) == (False, ())
    write_files(tmp_path, {"mine.run.yaml": "model: bm25\n"})
    [warning] = read_run(tmp_path / "mine.run").warnings
    assert "mine.run.yaml: no ir_metadata: expected a tag, or sections (platform" in warning


# Hostile metadata

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"tag: x\n{BOMB}", "aliases"),
        ("tag: &a [*a]", "aliases"),
        ("tag: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("tag: !mine x", "could not determine a constructor"),
        ("tag: !!binary aGVsbG8=", "expected text or a number"),
        ("tag: !!set {a, b}", "expected text or a number"),
        ("tag: " + "[" * 2000, "levels deep"),
        ('{"tag": ' + "[" * 60 + "]" * 60 + "}", "levels deep"),
        ("tag: " + "[" * 100_000, "deep"),
        ("tag: [" + "1," * 20_000 + "]", "more than 10,000 values"),
        ("tag: " + "x" * 300_000, "more than 262,144 bytes"),
        ("tag: [1, 2", "harbour.yaml:"),
        ("tag: 'x", "harbour.yaml:"),
        ("\ttag: x", "harbour.yaml:"),
        ("tag: \x00", "not YAML"),
        ("tag: " + "9" * 5000, "harbour.yaml"),
        ('tag: "\\ud800"', "harbour.yaml:1"),
        ("", "no ir_metadata"),
        ("- tag", "no ir_metadata"),
        ("7", "no ir_metadata"),
        ("---\ntag: x\n---\ntag: y\n", "harbour.yaml"),
        ("? [a, b]\n: tag\n", "harbour.yaml"),
        ("? {a: b}\n: tag\n", "harbour.yaml"),
        (b"tag: \xff", "expected UTF-8"),
    ],
)
def test_hostile_metadata_are_refused_and_the_run_is_read(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with pytest.raises(FormatError) as raised:
        parse_metadata(data, "harbour.yaml")
    assert message in str(raised.value)
    assert len(str(raised.value)) < 500
    write_files(tmp_path, {"mine.run": LINES})
    (tmp_path / "mine.run.yaml").write_bytes(data)
    run = read_run(tmp_path / "mine.run")
    assert len(run) == 2
    assert len(run.warnings) == 1
    assert evaluate(tmp_path / "mine.run", QRELS, "AP").mean()["mine"]["AP"] == 1


def test_an_endless_beginning_costs_nothing(tmp_path: Path) -> None:
    head = "# ir_metadata.start\n" * 3_000
    run = read_run(write_files(tmp_path, {"mine.run": head + LINES}) / "mine.run")
    assert METADATA not in run.facts


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@examples(100)
@given(values)
def test_any_values_are_read_or_refused_and_shown(value: Any) -> None:
    try:
        said = parse_metadata(yaml.safe_dump({"tag": value}).encode(), "f.yaml")
    except FormatError:
        return
    assert all(isinstance(text, str) for row in metadata_rows(said) for text in row)
    describe_metadata({**said, "method": {"retrieval": value}})
    describe_metadata({"method": value})


def test_no_metadata_become_html_in_a_report(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert>"
    said = {"tag": evil, "method": {evil: evil, "retrieval": [{"name": evil, "k": evil}]}}
    files = {"mine.run": LINES, "mine.run.yaml": json.dumps(said), "b.run": LINES}
    write_files(tmp_path, files)
    table = evaluate([tmp_path / "mine.run", tmp_path / "b.run"], QRELS, "AP")
    assert table.descriptions == {"mine (mine)": f"{evil} (k={evil})"}
    page = str(report(table).html)
    assert evil not in page
    assert "&lt;img src=x onerror=alert&gt;" in page
    assert "(ir_metadata)" in page


# Writing


def searched(folder: Path, *options: object) -> Path:
    out = folder / "mine.run"
    done = doxeval("search", folder / "c", folder / "t.tsv", "--out", out, *options)
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture
def sea(tmp_path: Path) -> Path:
    """A collection with its index, and a topic."""
    files = {"d/a.xml": "<s><p>Low tide.</p></s>", "d/b.xml": "<s><p>Fog. Tide.</p></s>"}
    write_files(tmp_path, {**files, "t.tsv": "7\ttide\n"})
    for call in (("collection", "build", tmp_path / "d", "--out"), ("index", "build")):
        assert doxeval(*call, tmp_path / "c", "--jobs", 1).exit_code == 0
    return tmp_path


def test_search_writes_what_is_known_beside_its_run(sea: Path) -> None:
    said = yaml.safe_load(Path(f"{searched(sea)}.yaml").read_text())
    assert said["tag"] == "focused-lm"
    [stage] = said["method"]["retrieval"]
    assert stage == {
        "name": "elements",
        "method": "lm",
        "params": {"element": 0.2, "article": 0.4, "prior": 0, "least": 10},
    }
    assert said["method"]["indexing"]["stemmer"] == "s"
    collection = said["data"]["test collection"]
    assert collection["name"] == "c"
    assert collection["topics"] == "t.tsv"
    assert len(collection["checksum"]) == 64
    assert said["implementation"]["source"]["version"].startswith("doxeval ")
    assert "platform" not in said
    assert "research goal" not in said
    again = searched(sea, "--platform", "--force")
    assert "platform" in read_metadata(f"{again}.yaml")


def test_inside_only_on_request(sea: Path) -> None:
    plain = searched(sea).read_bytes()
    assert not plain.startswith(b"#"), "trec_eval rejects comments"
    Path(f"{sea / 'mine.run'}.yaml").unlink()
    inside = searched(sea, "--metadata", "inside", "--force")
    assert inside.read_bytes().endswith(plain)
    assert not Path(f"{inside}.yaml").exists()
    assert read_run(inside).facts[METADATA]["tag"] == "focused-lm"
    alone = searched(sea, "--metadata", "none", "--force")
    assert alone.read_bytes() == plain
    assert not Path(f"{alone}.yaml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metadata", "inside", "--out", "x.jsonl"), "metadata go inside text runs only"),
        (("--metadata", "none", "--platform", "--out", "x.run"), "--metadata none writes none"),
        (("--out", "mine.run"), "mine.run.yaml exists; --force replaces it"),
    ],
)
def test_wrong_calls(
    sea: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    searched(sea).unlink()
    monkeypatch.chdir(sea)
    before = sorted(path.name for path in sea.iterdir())
    done = doxeval("search", "c", "t.tsv", *options)
    assert done.exit_code in (1, 2)
    assert message in done.stderr
    assert sorted(path.name for path in sea.iterdir()) == before


def test_every_verb_that_makes_runs_says_what_they_are(sea: Path) -> None:
    one, out = searched(sea), sea / "out"
    write_files(sea, {"j.jsonl": '{"topic": "7", "doc": "a", "start": 0, "end": 3}\n'})
    write_files(sea, {"chunks.jsonl": '{"id": "x", "doc": "a", "start": 0, "end": 9}\n'})
    judged = ("-a", sea / "j.jsonl", "--collection", sea / "c")
    other = ("search", sea / "c", sea / "t.tsv", "--model", "bm25", "--run-id", "o", "--out")
    calls: dict[str, tuple[object, ...]] = {
        "other.run": other,
        "fused.run": ("fuse", one, sea / "out/other.run", "--out"),
        "perfect.run": ("simulate", "--system", "perfect", *judged, "--out"),
        "chunks.jsonl": (
            *("chunks", "search", sea / "chunks.jsonl", sea / "t.tsv", "--docs", sea / "c"),
            "--out",
        ),
        "fixed.run": ("validate", one, "--task", "focused", "--fix"),
        "converted.xml": ("convert", one),
    }
    out.mkdir()
    for name, call in calls.items():
        done = doxeval(*call, out / name)
        assert done.exit_code == 0, done.output
        assert read_metadata(f"{out / name}.yaml")["tag"], name
    method: dict[str, Any] = {
        name: read_metadata(f"{out / name}.yaml").get("method") for name in calls
    }
    assert method["fused.run"]["retrieval"][0]["interpolates"] == ["focused-lm", "o"]
    assert method["perfect.run"]["retrieval"][0]["method"] == "perfect"
    assert method["chunks.jsonl"]["retrieval"][0]["method"] == "bm25"
    assert method["converted.xml"] == method["fixed.run"] == read_metadata(f"{one}.yaml")["method"]
    runs = sorted(str(path) for path in out.glob("*.run*"))
    done = doxeval("evaluate", *runs, *judged, "-m", "MAiP")
    assert done.exit_code == 0, done.output
    assert "4 files of metadata are no runs, and left out" in done.stderr
    assert "rrf(k=60) of focused-lm, o" in done.stdout
    done = doxeval("evaluate", out / "fused.run.yaml", *judged, "-m", "MAiP")
    assert "these are metadata of a run, not a run" in done.stderr


def test_a_repair_is_added_to_what_was_known(tmp_path: Path) -> None:
    files = {"mine.run": LINES + "7 Q0 a 3 0.5 mine\n", "mine.run.yaml": "actor: {name: Ann}\n"}
    write_files(tmp_path, files)
    fixed = tmp_path / "fixed.run"
    doxeval("validate", tmp_path / "mine.run", "--task", "documents", "--fix", fixed)
    said = read_metadata(f"{fixed}.yaml")
    assert (said["tag"], said["actor"]) == ("mine", {"name": "Ann"})
    assert said["repaired"]["changes"][0].startswith("dropped 1 result")


def test_runs_of_which_nothing_is_known_have_no_metadata(tmp_path: Path) -> None:
    path = write_files(tmp_path, {"mine.run": LINES}) / "mine.run"
    assert doxeval("convert", path, tmp_path / "mine.jsonl").exit_code == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.jsonl", "mine.run"]


def test_python_writes_them_only_on_request(tmp_path: Path) -> None:
    run = Run.from_dict({"7": ["a"]}, "mine")
    run.facts[METADATA] = SAID
    write_run(run, tmp_path / "a.run")
    assert [path.name for path in tmp_path.iterdir()] == ["a.run"]
    write_run(run.with_id("other"), tmp_path / "b.run", metadata="beside")
    assert metadata_of_file(tmp_path / "b.run").metadata == {**SAID, "tag": "other"}
    with pytest.raises(OutputError, match="inside text runs only"):
        write_run(run, tmp_path / "c.csv", metadata="inside")
    assert not (tmp_path / "c.csv").exists()
