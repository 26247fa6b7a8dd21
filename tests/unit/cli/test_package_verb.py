"""`doxeval assess package`: what is in the folder, what is refused, and where doxeval takes it."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from campaigns_by_hand import AT_SHIPS, DOCUMENTS, HIGH, LOW, judge
from doxeval import Collection, chunks, evaluate, read_assessments, read_topics, search
from doxeval.assess.db import Campaign
from doxeval.datasets import verify_package
from doxeval.errors import DoxevalError, FormatError, SourceError
from doxeval.pooling import read_pool
from helpers import doxeval, write_files

RUN = "7 Q0 tides 1 3 mine /article[1]/sec[1]/p[1]\n8 Q0 ships 1 2 mine /article[1]\n"
LICENSED = ("--with-documents", "--licence", "CC-BY-4.0")


@pytest.fixture(scope="module")
def judged_campaign(tmp_path_factory: pytest.TempPathFactory, new_campaign: Path) -> Path:
    """Ann has judged both topics, Bob topic 7; they differ about one document."""
    directory = tmp_path_factory.mktemp("judged") / "campaign"
    shutil.copytree(new_campaign, directory)
    judge(directory, "ann", "7", "tides", [LOW], 0)
    judge(directory, "ann", "7", "ships", [AT_SHIPS], 15)
    judge(directory, "ann", "8", "whales", [(0, 12)], 0)
    judge(directory, "ann", "8", "ships", [])
    judge(directory, "bob", "7", "tides", [LOW, HIGH], 0)
    judge(directory, "bob", "7", "ships", [AT_SHIPS], 15)
    return directory


@pytest.fixture
def campaign(judged_campaign: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(judged_campaign, tmp_path / "campaign"))


def packaged(campaign: Path, out: Path, *options: object) -> Result:
    whose = () if "--judgments" in options else ("--judgments", "union")
    return doxeval("assess", "package", campaign, *whose, "--out", out, *options)


@pytest.fixture(scope="module")
def package(judged_campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with documents, two baselines and a run; nobody changes it."""
    folder = tmp_path_factory.mktemp("packages")
    campaign = Path(shutil.copytree(judged_campaign, folder / "campaign"))
    write_files(folder, {"my.run": RUN, "my.run.yaml": "tag: mine\nactor: {name: Ann}\n"})
    options = ("--run", folder / "my.run", "--author", "Shore, Ann", "--author", "The Library")
    done = packaged(campaign, folder / "tides", *LICENSED, *options, "--title", "Tides & <ships>")
    assert done.exit_code == 0, done.output
    return folder / "tides"


@pytest.fixture
def copied(package: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(package, tmp_path / "copied"))


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# What is in it


def test_everything_that_a_test_collection_consists_of(package: Path, sources: Any) -> None:
    names = set(files_in(package))
    assert {name for name in names if not name.startswith(("collection/", "assessors/"))} == {
        *("README.md", "CITATION.cff", "SHA256SUMS", "croissant.json", "doxeval-package.json"),
        *("topics.jsonl", "judgments.jsonl", "qrels.txt", "pool.jsonl", "documents.jsonl"),
        *("agreement.json", "statistics.json", "baselines/scores.csv", "baselines/my.run"),
        *("baselines/doxeval-lm.run", "baselines/doxeval-bm25.run", "baselines/my.run.yaml"),
        *("baselines/doxeval-lm.run.yaml", "baselines/doxeval-bm25.run.yaml"),
    }
    assert [line["id"] for line in lines_of(package / "topics.jsonl")] == ["7", "8"]
    collection = Collection(sources.collection)
    for number, line in enumerate(lines_of(package / "documents.jsonl")):
        text = collection.text_of(number)
        assert line == {
            "id": collection.id_of(number),
            "characters": len(text),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "text": text,
        }
    pool = read_pool(package / "pool.jsonl")
    as_made = read_pool(sources.pool)
    assert pool.topics == as_made.topics
    assert pool.facts.method == "depth"
    for topic, documents in as_made.documents.items():
        assert [each.document for each in pool.documents[topic]] == [
            each.document for each in documents
        ]
        assert [each.elements for each in pool.documents[topic]] == [
            each.elements for each in documents
        ]


