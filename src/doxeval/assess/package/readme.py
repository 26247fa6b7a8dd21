"""What a package says to people: README.md, for readers who know nothing, and CITATION.cff."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from doxeval.messages import plural, yaml_text
from doxeval.runs import describe_metadata
from doxeval.scores import ScoreTable, format_score
from doxeval.version import __version__

if TYPE_CHECKING:
    from doxeval.assess.package.contents import Baseline, Package

_JUDGED = {
    "2006": "Assessors highlighted the relevant text in each document, to the character, and "
    "marked the best point to begin reading.",
    "2005": "Assessors highlighted the relevant text in each document, to the character, and said "
    "how exhaustively each element with such text answers the topic (2, 1, or ? for too small).",
    "2003": "Assessors graded the elements of each document: how exhaustively they answer the "
    "topic, and how specifically, both from 0 to 3.",
}
_RULES = {
    "adjudicated": "Where assessors differed, the adjudicated judgment counts.",
    "majority": "Where assessors differed, what more than half of them say counts.",
    "union": "Where assessors differed, what any of them says is relevant counts.",
}
_ABOUT_FILES = (
    ("topics.jsonl", "the topics: `id`, `title`, `description`, `narrative` …"),
    ("instructions.md", "what assessors were told"),
    ("judgments.jsonl", "what is relevant: the judgments that count (see below)"),
    ("qrels.txt", "the same for whole documents, as trec_eval reads them"),
    ("assessors/", "what each assessor judged, under pseudonyms"),
    ("programs/", "what programs judged; people's judgments have nothing of it"),
    ("documents.jsonl", "for each document its `id`, `characters` and `sha256`{}"),
    ("collection/", "the documents with their elements, as doxeval opens them"),
    ("pool.jsonl", "the documents that were to be judged for each topic"),
    ("agreement.json", "how far assessors agree"),
    ("statistics.json", "how much was judged, topic by topic"),
    ("baselines/", "runs of simple systems, and in `scores.csv` their scores by topic"),
    ("croissant.json", "a description of all this for programs (Croissant)"),
    ("CITATION.cff", "how to cite it"),
    ("doxeval-package.json", "the settings of the campaign in which it was made"),
    ("SHA256SUMS", "the checksums of all files"),
)
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_MARKED = re.compile(r"([\\`*_\[\]<>|#&])")


def _plain(text: str) -> str:
    """Return text that means nothing in Markdown, on one line."""
    return _MARKED.sub(r"\\\1", " ".join(text.split()))


def licence_url(licence: str) -> str:
    """Return the address of a licence, which may be one already.

    >>> licence_url("CC-BY-4.0")
    'https://spdx.org/licenses/CC-BY-4.0'
    """
    is_id = _SPDX.fullmatch(licence) is not None
    return f"https://spdx.org/licenses/{licence}" if is_id else licence


# README.md


def readme(
    package: Package,
    names: Sequence[str],
    baselines: Sequence[Baseline],
    scores: ScoreTable | None,
) -> str:
    """Return README.md of a package with files of some names."""
    return "\n".join(_readme(package, names, baselines, scores)) + "\n"


def _readme(
    package: Package,
    names: Sequence[str],
    baselines: Sequence[Baseline],
    scores: ScoreTable | None,
) -> Iterator[str]:
    about, judged = package.about, package.statistics
    yield f"# {_plain(about.title)}"
    yield ""
    yield (
        "A test collection: with it you can measure how well a system finds the *parts* of "
        f"documents that answer a question. It has {plural(len(package.topics), 'topic')}, "
        f"{plural(len(package.collection), 'document')}, and {plural(judged.judged, 'judgment')} "
        f"of documents, {judged.relevant:,} of them relevant, by "
        f"{plural(len(package.by_assessor), 'assessor')}."
    )
    yield ""
    yield f"Version {_plain(about.version)} of {package.date}."
    yield from _use(package, baselines)
    yield from _files(package, names)
    yield from _documents(package)
    yield from _judging(package)
    yield from _topics(package)
    if scores is not None:
        yield from _baselines(scores)
    yield "\n## Licence\n"
    if about.licence is None:
        yield "No licence was named; ask the authors before you pass it on."
    else:
        yield f"[{_plain(about.licence)}](<{licence_url(about.licence)}>)"
    yield "\n## Check and cite\n"
    yield "Whether all files are as they were written:\n"
    yield "```console\n$ sha256sum --check --quiet SHA256SUMS\n```\n"
    yield "(or `doxeval collection verify .`)."
    yield f"\n`CITATION.cff` says how to cite it. Made with doxeval {__version__}."


def _use(package: Package, baselines: Sequence[Baseline]) -> Iterator[str]:
    run = f"baselines/{baselines[0].file_name}" if baselines else "my.run"
    own = " (put your own run in the place of the baseline)" if baselines else ""
    measures = " ".join(f"-m {shlex.quote(name)}" for name in _measures(package)[:2])
    yield "\n## Use it\n"
    if package.with_documents:
        yield f"In this folder, score a run{own}:\n"
        yield "```console"
        yield "$ pip install doxeval"
        yield f"$ doxeval evaluate {run} --assessments . {measures}"
        yield "```\n"
        yield (
            "The folder stands for its documents, topics and judgments wherever doxeval takes "
            "them: `doxeval index build .`, `doxeval search . . --out my.run`, "
            "`doxeval chunks try . .`."
        )
    else:
        yield (
            "The documents themselves are not in it. Get them, build a collection of them (after "
            f"`pip install doxeval`), and in this folder score a run{own}:\n"
        )
        yield "```console"
        yield "$ doxeval collection build DOCUMENTS --out documents"
        yield f"$ doxeval evaluate {run} --assessments . --collection documents {measures}"
        yield "```\n"
        yield (
            "The texts of judged documents are compared with the checksums in `documents.jsonl`. "
            "The folder stands for its topics and judgments wherever doxeval takes them."
        )
    yield (
        "\nA run is a file with a line for each result, `topic Q0 document rank score name` and "
        "then what part of the document it is: a path, or offset and length."
    )


def _measures(package: Package) -> Sequence[str]:
    from doxeval.assess.package.contents import OFFICIAL
    from doxeval.measures import preset_named

    measures = preset_named(OFFICIAL[package.mode]).measures
    return ("MAiP", "iP[0.01]") if "MAiP" in measures else measures


def _files(package: Package, names: Sequence[str]) -> Iterator[str]:
    written = ("README.md", "CITATION.cff", "croissant.json", "SHA256SUMS")
    present = {*(name.partition("/")[0] for name in names), *written, "doxeval-package.json"}
    texts = ", and its `text`" if package.with_documents else ""
    yield "\n## What is in it\n"
    rows = (
        (f"`{name}`", text.format(texts) if "{}" in text else text)
        for name, text in _ABOUT_FILES
        if name.rstrip("/") in present
    )
    yield from _table(["file", "what it is"], rows, are_ours=True)
    if package.mode == "2006":
        yield (
            "\nA line of `judgments.jsonl` is a statement about a document for a topic: `start` "
            "and `end` are a relevant passage, `bep` is the best point to begin reading, and "
            '`"judged": true` alone says that nothing in it is relevant. Offsets count characters '
            "(code points) of the document's text; `end` is that of the first character after the "
            "passage."
        )
    else:
        yield (
            "\nA line of `judgments.jsonl` is a statement about a document for a topic: `path` "
            "with `e` and `s` is the grade of an element, `start` and `end` are a relevant passage "
            'in characters (code points), half-open, and `"judged": true` alone says that nothing '
            "in it is relevant."
        )
    yield "Documents that are not judged for a topic count as not relevant."


def _documents(package: Package) -> Iterator[str]:
    counts = package.collection.statistics
    yield "\n## Documents\n"
    yield (
        f"{plural(counts.documents, 'document')} with {plural(counts.elements, 'element')} and "
        f"{plural(counts.characters, 'character')}. The text of a document is what remains of it "
        "without markup (of Markdown and plain text, the file itself); its SHA-256 is that of "
        f"the text in UTF-8. Checksum of doxeval's collection: `{package.collection.checksum}`."
    )


def _judging(package: Package) -> Iterator[str]:
    facts = package.pool.facts
    yield "\n## How it was judged\n"
    made = ""
    if facts.method is not None:
        depth = f", to depth {facts.depth}" if facts.depth is not None else ""
        made = f" ({plural(len(facts.runs), 'run')} by the method {facts.method}{depth})"
    pooled = sum(map(len, package.pool.documents.values()))
    rule = _RULES.get(package.rule, f"Where assessors differed, {package.rule}'s judgment counts.")
    yield (
        f"{plural(pooled, 'document')} were pooled{made}. {_JUDGED[package.mode]} "
        f"{rule if len(package.by_assessor) > 1 else ''}".rstrip()
    )
    if package.unfinished:
        yield "\nNot judged:\n"
        yield from (f"- {_plain(line)}" for line in package.unfinished)
    for title, table in (
        ("Agreement of assessors", package.agreement.table()),
        ("People and programs", package.agreement_with_programs.table()),
    ):
        head, *rows = table
        if rows:
            yield f"\n### {title}\n"
            yield from _table(head, rows)
    if package.agreement.rows:
        yield (
            "\nDocuments: how many both judged, of how many they agree whether they are relevant, "
            "Cohen's κ and Krippendorff's α. A dash is a value that is undefined. "
            "`agreement.json` has all values."
        )
    for number, program in enumerate(package.programs, 1):
        about = f": {_plain(program.program.about)}" if program.program.about else ""
        yield f"\n`programs/{number}.jsonl` is what {_plain(program.program.title)} judged{about}"


def _topics(package: Package) -> Iterator[str]:
    yield "\n## Topics\n"
    rows = []
    for topic in package.topics:
        counts = package.statistics.topics.get(topic.id)
        numbers = (
            (0, 0, 0) if counts is None else (counts.judged, counts.relevant, counts.characters)
        )
        shown = (f"{number:,}" for number in numbers)
        rows.append([topic.id, topic.title or topic.castitle or topic.description or "", *shown])
    yield from _table(["topic", "title", "judged", "relevant", "relevant characters"], rows)


def _baselines(scores: ScoreTable) -> Iterator[str]:
    yield "\n## Baselines\n"
    yield f"Means over {plural(len(scores.topic_ids), 'topic')}:\n"
    rows = [
        [run, *(format_score(value) for value in scores.means_of(scores.index_of_run(run)))]
        for run in scores.ranking()
    ]
    yield from _table(["run", *scores.labels], rows)
    for each in scores.runs:
        if text := describe_metadata(each.metadata or {}) or each.description:
            yield f"\n{_plain(each.run)}: {_plain(text)}"
    titles: dict[str, list[str]] = {}
    for facts in scores.measures:
        titles.setdefault(facts.title, []).append(facts.label)
    for title, labels in titles.items():
        yield f"\n{_plain(', '.join(labels))}: {_plain(title)}"


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], are_ours: bool = False
) -> Iterator[str]:
    """Yield the lines of a table; cells that are not ours mean nothing in Markdown."""
    yield f"| {' | '.join(map(_plain, head))} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row if are_ours else map(_plain, row))} |"


# CITATION.cff


def citation(package: Package) -> str:
    """Return CITATION.cff: that of a data set, in the Citation File Format 1.2.0."""
    about = package.about
    facts = {
        "cff-version": "1.2.0",
        "message": "If you use this test collection, please cite it as below.",
        "type": "dataset",
        "title": about.title,
        "version": about.version,
        "date-released": package.date,
        "authors": [*map(_author, authors_of(package))],
        "keywords": ["information retrieval", "test collection", "relevance judgments"],
    }
    if about.licence is not None:
        key = "license" if _SPDX.fullmatch(about.licence) else "license-url"
        facts[key] = about.licence
    return yaml_text(facts)


def authors_of(package: Package) -> tuple[str, ...]:
    """Return the authors; without any, the organisers stand for them, whoever they were."""
    return package.about.authors or (f"the organisers of {package.about.title}",)


def _author(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family-names": family, "given-names": given} if comma else {"name": name.strip()}
