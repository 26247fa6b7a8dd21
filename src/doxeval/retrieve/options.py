"""What a search is asked to do, checked: task, models, units and how results are presented."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

from doxeval.errors import InputError
from doxeval.files import open_input
from doxeval.messages import Parameter, quoted, suggestion
from doxeval.retrieve.models import ARTICLES, LanguageModel, Model, as_model, bm25, lm
from doxeval.retrieve.query import PHRASES, Phrases
from doxeval.retrieve.text import ENGLISH, normalised
from doxeval.topics import INTERPRETATIONS, Interpretation

Overlap = Literal["allowed", "none"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
HINT = 0.25
MOST = 1500
BEST = "best"  # articles by their best unit
_CALL = re.compile(r"(windows|passages)\s*(?:\(([^()]*)\))?")
_UNIT_PARAMETERS = {"windows": ("words", "step"), "passages": ("words",)}


class SearchTask(NamedTuple):
    """A task as search does it: its model by default, and what its lists look like.

    keep: the share of an article's best score that its results need, where that matters.
    is_by_article: whether results are ranked article by article.
    """

    name: str
    model: Model
    keep: float | None = None
    is_by_article: bool = False

    @property
    def interpretation(self) -> Interpretation | None:
        """How strictly structure is taken; None if the task has no structure."""
        return INTERPRETATIONS.get(self.name.upper())


_BY_ARTICLE = bm25(context=0)
TASKS = {
    task.name: task
    for task in (
        SearchTask("thorough", lm(prior=1)),
        SearchTask("focused", lm),
        SearchTask("relevant-in-context", _BY_ARTICLE, 0.7, True),
        SearchTask("best-in-context", _BY_ARTICLE, None, True),
        SearchTask("fetch-browse", _BY_ARTICLE, 0.5, True),
        SearchTask("documents", _BY_ARTICLE, None, True),
        SearchTask("sscas", lm),
        SearchTask("svcas", lm),
        SearchTask("vscas", lm),
        SearchTask("vvcas", lm),
    )
}


class UnitName(NamedTuple):
    """A kind of unit as it was asked for: windows and passages with numbers, chunks with a file."""

    kind: Literal["elements", "documents", "windows", "passages", "chunks"]
    numbers: tuple[int, ...] = ()
    file: str | None = None

    @classmethod
    def parse(cls, text: str) -> UnitName:
        """A kind of unit by its name.

        >>> UnitName.parse("windows(100,50)").numbers, UnitName.parse("passages").numbers
        ((100, 50), (100,))
        >>> UnitName.parse("chunks.jsonl").file
        'chunks.jsonl'
        """
        plain = text.strip()
        if plain == "elements":
            return cls("elements")
        call = _CALL.fullmatch(plain)
        if call is not None:
            kind: Any = call[1]
            return cls(kind, _numbers(text, call[1], call[2]))
        if ".jsonl" in plain.lower() or ".ndjson" in plain.lower():
            return cls("chunks", file=text)
        raise _no_units(text)


def _numbers(text: str, kind: str, given: str | None) -> tuple[int, ...]:
    names = _UNIT_PARAMETERS[kind]
    values: dict[str, int] = {"words": 100} if kind == "passages" else {}
    parts = [] if not (given or "").strip() else (given or "").split(",")
    for place, part in enumerate(parts):
        name, _, value = part.rpartition("=")
        name = name.strip() or (names[place] if place < len(names) else "")
        value = value.strip()
        if name not in names or not (value.isascii() and value.isdigit()) or len(value) > 9:
            raise _no_units(text)
        values[name] = int(value)
    if set(values) != set(names):
        raise _no_units(text)
    return tuple(values[name] for name in names)


def _no_units(text: str) -> InputError:
    return InputError(
        Parameter("units", text)
        + ": expected elements, windows(words,step) such as windows(100,50), "
        "passages(words=100), or a file of chunks, FILE.jsonl"
    )


@dataclass(frozen=True)
class Options:
    """How to search. What is None depends on the task."""

    task: str = "focused"
    model: Model | str | None = None
    articles: Model | str | None = None
    units: str | None = None
    elements: str | None = None
    min_words: int | None = None
    keep: float | None = None
    hint: float | None = None
    overlap: Overlap | None = None
    phrases: Phrases = "extra"
    stop: str | os.PathLike[str] | frozenset[str] = "english"
    most: int = MOST

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"no task {quoted(self.task)} of search{suggestion(self.task, TASKS)}")
        _check_choice("phrases", self.phrases, PHRASES)
        if self.overlap is not None:
            _check_choice("overlap", self.overlap, OVERLAPS)
        _check_whole("most", self.most)
        if self.min_words is not None:
            _check_whole("min_words", self.min_words)
        _check_share("keep", self.keep, highest=1)
        _check_share("hint", self.hint)
        for name in ("unit_name", "unit_model", "article_model"):
            getattr(self, name)  # which parses what was given

    @property
    def rules(self) -> SearchTask:
        """The task."""
        return TASKS[self.task]

    @property
    def unit_name(self) -> UnitName:
        """The kind of unit that is scored."""
        if self.task == "documents" and not self.by_best_unit:
            return UnitName("documents")
        return UnitName("elements") if self.units is None else UnitName.parse(self.units)

    @property
    def by_best_unit(self) -> bool:
        """Whether articles are ranked by their best unit."""
        return isinstance(self.articles, str) and self.articles.strip() == BEST

    @property
    def unit_model(self) -> Model:
        """The model that scores units, settled for what they are."""
        chosen = self.rules.model if self.model is None else as_model(self.model)
        return chosen.settled(self.unit_name.kind)

    @property
    def article_model(self) -> Model:
        """The model that scores whole articles."""
        given = ARTICLES if self.articles is None or self.by_best_unit else self.articles
        return as_model(given).settled("documents")

    @property
    def stop_words(self) -> frozenset[str]:
        """The words that queries do without."""
        return stop_words(self.stop)

    @property
    def uses_articles(self) -> bool:
        """Whether the scores of whole articles have any effect."""
        return "articles" not in self.without_effect()

    def refuse_without_effect(self) -> None:
        """Raise an error about the first option that was given and would have no effect."""
        for name, reason in self.without_effect().items():
            if getattr(self, name) is not None:
                raise InputError(Parameter(name) + " " + reason)

    def without_effect(self) -> dict[str, str]:
        """The options that would have no effect, each with the reason."""
        found: dict[str, str] = {}
        task, kind = self.task, self.unit_name.kind
        if kind == "documents":
            reason: str = (
                "has no effect on documents, which are ranked by "
                + Parameter("articles")
                + f", {ARTICLES.name} unless given"
            )
            found |= dict.fromkeys(("model", "units", "elements", "min_words"), reason)
        elif kind != "elements":
            reason = f"is for elements; here {kind} are returned"
            found |= dict.fromkeys(("elements", "min_words"), reason)
        if kind == "passages":
            found["model"] = "has no effect on passages, which are scored by their segments"
        if self.rules.interpretation is not None:
            if kind != "elements":
                found["units"] = f"is not for {task}, which returns elements"
        else:
            found["overlap"] = f"is for tasks with structure; {task} has its own rule"
        if self.rules.interpretation is None or self.rules.interpretation.target == "strict":
            found["hint"] = f"is for vscas and vvcas; {task} takes no target as a hint"
        if self.rules.keep is None:
            found["keep"] = f"has no effect on {task}"
        if not self.rules.is_by_article and kind != "passages":
            found |= _articles_without_effect(self)
        return found

    def described(self) -> dict[str, str]:
        """Everything that decides about the results, as text, defaults included."""
        rules, unit = self.rules, self.unit_name
        said = {"task": self.task}
        if unit.kind not in ("documents", "passages"):
            said["model"] = str(self.unit_model)
        if self.uses_articles:
            said["articles"] = BEST if self.by_best_unit else str(self.article_model)
        said["units"] = _shown_units(unit)
        if self.elements is not None:
            said["elements"] = self.elements
        if unit.kind == "elements":
            said["min_words"] = str(self.min_words or 1)
        if rules.keep is not None:
            said["keep"] = f"{rules.keep if self.keep is None else self.keep:g}"
        if rules.interpretation is not None:
            said["overlap"] = self.overlap or "allowed"
            if rules.interpretation.target == "vague":
                said["hint"] = f"{HINT if self.hint is None else self.hint:g}"
        said["phrases"] = self.phrases
        said["stop"] = self.stop if isinstance(self.stop, str) else _shown_stop(self.stop)
        said["most"] = str(self.most)
        return said

    @classmethod
    def of(cls, given: dict[str, Any]) -> Options:
        """The options given by name; an unknown name is an error."""
        known = [one.name for one in fields(cls)]
        for name in given:
            if name not in known:
                raise TypeError(f"search has no option {quoted(name)}{suggestion(name, known)}")
        if not isinstance(given.get("stop", ""), str | os.PathLike):
            given = given | {"stop": frozenset(given["stop"])}
        return cls(**given)


def _articles_without_effect(options: Options) -> dict[str, str]:
    """Why a model of articles has no effect where units are ranked."""
    if options.by_best_unit:
        return {"articles": f"best ranks articles, and {options.task} ranks units"}
    model = options.unit_model
    uses_scores = not isinstance(model, LanguageModel) and getattr(model, "context", 1) != 0
    if uses_scores:
        return {}
    why = f"{options.task} ranks units, and {model.label} uses no articles' scores"
    return {"articles": f"has no effect: {why}"}


def _shown_units(unit: UnitName) -> str:
    if unit.kind == "chunks":
        return f"chunks of {os.path.basename(unit.file or '')}"
    names = _UNIT_PARAMETERS.get(unit.kind, ())
    shown = ",".join(f"{n}={v}" for n, v in zip(names, unit.numbers, strict=True))
    return f"{unit.kind}({shown})" if shown else unit.kind


def _shown_stop(stop: os.PathLike[str] | frozenset[str]) -> str:
    return f"{len(stop)} words" if isinstance(stop, frozenset) else os.fspath(stop)


def stop_words(stop: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """A list of stop words: english, none, the words of a file, or the words given.

    >>> "the" in stop_words("english"), sorted(stop_words("none")), sorted(stop_words(["Le", "LA"]))
    (True, [], ['la', 'le'])
    """
    if stop == "english":
        return ENGLISH
    if stop == "none":
        return frozenset()
    if isinstance(stop, str | os.PathLike):
        if not os.path.exists(stop):
            raise InputError(
                Parameter("stop", str(stop)) + ": expected english, none or a file of words"
            )
        stop = _words_of_file(os.fspath(stop))
    return frozenset(map(normalised, stop))


def _words_of_file(path: str) -> list[str]:
    with open_input(path) as file:
        try:
            return file.read().decode("utf-8-sig").split()
        except UnicodeDecodeError:
            raise InputError("expected words in UTF-8", path) from None


def _check_choice(name: str, given: object, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise InputError(f"{name}={quoted(given)}: expected one of {', '.join(choices)}")


def _check_whole(name: str, given: object) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise InputError(f"{name}={quoted(given)}: expected a whole number, 1 or more")


def _check_share(name: str, given: float | None, highest: float | None = None) -> None:
    if given is None:
        return
    is_number = isinstance(given, int | float) and not isinstance(given, bool) and isfinite(given)
    if not is_number or given < 0 or (highest is not None and given > highest):
        expected = "0 or more" if highest is None else f"from 0 to {highest:g}"
        raise InputError(f"{name}={quoted(given)}: expected a number, {expected}")
