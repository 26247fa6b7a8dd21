"""What a search is requested to do: task, models, retrieval units, and how results are ranked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from doxeval.errors import InputError
from doxeval.messages import Parameter, quoted, suggestion
from doxeval.named import check_options, option
from doxeval.retrieve.models import ARTICLES, LanguageModel, Model, UnitKind, as_model, bm25, lm
from doxeval.retrieve.query import PHRASES, Phrases
from doxeval.retrieve.text import stop_words
from doxeval.topics import INTERPRETATIONS, Interpretation

Overlap = Literal["allowed", "none"]
HINT = 0.25
MOST = 1500
MOST_FOR_WORDS = 10
BEST = "best"  # articles by their best unit
_CALL = re.compile(r"(windows|passages)\s*(?:\(([^()]*)\))?")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_UNIT_PARAMETERS = {"windows": ("words", "step"), "passages": ("words",)}


class SearchTask(NamedTuple):
    """A task as search does it: its model by default, and what its lists look like.

    keep: the share of an article's best score that its results need, where that matters.
    is_by_article: whether results are ranked article by article. interpretation: how strictly
    structure is taken; None if the task has no structure.
    """

    name: str
    model: Model
    keep: float | None = None
    is_by_article: bool = False
    interpretation: Interpretation | None = None


_IN_ARTICLES = bm25(context=0)
TASKS = {
    task.name: task
    for task in (
        SearchTask("thorough", lm(prior=1)),
        SearchTask("focused", lm),
        SearchTask("relevant-in-context", _IN_ARTICLES, 0.7, True),
        SearchTask("best-in-context", _IN_ARTICLES, None, True),
        SearchTask("fetch-browse", _IN_ARTICLES, 0.5, True),
        SearchTask("documents", _IN_ARTICLES, None, True),
        *(
            SearchTask(name, lm, interpretation=INTERPRETATIONS[name.upper()])
            for name in ("sscas", "svcas", "vscas", "vvcas")
        ),
    )
}
_KEEPING = [task for task in TASKS.values() if task.keep is not None]


class UnitSpec(NamedTuple):
    """A kind of retrieval unit: windows and passages with numbers, chunks with a file."""

    kind: UnitKind
    numbers: tuple[int, ...] = ()
    file: str | None = None

    @classmethod
    def parse(cls, text: str) -> UnitSpec:
        """Return a kind of unit by its name.

        >>> UnitSpec.parse("windows(100,50)").numbers, UnitSpec.parse("passages").numbers
        ((100, 50), (100,))
        >>> UnitSpec.parse("chunks.jsonl").file
        'chunks.jsonl'
        """
        plain = text.strip()
        if plain == "elements":
            return cls("elements")
        call = _CALL.fullmatch(plain)
        if call is not None:
            kind: Any = call[1]
            numbers = _unit_numbers(kind, call[2] or "")
            if numbers is not None:
                return cls(kind, numbers)
        elif ".jsonl" in plain.lower() or ".ndjson" in plain.lower():
            return cls("chunks", file=text)
        raise InputError(
            Parameter("units", text)
            + ": expected elements, windows(words,step) such as windows(100,50), "
            "passages(words=100), or a file of chunks, FILE.jsonl"
        )

    def __str__(self) -> str:
        if self.kind == "chunks":
            return f"chunks of {os.path.basename(self.file or '')}"
        names = _UNIT_PARAMETERS.get(self.kind, ())
        shown = ",".join(f"{n}={v}" for n, v in zip(names, self.numbers, strict=True))
        return f"{self.kind}({shown})" if shown else self.kind


def _unit_numbers(kind: str, given: str) -> tuple[int, ...] | None:
    """Return the parameters of windows or passages, given in order or by name; None if wrong."""
    names = _UNIT_PARAMETERS[kind]
    values = {"words": 100} if kind == "passages" else {}
    for place, part in enumerate(given.split(",") if given.strip() else ()):
        name, _, value = part.rpartition("=")
        if _WHOLE_NUMBER.fullmatch(value.strip()) is None:
            return None
        values[name.strip() or "".join(names[place : place + 1])] = int(value)
    return tuple(values[name] for name in names) if values.keys() == set(names) else None


@dataclass(frozen=True)
class SearchOptions:
    """How to search. What is None depends on the task."""

    task: str = option(
        "focused",
        "What is asked for: thorough, focused, relevant-in-context, best-in-context, fetch-browse "
        "or documents; with the structure of castitles sscas, svcas, vscas or vvcas.",
        choices=tuple(TASKS),
        metavar="TASK",
    )
    model: Model | str | None = option(
        None,
        "What scores units, such as 'lm(prior=.5)'; `doxeval models` lists models.",
        metavar="MODEL",
        shown_default="lm(prior=1) for thorough, bm25(context=0) where articles are ranked, lm "
        "otherwise",
    )
    articles: Model | str | None = option(
        None,
        "What scores whole articles: a model, or best for the score of their best unit.",
        metavar="MODEL|best",
        shown_default="bm25(k1=0.9,b=0.4)",
    )
    units: str | None = option(
        None,
        "What is scored: elements, 'windows(words,step)', 'passages(words=100)', or FILE.jsonl "
        'with chunks {"doc", "start", "end"}.',
        metavar="UNITS",
        shown_default="elements",
    )
    elements: str | None = option(
        None,
        "Return only elements that match this path pattern, like //sec or '//(sec|p)'.",
        metavar="PATTERN",
        shown_default="all that are not inline",
    )
    min_words: int | None = option(
        None, "Return only elements with at least this many words.", at_least=1, shown_default="1"
    )
    keep: float | None = option(
        None,
        "The share of the best score in an article that a result needs.",
        at_least=0,
        at_most=1,
        shown_default=", ".join(f"{rule.keep:g} for {rule.name}" for rule in _KEEPING),
    )
    hint: float | None = option(
        None,
        "How much the score of an element grows if it fits a vague target.",
        at_least=0,
        shown_default=f"{HINT:g}",
    )
    overlap: Overlap | None = option(
        None,
        "For tasks with structure: whether results may share text.",
        choices=get_args(Overlap),
        shown_default="allowed",
    )
    phrases: Phrases = option(
        "extra",
        "Whether a phrase in quotes counts in addition to its words, alone, or not at all.",
        choices=PHRASES,
    )
    stop: str | os.PathLike[str] | Iterable[str] = option(
        "english", "Stop-word list.", metavar="english|none|FILE"
    )
    max_results: int = option(
        MOST,
        "Maximum number of results for each topic.",
        at_least=1,
        flags=("-k", "--max-results"),
        shown_default=f"{MOST}; {MOST_FOR_WORDS} with --words",
    )

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"no task {quoted(self.task)} of search{suggestion(self.task, TASKS)}")
        check_options(self)
        if not isinstance(self.stop, str | os.PathLike):
            object.__setattr__(self, "stop", frozenset(self.stop))
        for name in ("unit", "unit_model", "article_model"):
            getattr(self, name)  # which parses what was given

    # What follows from them, worked out once

    @cached_property
    def rules(self) -> SearchTask:
        """The task."""
        return TASKS[self.task]

    @cached_property
    def unit(self) -> UnitSpec:
        """The kind of retrieval unit that is scored."""
        if self.task == "documents" and not self.by_best_unit:
            return UnitSpec("documents")
        return UnitSpec("elements") if self.units is None else UnitSpec.parse(self.units)

    @cached_property
    def by_best_unit(self) -> bool:
        """Whether articles are ranked by their best unit."""
        return isinstance(self.articles, str) and self.articles.strip() == BEST

    @cached_property
    def unit_model(self) -> Model:
        """The model that scores units, with parameters for what they are."""
        if self.unit.kind == "documents":
            return self.article_model
        chosen = self.rules.model if self.model is None else as_model(self.model)
        return chosen.resolve_auto(self.unit.kind, self.task)

    @cached_property
    def article_model(self) -> Model:
        """The model that scores whole articles."""
        given = None if self.by_best_unit else self.articles
        if given is None and self.unit.kind == "documents":
            given = self.model
        return as_model(ARTICLES if given is None else given).resolve_auto("documents", self.task)

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """The words that are left out of queries."""
        return stop_words(self.stop)

    @cached_property
    def least_share(self) -> float:
        """The share of an article's best score that its results need."""
        return (self.rules.keep or 0.0) if self.keep is None else self.keep

    @cached_property
    def target_hint(self) -> float:
        """How much an element gains that fits a vague target."""
        return HINT if self.hint is None else self.hint

    @cached_property
    def uses_articles(self) -> bool:
        """Whether the scores of whole articles have any effect."""
        return self.unit.kind == "documents" or "articles" not in self.without_effect

    # Options without effect

    def refuse_without_effect(self) -> None:
        """Raise an error about the first option that was given and would have no effect."""
        for name, reason in self.without_effect.items():
            if getattr(self, name) is not None:
                raise InputError(Parameter(name) + " " + reason)

    @cached_property
    def without_effect(self) -> dict[str, str]:
        """The options that would have no effect, each with the reason."""
        reasons: dict[str, str] = {}
        task, kind = self.task, self.unit.kind
        if self.rules.interpretation is not None and kind != "elements":
            reasons["units"] = f"is not for {task}, which returns elements"
        if kind == "documents":
            reason = "has no effect on documents, which are returned as a whole"
            reasons |= dict.fromkeys(("units", "elements", "min_words"), reason)
            if self.model is not None:
                reasons["articles"] = "has no effect: " + Parameter("model") + " ranks documents"
        elif kind != "elements":
            reason = f"is for elements; here {kind} are returned"
            reasons |= dict.fromkeys(("elements", "min_words"), reason)
        if kind == "passages":
            reasons["model"] = (
                "has no effect on passages, which are scored by their segments; "
                + Parameter("articles")
                + " scores their documents"
            )
        if self.rules.interpretation is None:
            reasons["overlap"] = f"is for tasks with structure; {task} has its own rule"
        if self.rules.interpretation is None or self.rules.interpretation.target == "strict":
            reasons["hint"] = f"is for vscas and vvcas; {task} takes no target as a hint"
        if self.rules.keep is None:
            reasons["keep"] = f"has no effect on {task}"
        if not self.rules.is_by_article and kind != "passages":
            reasons |= self._articles_without_effect()
        return reasons

    def _articles_without_effect(self) -> dict[str, str]:
        """Return why a model of articles has no effect where units are ranked."""
        if self.by_best_unit:
            return {"articles": f"best ranks articles, and {self.task} ranks units"}
        model = self.unit_model
        if not isinstance(model, LanguageModel) and getattr(model, "context", 1) != 0:
            return {}  # it may use their scores
        why = f"{self.task} ranks units, and {model.label} uses no articles' scores"
        return {"articles": f"has no effect: {why}"}

    # For runs

    def describe(self) -> dict[str, str]:
        """Return everything that decides about the results, as text, defaults included."""
        rules, unit = self.rules, self.unit
        shown = {"task": self.task}
        if unit.kind != "passages":
            shown["model"] = str(self.unit_model)
        if self.uses_articles and unit.kind != "documents":
            shown["articles"] = BEST if self.by_best_unit else str(self.article_model)
        shown["units"] = str(unit)
        if self.elements is not None:
            shown["elements"] = self.elements
        if unit.kind == "elements":
            shown["min_words"] = str(self.min_words or 1)
        if rules.keep is not None:
            shown["keep"] = f"{self.least_share:g}"
        if rules.interpretation is not None:
            shown["overlap"] = self.overlap or "allowed"
            if rules.interpretation.target == "vague":
                shown["hint"] = f"{self.target_hint:g}"
        shown["phrases"] = self.phrases
        if isinstance(self.stop, str | os.PathLike):
            shown["stop"] = os.fspath(self.stop)
        else:
            shown["stop"] = f"{len(set(self.stop))} words"
        shown["max_results"] = str(self.max_results)
        return shown

    def run_name(self) -> str:
        """Return what a run is called: its task, units other than elements, and the model.

        >>> SearchOptions("focused", "lm(prior=.5)").run_name()
        'focused-lm(prior=0.5)'
        >>> SearchOptions("documents").run_name(), SearchOptions(units="windows(100,50)").run_name()
        ('documents-bm25', 'focused-windows-lm')
        """
        unit = self.unit.kind
        given = self.model
        if unit == "documents" and given is None:
            given = self.articles
        chosen = self.rules.model.name if given is None else as_model(given).label
        parts = [self.task]
        parts += [] if unit in ("elements", "documents") else [unit]
        parts += [] if unit == "passages" else [chosen]
        return "-".join(parts)
