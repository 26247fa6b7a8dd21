"""Write the documentation pages that are made from the program itself.

    python scripts/document.py            write them
    python scripts/document.py --check    exit 1 if one of them is not what it should be

Readers explain their formats in their own docstrings, so the page cannot say anything else.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import click

from doxeval.assessments import QUANTISATIONS
from doxeval.cli import main as main_command
from doxeval.measures import (
    FAMILIES,
    PRESETS,
    REFERENCES,
    Family,
    family_page,
    links_in_words,
    listing,
)
from doxeval.navigation import BY_NAME
from doxeval.retrieve import BUILT_IN, models_page
from errata import errata_page
from esr_tables import esr_tables_page
from limits import limits_table

DOCS = Path(__file__).resolve().parent.parent / "docs"

FORMATS = {
    "Documents": {
        "XML": "doxeval.documents.readers.xml",
        "HTML": "doxeval.documents.readers.html",
        "Markdown": "doxeval.documents.readers.markdown",
        "Plain text": "doxeval.documents.readers.plain",
        "Records": "doxeval.documents.readers.records",
        "Paths and text points": "doxeval.documents.paths",
    },
    "Topics": {
        "INEX XML, JSONL, tab-separated": "doxeval.topics.read_write",
        "NEXI": "doxeval.topics.nexi",
        "Questions with gold": "doxeval.chunks.formats.own",
    },
    "Runs": {
        "Text": "doxeval.runs.text",
        "INEX XML": "doxeval.runs.inex_xml",
        "JSONL, CSV, Parquet": "doxeval.runs.records",
        "Chunks": "doxeval.runs.chunks",
    },
    "Assessments": {
        "INEX XML, 2002–07": "doxeval.assessments.inex_xml",
        "INEX text, 2008–10": "doxeval.assessments.inex_text",
        "TREC's qrels": "doxeval.assessments.trec",
        "JSONL": "doxeval.assessments.jsonl",
        "Several judgments of one document": "doxeval.assessments.merge",
    },
    "Pools": {
        "JSONL": "doxeval.pooling.jsonl",
        "INEX XML": "doxeval.pooling.inex_xml",
        "Text": "doxeval.pooling.trec",
    },
    "Campaigns of assessments": {
        "Web Annotations": "doxeval.assess.exchange.annotations",
        "Log of operations": "doxeval.assess.exchange.log",
        "Backups": "doxeval.assess.db.backup",
    },
    "Scores": {"For other programs and for papers": "doxeval.scores.formats"},
}
# What all commands have in common.
PRINTED = {
    "What commands print": "doxeval.cli.output",
    "How commands end": "doxeval.cli.exit_codes",
}
# Models of navigation: what explains each, and examples.
EXAMPLES = DOCS / "examples" / "navigation"
NAVIGATION = {
    "Matrix": ("doxeval.navigation.graph:MatrixNavigation", ("matrix",)),
    "Routes": ("doxeval.navigation.graph:read_routes", ("routes",)),
    "Summary, steady state and depth": (
        "doxeval.navigation.graph:SummaryNavigation",
        ("summary", "steady", "depth"),
    ),
    "Hierarchical": ("doxeval.navigation.tree:HierarchicalNavigation", ("hierarchical",)),
    "Neighbours": ("doxeval.navigation.tree:NeighbourNavigation", ("neighbours",)),
    "None": ("doxeval.navigation.model:NoNavigation", ("none",)),
}


def formats_page() -> str:
    """All formats, each explained by the module that reads it."""
    parts = [
        "# Formats\n\nFiles may be compressed (`.gz`, `.bz2`, `.xz`, `.zst`). Errors name file and "
        "line; nothing is guessed, and nothing is lost in silence.\n"
    ]
    for kind, modules in FORMATS.items():
        parts.append(f"## {kind}\n")
        for title, name in modules.items():
            parts.append(f"### {title}\n\n{_docstring(name).strip()}\n")
    return "\n".join([*parts, *_navigation_files()])


def _docstring(place: str) -> str:
    """What a module, or a class of it, says about itself; examples in Python left out."""
    module, _, name = place.partition(":")
    found = importlib.import_module(module)
    return inspect.cleandoc((getattr(found, name) if name else found).__doc__ or "").split(">>>")[0]


def _navigation_files() -> Iterator[str]:
    yield (
        "## Navigation\n\nHow readers move, for ESR, PRUM and EPRUM: one JSON file for "
        "`--navigation`, an object whose `model` names the kind. "
        f"{_in_words(BY_NAME)} need no file: `--navigation depth`, or inside a measure "
        "`ESRP@10(nav=depth)`. `doxeval navigation FILE` prints and checks a model. The examples "
        "fit the article `ferry` of [Getting started](getting-started.md); they are in "
        "`docs/examples/navigation` of the source code.\n"
    )
    for title, (module, examples) in NAVIGATION.items():
        yield f"### {title}\n\n{_docstring(module).strip()}\n"
        for name in examples:
            text = (EXAMPLES / f"{name}.json").read_text(encoding="utf-8")
            yield f'```json title="{name}.json"\n{text}```\n'


def _in_words(names: Iterable[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}"


def measure_page(family: Family) -> str:
    """A family of measures: its hand-written introduction, and what the registry says."""
    introduction = DOCS / "measures" / "intro" / f"{family.name}.md"
    return family_page(family, introduction.read_text(encoding="utf-8"))


def measures_page() -> str:
    """All measures and presets at a glance."""
    lines = [
        "# Measures\n",
        "Names are written `NAME[@k][[x]][(key=value,…)]`: `nxCG@10`, `iP[0.01]`, "
        "`MAgP(score=F,beta=0.25)`. A printed name shows every parameter. The pages of the "
        "families say what each parameter does, and where it changes the range of scores.\n",
        f"Where a measure takes `ignore=links`, {links_in_words()}.\n",
        "[Every definition of the papers](../papers.md) says which measure computes what, "
        "[Errata](errata.md) what the papers print differently.\n",
    ]
    for family, entries in listing():
        lines.append(f"## [{family.title}]({family.name}.md)\n\n| name | what |\n|---|---|")
        lines += [f"| `{name}` | {title} |" for name, title in entries]
        lines.append("")
    lines.append("## Presets\n\n| preset | measures |\n|---|---|")
    for name, preset in PRESETS.items():
        measures = ", ".join(f"`{measure}`" for measure in preset.measures)
        lines.append(f"| `{name}` | {preset.title}: {measures} |")
    lines.append("\n## Quantisations\n\nHow grades become numbers.\n")
    lines += [f"```\n{one.explained()}\n```" for one in QUANTISATIONS.values()]
    lines.append("\n## Sources\n")
    lines += [f"- *{name}*: {reference}" for name, reference in REFERENCES.items()]
    return "\n".join(lines) + "\n"


def retrieval_models_page() -> str:
    """The retrieval models: a hand-written introduction, and what the registry says."""
    introduction = DOCS / "intro" / "models.md"
    return models_page(BUILT_IN, introduction.read_text(encoding="utf-8"))


def commands_page() -> str:
    """Every verb with its help."""
    parts = ["# Commands\n"]
    for title, module in PRINTED.items():
        parts.append(f"## {title}\n\n{_docstring(module).strip()}\n")
    for path, command in _commands(("doxeval",), main_command):
        context = click.Context(command, info_name=" ".join(path), max_content_width=96)
        parts.append(f"## {' '.join(path)}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def _commands(
    path: tuple[str, ...], command: click.Command
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _commands((*path, name), inner)


def hardening_page() -> str:
    """The page about hostile input: written by hand, but for the table of limits."""
    page = (DOCS / "hardening.md").read_text(encoding="utf-8")
    before, begin, rest = page.partition("<!-- limits: made by scripts/document.py -->\n")
    _, end, after = rest.partition("<!-- end of limits -->")
    return f"{before}{begin}\n{limits_table()}\n{end}{after}"


PAGES: dict[str, Callable[[], str]] = {
    "formats.md": formats_page,
    "commands.md": commands_page,
    "hardening.md": hardening_page,
    "models.md": retrieval_models_page,
    "measures/README.md": measures_page,
    "measures/errata.md": errata_page,
    "measures/esr-tables.md": esr_tables_page,
    **{f"measures/{family.name}.md": partial(measure_page, family) for family in FAMILIES},
}


def main() -> None:
    """Write or check all pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != page():
            stale.append(name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(page(), encoding="utf-8")
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
