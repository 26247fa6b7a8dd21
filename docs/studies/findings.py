"""Do the findings of INEX hold here? Baseline runs over the built-in demo, and their differences.

It needs words that mean something, so there is one world for it, the demo, whatever WORLD says.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from world import DEMO, demo_collection, table, temporary_directory

from doxeval import (
    ScoreTable,
    Topic,
    compare,
    evaluate,
    read_assessments,
    read_run,
    read_topics,
    search,
)
from doxeval.assessments import Assessments
from doxeval.comparison.pairwise import Pair
from doxeval.comparison.significance import holm
from doxeval.documents import Collection
from doxeval.retrieve.index import Index
from doxeval.retrieve.index_build import build_index
from doxeval.runs import Run

TEXT = ("iP[.01]", "MAiP", "MAgP", "AP")
ENTRY = ("MAgP(score=bep)", "BEPD")
MEASURES = (*TEXT, "MAep", *ENTRY)
ALPHA = 0.05


class Source(NamedTuple):
    """A run: one that is made by hand, or one that is found with these options."""

    name: str = ""
    task: str = "focused"
    model: str | None = None
    units: str | None = None
    query: str | None = None
    overlap: str | None = None
    stop: str | None = None
    stemmer: str = "s"

    @property
    def label(self) -> str:
        """The run by its name, or by the options of `doxeval search`."""
        if self.name:
            return self.name
        shown = {"task", "model", "units", "query", "overlap", "stop"}
        given = {name: value for name, value in self._asdict().items() if name in shown and value}
        words = " ".join(f"--{name} {shlex.quote(value)}" for name, value in given.items())
        return f"`{words}`" + ("" if self.stemmer == "s" else f", stemmer `{self.stemmer}`")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that can score such a run."""
        if self.task == "best-in-context":
            return ("AP", *ENTRY)
        return (*TEXT, *ENTRY) if self.units else MEASURES


FOCUSED, DOCUMENTS, IN_CONTEXT = (
    Source(),
    Source(task="documents"),
    Source(task="relevant-in-context"),
)
THOROUGH, NO_PRIOR = Source(task="thorough"), Source(task="thorough", model="lm")
ALONE, ALL_ALONE = Source(model="lm(article=0)"), Source(model="lm(element=.6,article=0)")
THOROUGH_ALONE = Source(task="thorough", model="lm(article=0,prior=1)")
PRIOR = Source(model="lm(prior=1)")
BM25, BM25_ALONE = Source(model="bm25"), Source(model="bm25(context=0)")
VAGUE, STRICT = Source(task="vvcas"), Source(task="sscas")
# Short elements are held back as in the focused task, with which these are compared.
VAGUE_APART, STRICT_APART = (
    source._replace(overlap="none", model="lm(least=10)") for source in (VAGUE, STRICT)
)
CAS_WORDS, DESCRIPTION = Source(query="castitle"), Source(query="description")
UNSTEMMED, SNOWBALL = Source(stemmer="none"), Source(stemmer="english")
UNSTOPPED = Source(stop="none")
BEST_ENTRY, CLERK = Source(task="best-in-context"), Source("clerk")
RUNS = (
    DOCUMENTS,
    THOROUGH,
    NO_PRIOR,
    THOROUGH_ALONE,
    FOCUSED,
    ALONE,
    ALL_ALONE,
    PRIOR,
    BM25,
    BM25_ALONE,
    Source(units="passages(100)"),
    Source(units="windows(25,5)"),
    IN_CONTEXT,
    BEST_ENTRY,
    CAS_WORDS,
    VAGUE_APART,
    STRICT_APART,
    VAGUE,
    STRICT,
    DESCRIPTION,
    UNSTEMMED,
    SNOWBALL,
    UNSTOPPED,
    *map(Source, ("careful", "librarian", "collector")),
    CLERK,
)


class Claim(NamedTuple):
    """A finding: by a measure, the first run is better, worse, not worse, or about as good."""

    finding: str
    first: Source
    second: Source
    measure: str
    expected: str

    def verdict(self, pair: Pair) -> str:
        """What the difference says about the claim."""
        is_better, is_significant = _number(pair.difference) > 0, _number(pair.p) < ALPHA
        if self.expected in ("better", "worse"):
            if is_better != (self.expected == "better"):
                return "no"
            return "yes" if is_significant else "tendency"
        if not is_significant:
            return "no difference"
        return "yes" if is_better and self.expected == "not worse" else "no"


