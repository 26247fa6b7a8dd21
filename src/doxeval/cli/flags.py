"""Messages of the library for the command line: options in place of parameters."""

from __future__ import annotations

import re

# The option for each parameter of the library that a message may name.
_OPTIONS = {
    "average_over": "--average-over",
    "bytes": "--max-bytes",
    "doc_key": "--doc-key",
    "depth": "--max-depth",
    "elements": "--max-elements",
    "id_rule": "--id",
    "ignore_case": "--ignore-case",
    "ignore_space": "--ignore-space",
    "lines": "--max-lines",
    "max_lost": "--max-lost",
    "min_share": "--min-share",
    "max_drop": "--max-drop",
    "min_words": "--min-words",
    "per_document": "--per-document",
    "per_topic": "--per-topic",
    "skip_missing": "--skip-missing",
    "specificity": "--spec",
    **{
        name: f"--{name}"
        for name in (
            "articles", "assessments", "budget", "chunks", "collection", "copies", "database",
            "display", "docs", "drop", "duplicates", "encoding", "engine", "force", "format",
            "hint", "jobs", "judgments", "keep", "lossy", "merge", "mode", "navigation", "offsets",
            "order", "overlap", "patience", "phrases", "pool", "port", "query", "questions",
            "record", "resamples", "root", "sections", "significant", "snap", "solid", "stemmer",
            "stop", "text", "texts", "tokens", "units", "unresolved", "whitespace",
        )
    },
}  # fmt: skip
_PARAMETER = re.compile(rf"\b({'|'.join(_OPTIONS)})=(?:'([^']*)'|([^\s;,.)]*))?")


def in_options(message: str) -> str:
    """A message with the parameters it names replaced by options.

    >>> in_options("unresolved='irrelevant' keeps such results; force=True replaces files")
    '--unresolved irrelevant keeps such results; --force replaces files'
    """
    return _PARAMETER.sub(_option, message)


def _option(match: re.Match[str]) -> str:
    option, value = _OPTIONS[match[1]], match[2] or match[3]
    return option if value in (None, "", "True", "…") else f"{option} {value}"
