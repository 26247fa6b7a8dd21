"""What an evaluation is given: runs, and options in three small values.

    RunOptions     how runs are read, and what becomes of results that do not fit
    Counting       what is counted as text
    Keep           what is kept of each run besides its scores

Runs are files, `Run` values, dicts, data frames or named tuples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from doxeval.assessments import Assessments, SpecificityFrom
from doxeval.documents import Offsets, Whitespace
from doxeval.errors import InputError
from doxeval.measures import Texts
from doxeval.messages import Parameter, quoted
from doxeval.named import check_options, option
from doxeval.runs import (
    Block,
    ChunkTable,
    Run,
    RunGiven,
    as_run,
    chunk_table_of,
    is_one_run,
    listed_run,
    not_a_run_error,
    run_blocks,
    split_into_blocks,
)

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.measures import Ranking

OnUnresolved = Literal["error", "irrelevant"]
OnDuplicates = Literal["auto", "drop", "keep"]
AverageOver = Literal["assessed", "retrieved"]

# Options


@dataclass(frozen=True)
class RunOptions:
    """How runs are read, and what becomes of results that do not fit.

    offsets: characters, or bytes of UTF-8.
    whitespace: how text points number text nodes that are only white space (keep or strip), if not
    as the collection was built.
    ends: the last column of a text run is an end, not a length.
    unresolved: a result that names nothing is an error, or counts as not relevant.
    duplicates: a result that was returned before is dropped, or keeps its rank but gains nothing;
    auto: as each measure has it (those of chunks and of TREC Genomics keep it, all others drop it).
    Where a measure does something else than by itself, its name in the table says so:
    cP@5(duplicates=keep).

    >>> RunOptions(unresolved="irrelevant").duplicates
    'auto'
    """

    offsets: Offsets = "characters"
    whitespace: Whitespace | None = None
    ends: bool = False
    unresolved: OnUnresolved = option(
        "error",
        "A result that does not exist in the collection is an error, or not relevant.",
        choices=get_args(OnUnresolved),
    )
    duplicates: OnDuplicates = option(
        "auto",
        "A result that was returned before is dropped, or keeps its rank and gains nothing; auto: "
        "measures of chunks and of TREC Genomics keep it, all others drop it.",
        choices=get_args(OnDuplicates),
    )

    def __post_init__(self) -> None:
        check_options(self)
        check_choice("offsets", self.offsets, get_args(Offsets))
        if self.whitespace is not None:
            check_choice("whitespace", self.whitespace, get_args(Whitespace))


@dataclass(frozen=True)
class Counting:
    """What is counted as text.

    texts: the texts of documents by id, for measures that count words where there is no collection.
    tokens: what a token is: a function from a text to offsets, a tokeniser of tiktoken or
    tokenizers, or "words".
    ignore_whitespace: white space is left out of all counts of characters.
    specificity: where the specificity of elements in files of 2005–07 comes from: highlighted
    passages, or the sizes that the file gives.

    >>> Counting(texts={"a": "Fog on the sea."}).tokens is None
    True
    """

    texts: Mapping[str, str] | Texts | None = None
    tokens: Any = None
    ignore_whitespace: bool = option(False, "Ignore white space when counting characters.")
    specificity: SpecificityFrom | None = option(
        None,
        "Where specificity in files of 2005–07 comes from: highlighted passages, or the sizes that "
        "the file gives.",
        choices=get_args(SpecificityFrom),
        shown_default="passages, if they can be resolved",
        flags=("--spec",),
    )

    def __post_init__(self) -> None:
        check_options(self)
        if not isinstance(self.texts, Mapping | Texts | None):
            raise InputError(f"texts is {quoted(self.texts)}: expected a dict of texts by document")

    def known_texts(self, collection: Collection | None) -> Texts | None:
        """Return the texts of documents, if they are given, or those of the collection."""
        if isinstance(self.texts, Texts):  # shared by several evaluations
            return self.texts
        source = collection if self.texts is None else self.texts
        if source is not None:
            return Texts(source, self.tokens)
        if self.tokens is not None:
            raise InputError(
                Parameter("tokens")
                + " counts in texts: give "
                + Parameter("texts")
                + " or a collection with it"
            )
        return None


@dataclass(frozen=True)
class Keep:
    """What is kept of each run besides its scores.

    curves: the curves behind the scores.
    per_document: the scores of single documents that measures in context average.
    results: what runs return in relevant documents, for a report; see
    `doxeval.measures.RetainedResults`.
    judged: how many documents were judged; measures of whole documents count them in any case.
    of_ranking: the value of a function of the run's ranking.
    without_whitespace: names of measures, such as bR, whose scores are also computed from the same
    ranking with white space ignored; without texts, they are the same.
    A run of which results or such a value are kept is not scored in blocks.

    >>> Keep(curves=True).per_document
    False
    """

    curves: bool = False
    per_document: bool = False
    of_ranking: Callable[[Ranking], Any] | None = None
    results: bool = False
    judged: bool = False
    without_whitespace: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.of_ranking is not None and not callable(self.of_ranking):
            raise InputError(f"of_ranking is {quoted(self.of_ranking)}: expected a function")
        names = self.without_whitespace
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InputError(
                f"without_whitespace is {quoted(names)}: expected a list of names of measures"
            )

    @property
    def whole_run(self) -> bool:
        """Whether something is kept that only the run as a whole has."""
        return self.results or self.of_ranking is not None


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of a parameter's choices.

    >>> check_choice("order", "score", ("list", "rank", "rsv"))
    Traceback (most recent call last):
    doxeval.errors.InputError: order='score': expected one of list, rank, rsv
    """
    if not isinstance(value, str) or value not in choices:
        raise InputError(Parameter(name, value) + f": expected one of {', '.join(choices)}")