CLAIMS = (
    Claim("article context", FOCUSED, ALONE, "iP[.01]", "better"),
    Claim("article context", FOCUSED, ALONE, "MAiP", "better"),
    Claim("article context", FOCUSED, ALL_ALONE, "iP[.01]", "better"),
    Claim("article context", FOCUSED, ALL_ALONE, "MAiP", "better"),
    Claim("article context", THOROUGH, THOROUGH_ALONE, "MAep", "better"),
    Claim("article context", BM25, BM25_ALONE, "iP[.01]", "better"),
    Claim("article context", BM25, BM25_ALONE, "MAiP", "better"),
    Claim("length prior", THOROUGH, NO_PRIOR, "MAep", "better"),
    Claim("length prior", THOROUGH, NO_PRIOR, "iP[.01]", "worse"),
    Claim("length prior", PRIOR, FOCUSED, "iP[.01]", "worse"),
    Claim("whole articles", DOCUMENTS, FOCUSED, "MAiP", "not worse"),
    Claim("whole articles", DOCUMENTS, FOCUSED, "iP[.01]", "worse"),
    Claim("structure as a hint", VAGUE_APART, CAS_WORDS, "iP[.01]", "better"),
    Claim("structure as a hint", VAGUE_APART, CAS_WORDS, "MAiP", "better"),
    Claim("structure strictly", STRICT, VAGUE, "MAep", "worse"),
    Claim("structure strictly", STRICT_APART, VAGUE_APART, "iP[.01]", "not worse"),
    Claim("more words", CAS_WORDS, FOCUSED, "iP[.01]", "better"),
    Claim("more words", CAS_WORDS, FOCUSED, "MAiP", "better"),
    Claim("more words", DESCRIPTION, FOCUSED, "iP[.01]", "better"),
    Claim("stemming", FOCUSED, UNSTEMMED, "iP[.01]", "better"),
    Claim("stemming", FOCUSED, UNSTEMMED, "MAiP", "better"),
    Claim("which stemmer", FOCUSED, SNOWBALL, "iP[.01]", "alike"),
    Claim("which stemmer", FOCUSED, SNOWBALL, "MAiP", "alike"),
    Claim("stop words left in", UNSTOPPED, FOCUSED, "iP[.01]", "alike"),
    Claim("stop words left in", UNSTOPPED, FOCUSED, "MAiP", "alike"),
    Claim("a clerk's paragraphs", FOCUSED, CLERK, "iP[.01]", "better"),
    Claim("a clerk's paragraphs", IN_CONTEXT, CLERK, "MAgP", "better"),
    Claim("a clerk's paragraphs", BEST_ENTRY, CLERK, "MAgP(score=bep)", "better"),
)


def main() -> None:
    """Print the scores of all runs, and the differences that findings are about."""
    topics = read_topics(DEMO / "topics.xml")
    demo = Baselines(demo_collection(), topics, read_assessments(DEMO / "assessments.jsonl"))
    sys.stdout.write(f"{demo.scores(RUNS, MEASURES)}\n\n{demo.differences(CLAIMS, RUNS)}\n")


class Baselines:
    """Runs over a collection with topics and assessments, scored and compared."""

    def __init__(
        self, collection: Collection, topics: Sequence[Topic], assessments: Assessments
    ) -> None:
        self._collection = collection
        self._topics = topics
        self._assessments = assessments
        self._runs: dict[Source, Run] = {}
        self._indexes: dict[str, Index] = {}

    def scores(self, sources: Iterable[Source], measures: Sequence[str]) -> str:
        """A table of runs and their scores."""
        rows = [
            [f"{number}. {source.label}", len(self._run(source)), *self._scores(source, measures)]
            for number, source in enumerate(sources, 1)
        ]
        return table(["run", "results", *(f"`{measure}`" for measure in measures)], rows)

    def differences(self, claims: Sequence[Claim], sources: Sequence[Source]) -> str:
        """A table of claims, and of the differences between runs, which their numbers name."""
        pairs = [self._pair(claim) for claim in claims]
        corrected = holm([pair.p for pair in pairs])
        numbers = {source: number for number, source in enumerate(sources, 1)}
        rows = [
            [claim.finding, f"{numbers[claim.first]} − {numbers[claim.second]}", *row]
            for claim, row in zip(claims, map(_row, claims, pairs, corrected), strict=True)
        ]
        head = ["about", "runs", "by", "difference", "95 % interval", "p", "Holm's p"]
        return table([*head, "expected", "so here"], rows)

    def _run(self, source: Source) -> Run:
        if source not in self._runs:
            self._runs[source] = self._made(source)
        return self._runs[source]

    def _made(self, source: Source) -> Run:
        if source.name:
            return read_run(DEMO / "runs" / f"{source.name}.run")
        options = source._asdict() | {"stop": source.stop or "english"}
        del options["name"], options["stemmer"]
        return search(self._index(source.stemmer), self._topics, run_id=source.label, **options)

    def _index(self, stemmer: str) -> Index:
        if stemmer not in self._indexes:
            out = temporary_directory() / "index"
            build_index(self._collection, out, stemmer=stemmer, jobs=1)
            self._indexes[stemmer] = Index(out, self._collection)
        return self._indexes[stemmer]

    def _scores(self, source: Source, measures: Sequence[str]) -> Iterator[float | str]:
        asked = [measure for measure in measures if measure in source.measures]
        (means,) = self._evaluated([source], asked).mean().values()
        found = dict(zip(asked, means.values(), strict=True))
        for measure in measures:
            mean = found.get(measure)
            yield "–" if mean is None else mean

    def _pair(self, claim: Claim) -> Pair:
        """The two runs of a claim, the first minus the second."""
        scores = self._evaluated([claim.first, claim.second], [claim.measure])
        (pair,) = compare(scores, claim.measure, baseline=scores.runs[1].run, alpha=ALPHA).pairs
        return pair

    def _evaluated(self, sources: Sequence[Source], measures: Sequence[str]) -> ScoreTable:
        runs = [self._run(source) for source in sources]
        return evaluate(runs, self._assessments, measures, collection=self._collection)


def _row(claim: Claim, pair: Pair, corrected: float | None) -> list[str]:
    low, high = pair.interval or (None, None)
    return [
        f"`{claim.measure}`",
        _signed(pair.difference),
        f"{_signed(low)} to {_signed(high)}",
        _probability(pair.p),
        _probability(corrected),
        claim.expected,
        claim.verdict(pair),
    ]


def _number(value: float | None) -> float:
    """A value that is defined, as all of them are: no topic lacks a score."""
    if value is None:
        raise ValueError("a difference is undefined")
    return value


def _signed(value: float | None) -> str:
    return f"{_number(value):+.4f}".replace("-", "−")


def _probability(value: float | None) -> str:
    return f"{_number(value):.4f}" if _number(value) >= 0.0001 else "< 0.0001"


if __name__ == "__main__":
    main()
