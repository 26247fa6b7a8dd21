"""Write the documentation pages that are made from the program itself.

    python scripts/document.py            write them
    python scripts/document.py --check    exit 1 if one of them is not what it should be

Readers explain their formats in their own docstrings, so the page cannot say anything else. Of
pages that are partly written by hand (the families of measures, retrieval models, limits, the list
of verbs), only the generated part is replaced.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import click

import doxeval
from doxeval.assessments import QUANTISATIONS
from doxeval.cli import VERBS
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
from measure_reference import reference_of

DOCS = Path(__file__).resolve().parent.parent / "docs"

FORMATS = {
    "Documents": {
        "XML": "doxeval.documents.readers.xml",
        "HTML": "doxeval.documents.readers.html",
        "Markdown": "doxeval.documents.readers.markdown",
        "Plain text": "doxeval.documents.readers.plain",
        "PDF": "doxeval.documents.readers.pdf",
        "Records": "doxeval.documents.readers.records",
        "What display needs": "doxeval.documents.display",
        "Attributes that are kept": "doxeval.documents.readers.attributes",
        "Paths and text points": "doxeval.documents.paths",
    },
    "Topics": {
        "INEX XML, JSONL, tab-separated": "doxeval.topics.read_write",
        "NEXI": "doxeval.topics.nexi",
        "Questions with gold": "doxeval.chunks.formats.own",
    },
    "Question sets of others": {
        "Tables": "doxeval.chunks.formats.flat",
        "Retrieval-augmented generation": "doxeval.chunks.formats.rag",
        "Reading comprehension": "doxeval.chunks.formats.reading",
        "Judged documents": "doxeval.chunks.formats.beir",
    },
    "Runs": {
        "Text": "doxeval.runs.text",
        "INEX XML": "doxeval.runs.inex_xml",
        "JSONL, CSV, Parquet": "doxeval.runs.records",
        "MS MARCO": "doxeval.runs.msmarco",
        "JSON of ranx": "doxeval.runs.ranx",
        "TREC Genomics": "doxeval.runs.genomics",
        "Which format a file is in": "doxeval.runs.read_write",
        "Chunks": "doxeval.runs.chunks",
        "What runs are": "doxeval.runs.descriptions",
        "Metadata of runs": "doxeval.runs.metadata",
    },
    "Assessments": {
        "INEX XML, 2002–07": "doxeval.assessments.inex_xml",
        "INEX text, 2008–10": "doxeval.assessments.inex_text",
        "TREC's qrels": "doxeval.assessments.trec",
        "BEIR's qrels": "doxeval.assessments.beir",
        "JSON of ranx": "doxeval.assessments.ranx",
        "TREC Genomics": "doxeval.assessments.aspects",
        "JSONL": "doxeval.assessments.jsonl",
        "Which format a file is in": "doxeval.assessments.read_write",
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
    "Scores": {
        "For other programs and for papers": "doxeval.scores.formats",
        "Tables in LaTeX": "doxeval.scores.latex",
        "From other programs": "doxeval.evaluation.score_files",
    },
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
        "fit the leaflet `borrowing` of [Getting started](getting-started.md); they are in "
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
    """A family of measures: what is written by hand, then what the registry says."""
    written = _before_reference(DOCS / "measures" / f"{family.name}.md", family.title)
    before, heading, reference = family_page(family, written).partition("\n## Reference\n")
    return before + heading + "\n" + reference_of(reference)


def _before_reference(path: Path, title: str) -> str:
    """The part of a page that is written by hand, without its title."""
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    return page.partition("\n## Reference\n")[0].removeprefix(f"# {title}\n")


def measures_page() -> str:
    """All measures and presets at a glance."""
    lines = [
        "# Measures\n",
        "Names are written `NAME[@k][[x]][(key=value,…)]`: `nxCG@10`, `iP[0.01]`, "
        "`MAgP(score=F,beta=0.25)`. A printed name shows every parameter. The pages of the "
        "families say what each parameter does, and where it changes the range of scores; the laws "
        "that they name are checked on random data.\n",
        f"Where a measure takes `ignore=links`, {links_in_words()}.\n",
        "[Every definition of the papers](../papers.md) says which measure computes what, "
        "[Errata](errata.md) what the papers print differently.\n",
    ]
    for family, entries in listing():
        lines.append(f"## [{family.title}]({family.name}.md)\n\n| name | what |\n|---|---|")
        lines += [f"| `{name}` | {title} |" for name, title in entries]
        lines.append("")
    lines.append("## Presets\n\n| preset | measures |\n|---|---|")
    by_measures: dict[tuple[str, ...], list[str]] = {}
    for name, preset in PRESETS.items():
        by_measures.setdefault(tuple(map(str, preset.measures)), []).append(name)
    for measures, names in by_measures.items():
        title = (
            PRESETS[names[0]].title.rpartition(": ")[2]
            if len(names) > 1
            else PRESETS[names[0]].title
        )
        listed = ", ".join(f"`{measure}`" for measure in measures)
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {title}: {listed} |")
    lines.append("\n## Quantisations\n\nHow grades become numbers.\n")
    lines += [f"```\n{one.explained()}\n```" for one in QUANTISATIONS.values()]
    lines.append("\n## Sources\n")
    lines += [f"- *{name}*: {reference}" for name, reference in REFERENCES.items()]
    return "\n".join(lines) + "\n"


def retrieval_models_page() -> str:
    """The retrieval models: what is written by hand, then what the registry says."""
    return models_page(BUILT_IN, _before_reference(DOCS / "models.md", "Retrieval models"))


# Commands


def verb_page(verb: str) -> str:
    """A verb with all of its options, and its sub-verbs."""
    commands = list(_commands(("doxeval", verb), _command(verb)))
    shared = _shared_options([command for _, command in commands])
    known = {} if verb == "evaluate" else dict.fromkeys(_options_of("evaluate"), "evaluate.md")
    parts = []
    for path, command in commands:
        context = click.Context(command, info_name=" ".join(path))
        parts.append(f"{'#' if len(path) == 2 else '##'} {' '.join(path)}\n")
        usage = " ".join([" ".join(path), *command.collect_usage_pieces(context)])
        parts.append(f"```text\n{usage}\n```\n")
        parts += [f"{paragraph}\n" for paragraph in _paragraphs(command.help or "")]
        options = _option_lines(command, context)
        parts.append("\n".join(_shortened(options, known, shared)) + "\n")
        known = dict.fromkeys(options, f"#{'-'.join(path)}") | known
        if isinstance(command, click.Group):
            parts.append("\n".join(_listed(command, path)) + "\n")
        if shared and len(path) == 2:
            parts.append("Options that several of them have:\n\n" + "\n".join(shared) + "\n")
    return "\n".join(part for part in parts if part.strip())


def _shared_options(commands: list[click.Command]) -> list[str]:
    """The options that three commands or more have, with the same words."""
    lines = Counter(
        line
        for command in commands
        for line in _option_lines(command, click.Context(command, info_name=command.name))
    )
    return [line for line, times in lines.items() if times >= 3]


def _command(verb: str) -> click.Command:
    command = main_command.get_command(click.Context(main_command), verb)
    assert command is not None
    return command


def _options_of(verb: str) -> list[str]:
    return _option_lines(_command(verb), click.Context(_command(verb), info_name=verb))


def _option_lines(command: click.Command, context: click.Context) -> list[str]:
    return [line for option in command.params if (line := _option(option, context))]


def _shortened(options: list[str], known: dict[str, str], shared: list[str]) -> Iterator[str]:
    """The options of a verb; those that are explained elsewhere are only named.

    Of options that another verb explains, this needs three or more.
    """
    rest = [line for line in options if line not in shared]
    times = Counter(known[line] for line in rest if line in known)
    verbs = sorted(place for place, number in times.items() if number >= 3)
    yield from (line for line in rest if known.get(line) not in verbs)
    if names := [_option_name(line) for line in options if line in shared]:
        yield f"\nAlso, as above: {', '.join(names)}."
    for place in verbs:
        verb = "evaluate" if place == "evaluate.md" else place[1:].replace("-", " ")
        names = [_option_name(line) for line in rest if known.get(line) == place]
        yield f"\nAs for [`{verb}`]({place}): {', '.join(names)}."


def _option_name(line: str) -> str:
    return line.partition("`: ")[0][2:] + "`"


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


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those that click leaves as they are become blocks."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text).partition("\f")[0]):
        if paragraph.lstrip().startswith("\b"):
            lines = paragraph.lstrip().removeprefix("\b").strip("\n")
            head, _, rest = lines.partition("\n")
            if head.endswith(":") and rest.startswith(" "):
                yield _plain(head)
                lines = inspect.cleandoc("\n" + rest)
            yield f"```text\n{lines}\n```"
        else:
            yield _plain(" ".join(paragraph.split()))


def _plain(text: str) -> str:
    """Text in which nothing but code in backticks means anything to Markdown."""
    parts = text.split("`")
    escaped = [re.sub(r"([*<]|\b_|_\b)", r"\\\1", part) for part in parts[::2]]
    code = [f"`{part}`" for part in parts[1::2]]
    return "".join(one for both in zip(escaped, [*code, ""], strict=False) for one in both)


def _option(option: click.Parameter, context: click.Context) -> str:
    """A line about an option, or nothing about --help and arguments, which need none."""
    record = option.get_help_record(context)
    if record is None or option.name == "help":
        return ""
    names, text = record
    if not text:
        return ""
    return f"- `{' '.join(names.split())}`: {_plain(' '.join(text.split()))}"


def _listed(group: click.Group, path: tuple[str, ...]) -> Iterator[str]:
    """The verbs of a group, each with its first sentence."""
    for name in group.list_commands(click.Context(group)):
        inner = group.get_command(click.Context(group), name)
        assert inner is not None
        anchor = "-".join((*path, name))
        yield f"- [`{name}`](#{anchor}): {_plain(inner.get_short_help_str(200))}"


def verbs_page() -> str:
    """The page about all commands: written by hand, but for the list of verbs."""
    context = click.Context(main_command)
    lines = []
    for verb in main_command.list_commands(context):
        command = main_command.get_command(context, verb)
        assert command is not None
        lines.append(f"- [`{verb}`]({verb}.md): {_plain(command.get_short_help_str(200))}")
    return _replaced("reference/commands.md", "verbs", "\n".join(lines))


def hardening_page() -> str:
    """The page about untrusted input: written by hand, but for the table of limits."""
    return _replaced("hardening.md", "limits", limits_table())


def _replaced(name: str, mark: str, text: str) -> str:
    """A page that is written by hand, with its generated part made anew."""
    page = (DOCS / name).read_text(encoding="utf-8")
    before, begin, rest = page.partition(f"<!-- {mark}: made by scripts/document.py -->\n")
    _, end, after = rest.partition(f"<!-- end of {mark} -->")
    return f"{before}{begin}\n{text.strip()}\n\n{end}{after}"


# Python


def python_page() -> str:
    """All public names, with their parameters and the first sentences of what they say."""
    parts = [
        "# Python reference\n\nEvery public name, with its parameters. "
        "`help(doxeval.NAME)` prints all of it, with an example that runs. "
        "[Python](../python.md) is the tutorial, [Chunked retrieval](../chunks.md) that of "
        "`doxeval.chunks`.\n"
    ]
    for module, names in _public_names().items():
        parts.append(f"## {module}\n")
        parts += [_public(module, name) for name in names]
        parts.append("")
    return "\n".join(parts)


def _public_names() -> dict[str, list[str]]:
    """The public names of the package, and those that only its rooms have, by module."""
    at_root = sorted(set(doxeval.__all__) - {"__version__"}, key=lambda name: (name.lower(), name))
    names = {"doxeval": at_root}
    for room in ("assessments", "chunks", "comparison", "documents", "pooling", "runs", "topics"):
        module = importlib.import_module(f"doxeval.{room}")
        public = sorted(set(module.__all__) - set(at_root), key=lambda name: (name.lower(), name))
        names[f"doxeval.{room}"] = [name for name in public if callable(getattr(module, name))]
    return names


def _public(module: str, name: str) -> str:
    value = getattr(importlib.import_module(module), name)
    if inspect.ismodule(value):
        return f"- `{name}`: {_plain((value.__doc__ or '').split(chr(10))[0])}"
    call = ""
    if not (inspect.isclass(value) and issubclass(value, Exception)):
        try:
            given = inspect.signature(value).parameters.values()
            call = f"({', '.join(_parameter(one) for one in given)})"
        except (TypeError, ValueError):
            call = ""
    said = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return f"- `{name}{call}`: {_plain(said)}"


def _parameter(one: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    default = "" if one.default is inspect.Parameter.empty else f"={one.default!r}"
    is_odd = len(default) > 30 or " object at 0x" in default or "<" in default
    return f"{stars.get(one.kind.name, '')}{one.name}{'=…' if is_odd else default}"


PAGES: dict[str, Callable[[], str]] = {
    "formats.md": formats_page,
    "reference/commands.md": verbs_page,
    "reference/python.md": python_page,
    **{f"reference/{verb}.md": partial(verb_page, verb) for verb in VERBS},
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
