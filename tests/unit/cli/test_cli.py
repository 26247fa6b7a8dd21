"""The command line, as a user meets it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import doxeval as doxeval_package
from doxeval.cli import main
from doxeval.documents import Collection
from helpers import doxeval, write_files

ARTICLES = Path(doxeval_package.__file__).parent / "demo_data" / "articles"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    out = tmp_path / "demo"
    assert doxeval("collection", "build", ARTICLES, "--out", out).exit_code == 0
    return out


def verbs(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield name
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            assert child is not None
            yield from verbs(child, (*name, verb))


@pytest.mark.parametrize("verb", list(verbs(main)), ids=" ".join)
def test_every_verb_has_help(verb: tuple[str, ...]) -> None:
    result = doxeval(*verb, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout
    lines = result.stdout.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 100


def test_demo_does_the_whole_job(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    result = doxeval("demo", "--out", out)
    assert result.exit_code == 0, result.stderr
    steps = "collection build", "index build", "search", "validate", "evaluate", "compare", "report"
    for verb in (*steps, "chunks try"):
        assert f"$ doxeval {verb} " in result.stdout
    assert re.search(r"^10\. \w+ /article\[1\]", result.stdout, re.MULTILINE)
    assert "What next" in result.stdout
    assert len(list((out / "data" / "runs").glob("*.run"))) == 12
    page = (out / "report.html").read_text(encoding="utf-8")
    for baseline in ("baseline-lm", "baseline-bm25"):
        assert re.search(rf"^{baseline} +0\.\d{{4}} ", result.stdout, re.MULTILINE)
        assert f"{baseline}.run: run {baseline}, " in result.stdout  # validated
        assert baseline in page
    assert result.stdout.count("  0 errors, 0 warnings\n") == 2
    assert (out / "report.html").stat().st_size > 100_000
    assert re.search(r"^paragraphs +455 ", result.stdout, re.MULTILINE)
    assert "What cutting and searching lose" in (out / "chunks.html").read_text(encoding="utf-8")
    again = doxeval("demo", "--out", out)
    assert (again.exit_code, "exists; --force replaces it" in again.stderr) == (1, True)
    precious = write_files(tmp_path / "mine", {"thesis.txt": "all of it"})
    refused = doxeval("demo", "--out", precious, "--force")
    assert (refused.exit_code, "is not an earlier demo" in refused.stderr) == (1, True)
    assert (precious / "thesis.txt").exists()


def test_info_as_table_and_json(demo: Path) -> None:
    table = doxeval("collection", "info", demo)
    facts = json.loads(doxeval("collection", "info", demo, "--format", "json").stdout)
    collection = Collection(demo)
    lengths = [collection.root(name).length for name in collection.ids()]
    assert facts["documents"] == len(collection) == 46
    assert facts["elements"] == len(collection.nodes.path)
    assert facts["elements_per_document"] == facts["elements"] / 46
    assert facts["mean_document_length"] == sum(lengths) / 46
    assert facts["longest_document"] == max(lengths)
    elements = [collection.root(name) for name in collection.ids()]
    everything = [e for root in elements for e in (root, *root.descendants())]
    assert facts["mean_depth"] == pytest.approx(sum(e.depth for e in everything) / len(everything))
    assert facts["mean_element_length"] == sum(e.length for e in everything) / len(everything)
    tags = [e.tag for e in everything]
    assert facts["frequent_tags"] == {tag: tags.count(tag) for tag in set(tags)}
    assert facts["tags"] == len(set(tags))
    assert facts["paths"] == len(collection.summary)
    for name in ("documents", "distinct paths", "mean depth", "most frequent tags"):
        assert name in table.stdout


def test_show_prints_text_outline_and_json(demo: Path) -> None:
    path = "/article[1]/body[1]/sec[1]/title[1]"
    result = doxeval("collection", "show", demo, "tides", path)
    assert result.stdout.splitlines() == [
        f"tides {path}  [309, 329)  20 characters",
        "Why the tide is hard",
    ]
    shown = json.loads(
        doxeval("collection", "show", demo, "tides", path, "--format", "json").stdout
    )
    assert shown == {
        "doc": "tides",
        "path": path,
        "tag": "title",
        "start": 309,
        "end": 329,
        "text": "Why the tide is hard",
    }
    outline = doxeval("collection", "show", demo, "tides").stdout
    assert "├─ title[1]  309–329  Why the tide is hard" in outline
    assert "─ em[1]" not in outline
    assert "─ em[1]" in doxeval("collection", "show", demo, "tides", "--all").stdout
    assert len(doxeval("collection", "show", demo, "tides", "--depth", 1).stdout.splitlines()) == 3
    part = doxeval("collection", "show", demo, "tides", "/article/body/sec[2]", "--outline").stdout
    assert part.splitlines()[0].startswith("tides /article[1]/body[1]/sec[2]")


def test_words_of_neighbouring_cells_stay_apart_in_the_outline(demo: Path) -> None:
    outline = doxeval("collection", "show", demo, "longitude").stdout
    assert "1 second 0.46 km" in outline


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "no document 'nosuch'"),
        (["tides", "/article[1]/sec[9]"], "/article[1] has no sec"),
        (["tides", "/article[1]/body[1]/sec[9]"], "/article[1]/body[1] has 5 sec"),
        (["tides", "/book[1]"], "its root is /article[1]"),
        (["tides", "sec"], "'sec' is not a path"),
    ],
)
def test_a_reference_that_names_nothing_says_why(
    demo: Path, arguments: list[str], message: str
) -> None:
    result = doxeval("collection", "show", demo, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["collection", "build"],
        ["collection", "build", "x"],
        ["collection", "build", "x", "--out", "y", "--jobs", "0"],
        ["collection", "show"],
        ["collection", "info", "x", "--format", "yaml"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    result = doxeval(*arguments)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cases = {
        "nowhere": "no such file or directory",
        "*.xml": "nothing matches",
        "empty": "no documents found; looked for files ending in .xml",
    }
    for name, message in cases.items():
        result = doxeval("collection", "build", tmp_path / name, "--out", tmp_path / "c")
        assert result.exit_code == 1
        assert message in result.stderr
    write_files(tmp_path, {"a.sgm": "<a/>"})
    result = doxeval("collection", "build", tmp_path / "a.sgm", "--out", tmp_path / "c")
    assert result.exit_code == 1
    assert "--format names it" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgm", "empty"]


def test_globs_and_several_sources(tmp_path: Path) -> None:
    write_files(tmp_path, {"x/a.md": "# A", "x/deep/er/b.md": "B", "y/c.txt": "C"})
    result = doxeval(
        *("collection", "build", f"{tmp_path}/x/**/*.md", tmp_path / "y"),
        *("--out", tmp_path / "c", "--id", "path"),
    )
    assert result.exit_code == 0, result.stderr
    assert list(Collection(tmp_path / "c").ids()) == ["a", "deep/er/b", "c"]


def test_a_terminal_sees_progress_and_no_control_characters(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", {"a.txt": "one \x1b[31mtwo\x1b[0m three\x07"})
    command = [sys.executable, "-m", "doxeval", "collection"]
    seen = on_a_terminal([*command, "build", str(source), "--out", str(tmp_path / "c")])
    assert "Building" in seen
    shown = on_a_terminal([*command, "show", str(tmp_path / "c"), "a", "/document[1]"])
    assert "one \\u001b[31mtwo\\u001b[0m three\\u0007" in shown
    piped = subprocess.run(
        [*command, "show", str(tmp_path / "c"), "a", "/document[1]"], capture_output=True
    )
    assert b"\x1b[31mtwo" in piped.stdout


def on_a_terminal(command: list[str]) -> str:
    """What a command writes to a terminal."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    seen = b""
    try:
        while data := os.read(controller, 65536):
            seen += data
    except OSError:  # how the end of a terminal shows itself on Linux
        pass
    os.close(controller)
    assert process.wait(timeout=30) == 0
    return seen.decode()


def test_starting_loads_nothing_heavy() -> None:
    script = (
        "import sys, doxeval, doxeval.cli; "
        "heavy = {'numpy', 'rich', 'selectolax', 'markdown_it'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
