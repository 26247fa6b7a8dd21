"""The command line, as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from doxeval.cli import main
from doxeval.documents import Collection
from helpers import doxeval, write_files


def verbs(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield name
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            assert child is not None
            yield from verbs(child, (*name, verb))


def test_every_verb_has_help() -> None:
    without = []
    for verb in verbs(main):
        result = doxeval(*verb, "--help")
        lines = result.stdout.splitlines()
        is_help = result.exit_code == 0 and "Usage: " in result.stdout and len(lines) > 5
        if not is_help or max(map(len, lines)) > 100:
            without.append(" ".join(verb))
    assert without == []


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
    assert "--suffix .sgm=text reads such files as text" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgm", "empty"]


def test_globs_and_several_sources(tmp_path: Path) -> None:
    write_files(tmp_path, {"x/a.md": "# A", "x/deep/er/b.md": "B", "y/c.txt": "C"})
    result = doxeval(
        *("collection", "build", f"{tmp_path}/x/**/*.md", tmp_path / "y"),
        *("--out", tmp_path / "c", "--id", "path"),
    )
    assert result.exit_code == 0, result.stderr
    assert list(Collection(tmp_path / "c").ids()) == ["a", "deep/er/b", "c"]