def test_judgments_of_each_assessor_and_those_that_count(package: Path, campaign: Path) -> None:
    with Campaign.open(campaign) as opened:
        pseudonyms = {user.name: user.pseudonym for user in opened.users()}
    found = {path.stem for path in (package / "assessors").iterdir()}
    assert found == {pseudonyms["ann"], pseudonyms["bob"]}
    whose = {
        name: read_assessments(package / "assessors" / f"{pseudonyms[name]}.jsonl")
        for name in ("ann", "bob")
    }
    assert [len(whose[name]) for name in ("ann", "bob")] == [4, 2]
    counted = {(each.topic, each.document): each for each in read_assessments(package)}
    assert counted["7", "tides"].highlights == ((0, 18),), "the union"
    assert counted["8", "ships"].highlights == ()
    assert "ann" not in b"".join(files_in(package / "assessors").values()).decode()


def test_agreement_statistics_and_scores(package: Path) -> None:
    agreement = json.loads((package / "agreement.json").read_text())
    [row] = agreement["people"]
    assert (row["topic"], row["documents"]["judged"], agreement["programs"]) == ("7", 2, [])
    statistics = json.loads((package / "statistics.json").read_text())
    assert statistics["documents"]["documents"] == 3
    assert [topic["relevant"] for topic in statistics["topics"]] == [2, 1]
    assert [topic["assessors"] for topic in statistics["topics"]] == [2, 1]
    rows = list(csv.DictReader((package / "baselines/scores.csv").read_text().splitlines()))
    assert {row["run"] for row in rows} == {"mine", "doxeval-lm", "doxeval-bm25"}
    again = evaluate(package / "baselines/my.run", package, "MAiP").mean()["mine"]
    means = [row for row in rows if (row["run"], row["topic"]) == ("mine", "all")]
    mine = {row["measure"]: row["value"] for row in means}
    assert float(mine["MAiP"]) == again["MAiP"]
    assert float(mine["MAiP"]) > 0
    assert set(mine) == {"MAiP", *(f"iP[{at}]" for at in ("0.00", "0.01", "0.05", "0.10"))}


def test_the_readme_tells_strangers_how_to_use_it(package: Path, tmp_path: Path) -> None:
    text = (package / "README.md").read_text()
    assert text.startswith("# Tides \\& \\<ships\\>\n"), "nothing in it is Markdown but ours"
    for part in ("2 topics", "3 documents", "4 judgments", "CC-BY-4.0", "doxeval-bm25", "Jaccard"):
        assert part in text, part
    commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    assert commands[0] == "pip install doxeval"
    assert commands[1].startswith("doxeval evaluate baselines/my.run --assessments . -m MAiP")
    assert commands[2:] == ["sha256sum --check --quiet SHA256SUMS"]
    for command in commands[1:]:
        run = command.replace("doxeval ", f"{sys.executable} -m doxeval ", 1)
        subprocess.run(run, shell=True, cwd=package, check=True, capture_output=True)


def test_without_documents_the_readme_says_to_get_them(campaign: Path, tmp_path: Path) -> None:
    done = packaged(campaign, tmp_path / "p", "--no-baselines")
    assert done.exit_code == 0, done.output
    assert "names no author" in done.stderr
    assert "--licence" in done.stderr
    text = (tmp_path / "p/README.md").read_text()
    assert "doxeval collection build DOCUMENTS --out documents" in text
    assert "my.run" in text
    assert "Baselines" not in text
    assert not (tmp_path / "p/collection").exists()
    assert "text" not in lines_of(tmp_path / "p/documents.jsonl")[0]


def test_what_assessors_were_told(campaign: Path, tmp_path: Path) -> None:
    guide = write_files(tmp_path, {"guide.md": "Highlight *all* of it."}) / "guide.md"
    told = ("--title", "High tides", "--instructions", guide)
    assert doxeval("assess", "settings", campaign, *told).exit_code == 0
    assert packaged(campaign, tmp_path / "p", "--no-baselines").exit_code == 0
    assert (tmp_path / "p/instructions.md").read_text() == "Highlight *all* of it.\n"
    text = (tmp_path / "p/README.md").read_text()
    assert text.startswith("# High tides\n")
    assert "| `instructions.md` | what assessors were told |" in text


