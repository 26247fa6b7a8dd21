"""Options that several verbs of `doxeval chunks` have, and what they read: documents and gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from doxeval.cli.options import tokens_option
from doxeval.cli.output import note, warn
from doxeval.cli.verb import LibraryOptions, library_options, refuse
from doxeval.named import REQUIRED, option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from doxeval.assessments import Assessments
    from doxeval.chunks import Questions
    from doxeval.documents import BuildOptions

_MOST_WARNINGS = 3
Copies = Literal["same", "place"]

# Options


@dataclass(frozen=True)
class FolderOptions:
    """How documents are read, if they are a folder of files."""

    id_rule: str = option(
        "path",
        "Where ids of files in a folder come from: the file's path, its name (stem), or an element "
        "or attribute in the document (//id).",
        metavar="path|stem|XPATH",
        flags=("--id",),
    )
    build: LibraryOptions[BuildOptions] = library_options(
        "doxeval.documents:BuildOptions", "root", "drop", "suffixes"
    )

    def documents(self, source: str | None) -> Any:
        """Return the documents of a source, if there is one; what was not read is printed."""
        from doxeval.chunks import documents, is_folder

        if not is_folder(source):
            refuse({"id_rule", "root", "drop", "suffixes"}, "is for documents in a folder of files")
        if source is None:
            return None
        docs = documents(source, **{"id_rule": self.id_rule, **self.build.given})
        warn(docs.warnings)
        return docs


def docs_option() -> Any:
    """Declare `--docs DOCS`, which must be given."""
    return option(
        REQUIRED,
        "The documents: a folder of text, Markdown, HTML, XML or PDF, a file of JSONL, JSON, CSV "
        "or Parquet with ids and texts, a folder of BEIR, or a collection (its URL, too).",
        metavar="DOCS",
        is_path=True,
    )


def some_docs_option() -> Any:
    """Declare `--docs DOCS`; without it, chunks show what is known of documents."""
    return option(
        None,
        "The documents.",
        metavar="DOCS",
        is_path=True,
        shown_default="reconstructed from the chunk file",
    )


def gold_option() -> Any:
    """Declare `--gold FILE`, which must be given."""
    return option(
        REQUIRED,
        "Gold: judgments, or questions with evidence.",
        metavar="FILE",
        flags=("-g", "--gold"),
    )


def copies_option() -> Any:
    """Declare `--copies`, of type `Copies`."""
    return option(
        "same",
        "Whether a quote that occurs several times in its document may be shown at any of these "
        "places, or only at its own.",
    )


def max_missing_option(what: str, default: str = "0") -> Any:
    """Declare how much may be missing from the documents."""
    return option(
        default,
        f"How many {what} may be missing from the documents: a number, or a share of all.",
        metavar="N|P%",
    )


def similar_option() -> Any:
    """Declare `--similar`."""
    return option(
        1.0,
        "How similar a text must be to a quote that is not there to the letter: 1 less "
        "Levenshtein's distance divided by the length of the quote, over letters and digits "
        "without case and accents. .9 allows a few other words.",
        at_least=0.01,
        at_most=1,
        metavar="SHARE",
    )


def min_score_option() -> Any:
    """Declare `--min-score`."""
    return option(
        None,
        "Results with a score below this are not returned: so a system that always returns "
        "something can be right about questions without an answer.",
        metavar="SCORE",
    )


@dataclass(frozen=True)
class UnitOptions:
    """What sizes and budgets count."""

    unit: Literal["characters", "words", "tokens"] | None = option(
        None, "What sizes and budgets count.", shown_default="words, or tokens with --tokens"
    )
    tokens: str | None = tokens_option()

    def check(self) -> None:
        """Look the tokeniser up, before anything else is done."""
        if self.tokens is not None:
            from doxeval.measures import tokeniser_of

            tokeniser_of(self.tokens)

    @property
    def counted(self) -> str:
        """The unit that was requested, or else the one that a tokeniser counts.

        >>> UnitOptions(tokens="cl100k_base").counted, UnitOptions().counted
        ('tokens', 'words')
        """
        return self.unit or ("words" if self.tokens is None else "tokens")


# Inputs


def gold_in_file(path: str, docs: Any, max_missing: str = "0") -> Questions | Assessments:
    """Return gold from a file: judgments, or questions with their needs.

    Judgments are taken as they stand where the documents are not known, or only what chunks show of
    them.
    """
    from doxeval.assessments import read_assessments
    from doxeval.chunks import RebuiltDocuments, questions
    from doxeval.errors import InputError
    from doxeval.files import json_lines, open_input
    from doxeval.locating import allowed_missing
    from doxeval.messages import Parameter

    allowed_missing(max_missing, 0)
    is_rebuilt = isinstance(docs, RebuiltDocuments)
    if path.endswith((".jsonl", ".jsonl.gz")) and (docs is None or is_rebuilt):
        with open_input(path) as file:
            first = next(iter(json_lines(file, path)), (0, None))[1]
        if isinstance(first, dict) and "topic" in first and "doc" in first:
            return read_assessments(path)
    try:
        gold = questions(path, docs, max_missing=max_missing)
    except InputError as error:
        if not is_rebuilt or type(error) is not InputError:  # but for what is wrong in the file
            raise
        where = "\n  gold is looked for in the texts of the chunks, unless documents are given: "
        raise InputError(error.message + where + Parameter("docs"), path) from None
    print_gold_report(gold)
    return gold


def print_gold_report(gold: Questions) -> None:
    """Print how gold was found; of many warnings the first."""
    warn(gold.warnings[:_MOST_WARNINGS])
    if len(gold.warnings) > _MOST_WARNINGS:
        more = len(gold.warnings) - _MOST_WARNINGS
        warn([f"{more:,} more warnings about gold; `doxeval chunks questions` lists them"])
    note(gold.report())


def question_texts(path: str, docs: Any) -> Mapping[str, str]:
    """Return the texts of questions: a file of questions with gold, or of topics."""
    from doxeval.chunks import questions
    from doxeval.datasets import is_dataset, is_package
    from doxeval.errors import FormatError
    from doxeval.topics import read_topics

    if path.endswith((".tsv", ".xml", ".txt")) or is_dataset(path) or is_package(path):
        return {topic.id: topic.title or "" for topic in read_topics(path)}
    texts = questions(path, docs, max_missing="100%").texts  # their gold is not needed
    if not texts:
        raise FormatError("no questions in the file", path)
    return texts