# Runs


class RunInput(NamedTuple):
    """A run to score, and the name it is to have; None leaves it to the run itself.

    chunks: the file of the chunks that it names by their ids, if it has one for itself.
    """

    source: RunGiven
    name: str | None = None
    chunks: str | None = None

    @property
    def file(self) -> str | None:
        """The file it is read from, if it is one."""
        return os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else None

    def read(self, *, ends: bool, chunks: ChunkTable | None = None) -> Run:
        """Return the run itself; `chunks` are those it may name by their ids, if not its own."""
        return as_run(self.source, ends=ends, chunks=self.chunks or chunks)

    def blocks(
        self, rows: int, *, ends: bool, chunks: ChunkTable | None = None
    ) -> Generator[Block]:
        """Yield the run in blocks of whole topics, of about so many rows."""
        if isinstance(self.source, str | os.PathLike):
            yield from run_blocks(self.source, rows, ends=ends, chunks=self.chunks or chunks)
        else:
            yield from split_into_blocks(self.read(ends=ends, chunks=chunks), rows)

    def chunk_table(self, chunks: ChunkTable | None) -> ChunkTable | None:
        """Return the chunks that it may name by their ids: its own, if any, or those given."""
        return chunks if self.chunks is None else chunk_table_of(self.chunks)


# A single run, several, or several by name.
RunsGiven = RunGiven | Iterable[RunGiven | RunInput | tuple[str, RunGiven]] | Mapping[str, RunGiven]


def as_run_input(run: RunGiven | RunInput) -> RunInput:
    """Return a run that may have no name yet as an input.

    >>> as_run_input("a.run").file
    'a.run'
    """
    return run if isinstance(run, RunInput) else RunInput(listed_run(run))


def run_inputs(runs: Any) -> list[RunInput]:
    """Return all runs of an evaluation, given as a single run, several, or several by name.

    >>> [(run.source, run.name) for run in run_inputs({"mine": "a.run"})]
    [('a.run', 'mine')]
    >>> [run.name for run in run_inputs(["a.run", ("mine", "b.run")])]
    [None, 'mine']
    """
    runs = listed_run(runs)
    if is_one_run(runs):
        return [RunInput(runs)]
    if isinstance(runs, Mapping):
        return [_named_input(run, str(name)) for name, run in runs.items()]
    if not isinstance(runs, Iterable) or isinstance(runs, Assessments):
        raise not_a_run_error(runs)
    return [_run_input(run) for run in runs]


def _run_input(given: Any) -> RunInput:
    if isinstance(given, RunInput):
        return given
    if isinstance(given, tuple) and len(given) == 2:
        return _named_input(given[1], str(given[0]))
    return _named_input(given, None)


def _named_input(run: Any, name: str | None) -> RunInput:
    listed = listed_run(run)
    if not is_one_run(listed):
        raise not_a_run_error(run)
    return RunInput(listed, name)