def test_citation(package: Path) -> None:
    cited = yaml.safe_load((package / "CITATION.cff").read_text())
    assert cited["authors"] == [
        {"family-names": "Shore", "given-names": "Ann"},
        {"name": "The Library"},
    ]
    assert (cited["cff-version"], cited["type"], cited["license"]) == (
        "1.2.0",
        "dataset",
        "CC-BY-4.0",
    )
    assert cited["title"] == "Tides & <ships>"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(cited["date-released"]))


def test_croissant_names_every_file_with_its_checksum(package: Path) -> None:
    described = json.loads((package / "croissant.json").read_text())
    files = files_in(package)
    listed = {file["@id"]: file for file in described["distribution"]}
    assert set(listed) == set(files) - {"croissant.json", "SHA256SUMS"}
    for name, file in listed.items():
        assert file["sha256"] == hashlib.sha256(files[name]).hexdigest()
        assert file["contentUrl"] == name
    records = {each["@id"]: each for each in described["recordSet"]}
    assert set(records) == {"topics", "documents", "judgments"}
    for each in records.values():
        for field in each["field"]:
            source = field["source"]
            lines = lines_of(package / source["fileObject"]["@id"])
            assert any(source["extract"]["column"] in line for line in lines)


def test_croissant_is_valid_by_its_own_library(package: Path) -> None:
    python = os.environ.get("DOXEVAL_TEST_MLCROISSANT", sys.executable)
    if subprocess.run([python, "-c", "import mlcroissant"], capture_output=True).returncode:
        pytest.skip("mlcroissant is not installed; DOXEVAL_TEST_MLCROISSANT names a Python with it")
    program = """
import json, sys, mlcroissant
data = mlcroissant.Dataset(jsonld=sys.argv[1])
print(json.dumps([
    list(data.metadata.issues.errors), list(data.metadata.issues.warnings),
    [row["judgments/doc"].decode() for row in data.records("judgments")],
    [row["topics/title"].decode() for row in data.records("topics")],
]))
"""
    path = package / "croissant.json"
    done = subprocess.run([python, "-c", program, path], capture_output=True, text=True, check=True)
    errors, warnings, documents, titles = json.loads(done.stdout)
    assert (errors, warnings) == ([], [])
    assert documents == [line["doc"] for line in lines_of(package / "judgments.jsonl")]
    assert titles == ["tides", "songs of whales"]


def test_twice_gives_the_same_bytes(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert packaged(campaign, tmp_path / "one", *LICENSED).exit_code == 0
    assert packaged(campaign, tmp_path / "other", *LICENSED).exit_code == 0
    assert files_in(tmp_path / "one") == files_in(tmp_path / "other")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert packaged(campaign, tmp_path / "early").exit_code == 0
    assert json.loads((tmp_path / "early/doxeval-package.json").read_text())["date"] == "1970-01-02"
    with Campaign.open(campaign) as opened:
        last = [event for event in opened.events() if event.what == "exported"][-1]
    assert last.details["format"] == "package"


def test_programs_are_apart(campaign: Path, tmp_path: Path) -> None:
    lines = '{"topic": "7", "doc": "tides", "judged": true}\n'
    write_files(tmp_path, {"llm.jsonl": lines})
    options = ("--program", "llama", "--version", "3/1", "--about", "Is it | relevant?")
    assert doxeval("assess", "import", campaign, tmp_path / "llm.jsonl", *options).exit_code == 0
    done = packaged(campaign, tmp_path / "p", "--no-baselines")
    assert done.exit_code == 0, done.output
    assert "of programs left out" in done.stderr
    [judged] = read_assessments(tmp_path / "p/programs/1.jsonl")
    assert "program" in judged.marks
    facts = json.loads((tmp_path / "p/doxeval-package.json").read_text())
    [program] = facts["programs"]
    assert (program["program"], program["file"]) == ("llama", "programs/1.jsonl")
    assert "Is it \\| relevant?" in (tmp_path / "p/README.md").read_text()
    agreement = json.loads((tmp_path / "p/agreement.json").read_text())
    assert {"llama 3/1"} <= {name for row in agreement["programs"] for name in row["assessors"]}
    assert {"llama 3/1"}.isdisjoint(
        name for row in agreement["people"] for name in row["assessors"]
    )
    assert read_assessments(tmp_path / "p").to_dict() != {"7": {"tides": 0}}


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--with-documents",), "only under a licence that allows it: name it with --licence"),
        (("--title", "a\nb"), "--title"),
        (("--author", " , "), "--author"),
        (("--judgments", "cyd"), "--judgments cyd: expected adjudicated, majority, union"),
        (("--judgments", "adjudicated"), "assessors differ about 1 document"),
        (("--topic", "9"), "no topic '9' in the campaign"),
        (("--run", "nowhere.run"), "nowhere.run"),
    ],
)
def test_wrong_calls_write_nothing(
    campaign: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = packaged(campaign, tmp_path / "p", *options)
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "p").exists()
    assert not list(tmp_path.glob(".p*"))


def test_what_exists_is_never_replaced(campaign: Path, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    done = packaged(campaign, tmp_path / "p")
    assert done.exit_code == 1
    assert "a package goes into a new folder" in done.stderr
    assert list((tmp_path / "p").iterdir()) == []


@pytest.fixture
def unfinished(new_campaign: Path, tmp_path: Path) -> Path:
    """Topic 7 has a draft and a document that nobody has judged; topic 8 is done."""
    directory = Path(shutil.copytree(new_campaign, tmp_path / "unfinished"))
    judge(directory, "ann", "7", "tides", [LOW], 0, validate=False)
    judge(directory, "ann", "8", "whales", [(0, 12)], 0)
    judge(directory, "ann", "8", "ships", [])
    return directory


def test_unfinished_topics_and_drafts_are_said(unfinished: Path, tmp_path: Path) -> None:
    done = packaged(unfinished, tmp_path / "p")
    assert done.exit_code == 1
    message = " ".join(done.stderr.split())
    assert "topics are not judged completely; choose others with --topic" in message
    assert "topic 7: nobody has judged 2 of 2 documents of the pool" in message
    assert "topic 7: not validated: tides (assessor-" in message
    assert "topic 8" not in message
    done = packaged(unfinished, tmp_path / "p", "--topic", "8", "--no-baselines")
    assert done.exit_code == 0, done.output
    assert [topic.id for topic in read_topics(tmp_path / "p")] == ["8"]
    done = packaged(unfinished, tmp_path / "q", "--unfinished", "--no-baselines")
    assert done.exit_code == 0, done.output
    assert "not judged: topic 7" in done.stderr
    assert "nobody has judged" in (tmp_path / "q/README.md").read_text()
    assert len(read_assessments(tmp_path / "q")) == 2, "without the draft"


def test_a_campaign_without_judgments(new_campaign: Path, tmp_path: Path) -> None:
    campaign = shutil.copytree(new_campaign, tmp_path / "campaign")
    done = packaged(campaign, tmp_path / "p", "--unfinished")
    assert "there is nothing to package: nothing has been validated yet" in done.stderr
    assert not (tmp_path / "p").exists()


def test_two_runs_of_one_name(campaign: Path, tmp_path: Path) -> None:
    files = write_files(tmp_path, {"a/my.run": RUN, "b/my.run": RUN})
    one, other = files / "a/my.run", files / "b/my.run"
    done = packaged(campaign, tmp_path / "p", "--run", one, "--run", other)
    assert done.exit_code == 1
    assert "two files of baselines would be called 'my.run'" in done.stderr
    assert not (tmp_path / "p").exists()
    done = packaged(campaign, tmp_path / "p", "--run", f"one={one}", "--run", f"two={other}")
    assert done.exit_code == 0, done.output
    assert {"one.run", "two.run"} < {path.name for path in (tmp_path / "p/baselines").iterdir()}


# Where it is taken


def test_one_path_stands_for_documents_topics_judgments_and_pool(
    copied: Path, tmp_path: Path
) -> None:
    assert len(Collection(copied)) == 3
    assert [topic.title for topic in read_topics(copied)] == ["tides", "songs of whales"]
    assert len(read_assessments(copied)) == 4
    assert list(read_pool(copied).topics) == ["7", "8"]
    assert doxeval("index", "build", copied).exit_code == 0
    run = tmp_path / "own.run"
    assert doxeval("search", copied, copied, "--out", run).exit_code == 0
    assert len(search(copied, copied)) > 0
    done = doxeval("evaluate", run, "-a", copied, "-m", "MAiP")
    assert done.exit_code == 0, done.output
    assert "the collection is that of the package" in done.stderr
    assert evaluate(run, copied, "MAiP").collection == str(copied / "collection")
    gold = chunks.questions(copied, copied)
    assert gold.texts == {"7": "tides", "8": "songs of whales"}
    assert gold["7"].needs[0].spans[0].document in ("tides", "ships")
    assert dict(chunks.documents(copied)) == {
        line["id"]: line["text"] for line in lines_of(copied / "documents.jsonl")
    }
    assert doxeval("chunks", "questions", copied, "--docs", copied).exit_code == 0
    assert doxeval("chunks", "try", copied, copied).exit_code == 0
    again = ("--collection", copied, "--topics", copied, "--pool", copied)
    assert doxeval("assess", "init", tmp_path / "again", *again).exit_code == 0


def test_a_package_without_documents_needs_the_collection(
    campaign: Path, tmp_path: Path, sources: Any
) -> None:
    out = tmp_path / "p"
    assert packaged(campaign, out, "--no-baselines").exit_code == 0
    run = write_files(tmp_path, {"my.run": RUN}) / "my.run"
    with pytest.raises(SourceError, match="the package has no documents, only their ids"):
        Collection(out)
    assert evaluate(run, out, "MAiP", collection=sources.collection).mean()["mine"]["MAiP"]
    others = {**DOCUMENTS, "tides.xml": DOCUMENTS["tides.xml"].replace("tide", "TIDE", 1)}
    write_files(tmp_path / "others", others)
    to = ("--out", tmp_path / "other", "--jobs", 1)
    built = doxeval("collection", "build", tmp_path / "others", *to)
    assert built.exit_code == 0
    with pytest.raises(FormatError, match="another text of 1 judged document: tides"):
        read_assessments(out, collection=Collection(tmp_path / "other"))


def test_sources_of_a_collection_are_no_package(copied: Path, tmp_path: Path) -> None:
    done = doxeval("collection", "build", copied, "--out", tmp_path / "c")
    assert done.exit_code == 1
    assert "a package has its collection already" in done.stderr


# What was changed


def changed(folder: Path) -> Iterator[tuple[str, str]]:
    """Change one file after another; yield what verifying must say."""
    path = folder / "judgments.jsonl"
    path.write_text(path.read_text() + '{"topic": "9", "doc": "tides", "judged": true}\n')
    yield "judgments.jsonl", "is not as it was packaged"
    (folder / "topics.jsonl").unlink()
    yield "topics.jsonl", "is missing"


def test_changes_are_noticed(copied: Path) -> None:
    done = doxeval("collection", "verify", copied)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "are as they were packaged" in done.stdout
    for name, what in changed(copied):
        done = doxeval("collection", "verify", copied)
        assert done.exit_code == 1
        assert f"{name} {what}" in done.stderr
    with pytest.raises(SourceError, match=r"judgments\.jsonl is not as it was packaged"):
        read_assessments(copied)
    with pytest.raises(SourceError, match=r"the package has no topics: topics\.jsonl is missing"):
        read_topics(copied)
    write_files(copied, {"more.txt": "x"})
    assert verify_package(copied).others == ("more.txt",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("abc  topics.jsonl", "expected a SHA-256, two spaces and a name"),
        (f"{'0' * 64}  ../secret", "expected the name of a file in the package"),
        (f"{'0' * 64}  /etc/passwd", "expected the name of a file in the package"),
        (f"{'0' * 64}  a\\..\\b", "expected the name of a file in the package"),
        (f"{'0' * 64}  topics.jsonl", "listed twice"),
    ],
)
def test_hostile_checksums(copied: Path, line: str, message: str) -> None:
    path = copied / "SHA256SUMS"
    path.write_text(f"{path.read_text()}{line}\n")
    for read in (verify_package, read_topics):
        with pytest.raises(DoxevalError, match=message):
            read(copied)


def test_links_out_of_the_package_are_no_files_of_it(copied: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.jsonl"
    shutil.move(copied / "pool.jsonl", moved)
    (copied / "pool.jsonl").symlink_to(moved)
    assert verify_package(copied).problems == ("pool.jsonl is missing",)
