"""A run: what one system returned, for each topic a ranked list of parts of documents.

A run is columns, one row per result, in the order of the file: list order is the ranking.
Topics, documents and paths are numbers into lists of distinct names, so a run of hundreds of
thousands of results stays small and everything about it is array arithmetic.

A large run is read in blocks, each with the results of whole topics, so that it can be scored by
itself; memory is then bounded by the block, not by the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.columns import Categorical
from doxeval.errors import FormatError, InputError, warn
from doxeval.messages import Parameter, join_names, plural, quoted
from doxeval.named import checked
from doxeval.runs.columns import (
    Kind,
    Result,
    ResultColumns,
    SpanLists,
    added_if_any,
    columns_of_results,
    results_of,
    tokens_if_any,
)
from doxeval.spans import MOST_GROUPS

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

METADATA = "ir_metadata"  # the fact of a run that says all that is known of it
Order = Literal["list", "rank", "rsv", "trec"]
_ROWS_SHOWN = 10  # in notebooks
_PLURALS = {
    Kind.DOCUMENT: "documents",
    Kind.ELEMENT: "elements",
    Kind.PASSAGE: "passages",
    Kind.POINT: "entry points",
    Kind.TREE: "trees",
    Kind.SPANS: "results with several ranges",
}


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run as columns.

    start and end are -1 where a result is not given in characters. rank and score are None if
    not every result has one. line is where each result was in its file, from 1. spans has the
    spans of results with several of them, whose start and end are those of the first; None if
    there are no such results. tokens is what each result costs to read, -1 where that is not known;
    None if it never is. added is how many characters of each result are in no document, such as
    those of a heading that a model wrote; None if all are.

    Two runs are equal if their ids, results, ranks and scores are; where they came from does not
    matter. Arrays of a run cannot be written to.

    >>> run = Run.from_results([Result("1", "a"), Result("1", "b", Kind.PASSAGE, 0, 9)], "mine")
    >>> run
    Run('mine': 2 results for 1 topic, documents and passages)
    >>> len(run), list(run.topics), run.topic.tolist(), run.kind.tolist()
    (2, ['1'], [0, 0], [0, 2])
    >>> [result.document for result in run]
    ['a', 'b']
    """

    run_id: str
    topic_labels: Categorical[str]
    document_labels: Categorical[str]
    path_labels: Categorical[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints
    spans: SpanLists | None = None
    tokens: Ints | None = None
    added: Ints | None = None
    # What the file says about the run as a whole: participant, task, description, …
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    origin: str | None = None

    def __post_init__(self) -> None:
        if len(self.kind) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS:,} results in one run")
        columns = (self.kind, self.start, self.end, self.rank, self.score, self.line)
        for column in (*columns, self.tokens, self.added, *(self.spans or ())):
            if column is not None:
                column.setflags(write=False)

    # Ways in

    @classmethod
    @checked
    def from_results(cls, results: Iterable[Result], run_id: str = "run") -> Run:
        """Return a run of results given one by one, in the order of the ranking.

        >>> Run.from_results([Result("7", "a", Kind.PASSAGE, 0, 9)], "mine")
        Run('mine': 1 result for 1 topic, passages)
        """
        columns, warnings = columns_of_results(results)
        warn(warnings)
        return cls(run_id, *columns, warnings=warnings)

    @classmethod
    @checked
    def from_arrays(
        cls,
        topic: Any,
        document: Any = None,
        *,
        chunk: Any = None,
        chunks: ChunkTable | None = None,
        start: Any = None,
        end: Any = None,
        path: Any = None,
        offset: Any = None,
        rank: Any = None,
        score: Any = None,
        spans: Any = None,
        tokens: Any = None,
        added: Any = None,
        run_id: str = "run",
    ) -> Run:
        """Return a run from sequences of equal length, in the order of the ranking.

        Sequences are lists, arrays of NumPy or columns of data frames. Topics and documents are
        strings or whole numbers. What results are follows from what is given: start and end make
        passages, path elements, offset entry points, spans (lists of pairs, or a `SpanLists`)
        results with several ranges, none of them whole documents. To mix these, give -1 or None
        as a number and None or "" as a path where a result does not have it. tokens is what each
        result costs to read, where that is not just the length of its text, added how many
        characters are read that are in no document.
        Document ids are compared without a leading `./` and a final `.xml`, as in files.
        Instead of documents, chunk has ids of chunks, which the table `chunks` knows.

        >>> Run.from_arrays([7, 7, 8], ["a", "b", "a"], start=[0, 5, 3], end=[9, 9, 4])
        Run('run': 3 results for 2 topics, passages)
        >>> mixed = Run.from_arrays([7, 7], ["a", "b"], path=["/sec[1]", None], score=[.9, .5])
        >>> [result.kind.name for result in mixed]
        ['ELEMENT', 'DOCUMENT']
        >>> Run.from_arrays([7], ["a"], spans=[[(0, 5), (9, 12)]], tokens=[3])
        Run('run': 1 result for 1 topic, results with several ranges)
        >>> from doxeval.runs.chunks import ChunkTable
        >>> table = ChunkTable.of(["c1", "c2"], ["a", "a"], [[(0, 5)], [(5, 9)]])
        >>> [result.start for result in Run.from_arrays([7], chunk=["c2"], chunks=table)]
        [5]
        >>> Run.from_arrays([7], ["a"], start=[9], end=[5])
        Traceback (most recent call last):
        doxeval.errors.InputError: row 0: the passage ends at 5 before it starts at 9
        """
        from doxeval.runs.frames import columns_of_arrays

        given = {
            "topic": topic,
            "doc": document,
            "chunk": chunk,
            "start": start,
            "end": end,
            "path": path,
            "offset": offset,
            "rank": rank,
            "score": score,
            "spans": spans,
            "tokens": tokens,
            "added": added,
        }
        given = {name: values for name, values in given.items() if values is not None}
        if "topic" not in given or not {"doc", "chunk"} & given.keys():
            raise InputError("topic, document or chunk is missing: expected a sequence of each")
        columns, _, warnings = columns_of_arrays(given, {"doc": "document"}, chunks)
        warn(warnings)
        return cls(run_id, *columns, warnings=warnings)

    @classmethod
    @checked
    def from_dict(cls, results: Mapping[Any, Any], run_id: str = "run") -> Run:
        """Return a run from a dict of topics.

        {topic: {document: score}}, as pytrec_eval and ranx have it, is ranked by falling score;
        tied documents stay in the order given. A list of results is in the order of the ranking:
        documents, (document, start, end) for passages, (document, path) for elements,
        (document, [(start, end), …]) for several ranges. Results get the ranks 1, 2, 3, … of their
        topic. A topic without results is not part of a run.

        >>> run = Run.from_dict({"7": {"a": 0.2, "b": 0.9}, "8": {"a": 1}}, "mine")
        >>> [(result.topic, result.document, result.rank) for result in run]
        [('7', 'b', 1), ('7', 'a', 2), ('8', 'a', 1)]
        >>> Run.from_dict({"7": [("a", 0, 9), ("b", 5, 8)], "8": [("a", "/sec[1]")]})
        Run('run': 3 results for 2 topics, elements and passages)
        """
        from doxeval.runs.frames import columns_of_dict

        columns, warnings = columns_of_dict(results)
        warn(warnings)
        return cls(run_id, *columns, warnings=warnings)

    @classmethod
    @checked
    def from_frame(
        cls, frame: Any, run_id: str | None = None, *, chunks: ChunkTable | None = None
    ) -> Run:
        """Return a run from a data frame of pandas or polars, one row per result, ranked.

        The columns are the fields of JSONL and CSV: topic, doc, path, start, end, offset, nodes
        (lists of paths, or paths joined by spaces), spans (lists of pairs, or text such as
        "0-5 9-12"), start_point, end_point, point, rank, score, tokens, added, run. `topic_id`,
        `qid`, `query_id`, `q_id` and `query-id` also stand for topic; `docno`, `doc_id`, `docid`,
        `document` and `corpus-id` for doc; `sim` and `rsv` for score; `run_id` and `tag` for run.
        Any other column is ignored, with a warning. A frame with the columns `qid`, `docno` and
        `score` is one of PyTerrier: each topic is ranked by falling score, whatever the order of
        its rows. The parameter `run_id` takes precedence over
        the column. A column chunk (or `chunk_id`) has ids of chunks, which the table `chunks` has.

        >>> import pandas
        >>> Run.from_frame(pandas.DataFrame({"qid": [7, 7], "docno": ["a", "b"]}), "mine")
        Run('mine': 2 results for 1 topic, documents)
        """
        from doxeval.runs.frames import columns_of_frame, is_of_pyterrier, numbered_passages

        columns, run_ids, warnings = columns_of_frame(frame, chunks)
        warnings = (*warnings, *numbered_passages(columns))
        if len(run_ids) > 1 and run_id is None:
            several = f"{len(run_ids)} run ids in one data frame: {join_names(run_ids, 5)}"
            warnings = (several, *warnings)
        warn(warnings)
        given = run_ids[-1] if run_ids else "run"
        run = cls(run_id or given, *columns, warnings=warnings)
        return run.ordered("rsv") if is_of_pyterrier(frame) and run.score is not None else run

    @classmethod
    @checked
    def from_tuples(cls, rows: Iterable[Any], run_id: str = "run") -> Run:
        """Return a run from named tuples, such as ScoredDoc of ir_measures, one for each result.

        Their fields are named as the columns of a data frame are in `from_frame`. Where they have
        scores, each topic is ranked by falling score, as ir_measures does, and tied results stay in
        the order given; without scores, the order given is the ranking.

        >>> from collections import namedtuple
        >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
        >>> run = Run.from_tuples([ScoredDoc("7", "a", 0.2), ScoredDoc("7", "b", 0.9)], "mine")
        >>> [result.document for result in run]
        ['b', 'a']
        """
        from doxeval.runs.frames import columns_of_named_tuples

        columns, warnings = columns_of_named_tuples(rows)
        warn(warnings)
        run = cls(run_id, *columns, warnings=warnings)
        return run if run.score is None else run.ordered("rsv")

    # Ways out

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a run of whole documents as {topic: {document: score}}, for pytrec_eval and ranx.

        Documents are in the order of the ranking. Without scores a document gets 1 / rank.

        >>> Run.from_dict({"7": {"a": 0.2, "b": 0.9}}).to_dict()
        {'7': {'b': 0.9, 'a': 0.2}}
        """
        from doxeval.runs.frames import dict_of_columns

        return dict_of_columns(self.columns)

    def to_pandas(self) -> Any:
        """Return a data frame of pandas (which must be installed), one row per result.

        Its columns are those fields of JSONL and CSV that the run has.

        >>> list(Run.from_dict({"7": ["a", "b"]}).to_pandas())
        ['topic', 'doc', 'rank', 'run']
        """
        from doxeval.runs.frames import pandas_frame

        return pandas_frame(self.by_field())

    def to_polars(self) -> Any:
        """Return a data frame of polars (which must be installed), one row per result.

        >>> Run.from_dict({"7": ["a", "b"]}).to_polars().columns
        ['topic', 'doc', 'rank', 'run']
        """
        from doxeval.runs.frames import polars_frame

        return polars_frame(self.by_field())

    def by_field(self) -> dict[str, list[Any]]:
        """Return the fields of JSONL and CSV that the run has, with a value for every result.

        >>> Run.from_dict({"7": ["a", "b"]}, "mine").by_field()
        {'topic': ['7', '7'], 'doc': ['a', 'b'], 'rank': [1, 2], 'run': ['mine', 'mine']}
        """
        from doxeval.runs.records import columns_by_name

        return columns_by_name(self.columns, self.run_id)

    # What is in it

    @property
    def columns(self) -> ResultColumns:
        """The results alone, without what the run says about itself."""
        return ResultColumns(*(getattr(self, name) for name in ResultColumns._fields))

    @property
    def topics(self) -> Sequence[str]:
        """The distinct topics, in the order of first appearance."""
        return self.topic_labels.distinct

    @property
    def topic(self) -> Ints:
        """The topic of each result, as its position in `topics`."""
        return self.topic_labels.numbers

    @property
    def documents(self) -> Sequence[str]:
        """The distinct ids of documents."""
        return self.document_labels.distinct

    @property
    def document(self) -> Ints:
        """The document of each result, as its position in `documents`."""
        return self.document_labels.numbers

    @property
    def paths(self) -> Sequence[tuple[str, ...]]:
        """The distinct paths inside documents: of an element, of a tree, or text points."""
        return self.path_labels.distinct

    @property
    def path(self) -> Ints:
        """The paths of each result, as their position in `paths`; NO_LABEL if it has none."""
        return self.path_labels.numbers

    def __len__(self) -> int:
        return len(self.kind)

    def __iter__(self) -> Iterator[Result]:
        return self.results()

    def results(self) -> Iterator[Result]:
        """Return the results one by one."""
        return results_of(self.columns)

    def result(self, row: int) -> Result:
        """Return one result."""
        return next(self.rows(np.array([row])).results())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return self.run_id == other.run_id and all(
            _same(getattr(self, name), getattr(other, name))
            for name in ResultColumns._fields
            if name != "line"
        )

    def __hash__(self) -> int:
        # Without names, which would have to be made first; equal runs have equal hashes.
        return hash((self.run_id, self.kind.tobytes(), self.start.tobytes(), self.end.tobytes()))

    def __repr__(self) -> str:
        if not len(self):
            return f"Run({self.run_id!r}: no results)"
        kinds = [_PLURALS[Kind(kind)] for kind in np.flatnonzero(np.bincount(self.kind)).tolist()]
        listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
        counts = f"{plural(len(self), 'result')} for {plural(len(self.topics), 'topic')}"
        return f"Run({self.run_id!r}: {counts}, {listed})"

    def _repr_html_(self) -> str:
        """Return a table of the first results, as notebooks show it."""
        from html import escape

        header = ["topic", "document", "part", "rank", "score"]
        rows = [_cells(result) for result in islice(self, _ROWS_SHOWN)]
        if len(self) > len(rows):
            rows.append([f"… {len(self) - len(rows):,} more", "", "", "", ""])
        head = "".join(f"<th>{name}</th>" for name in header)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        caption = f"<caption>{escape(repr(self))}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{body}</table>"

    # Other runs made of it

    def with_id(self, run_id: str) -> Run:
        """Return the run under another id.

        >>> Run.from_dict({"7": ["a"]}).with_id("mine").run_id
        'mine'
        """
        return replace(self, run_id=run_id)

    def ordered(self, order: Order) -> Run:
        """Return the run with each topic sorted by rank or by falling score, ties as they are.

        "trec" is the order of trec_eval: by falling score in single precision, and equal scores by
        falling document id.

        >>> run = Run.from_results([Result("1", "a", score=0.1), Result("1", "b", score=0.9)])
        >>> [result.document for result in run.ordered("rsv")]
        ['b', 'a']
        >>> run = Run.from_results([Result("1", "a", score=0.1), Result("1", "b", score=0.1)])
        >>> [result.document for result in run.ordered("trec")]
        ['b', 'a']
        """
        if order == "list" or not len(self):
            return self
        column = self.rank if order == "rank" else self.score
        if column is None:
            raise ValueError(f"the run {quoted(self.run_id)} has no column to order it by {order}")
        if order == "trec":
            return self.rows(order_of_trec_eval(self.topic, column, self.document_labels))
        key = column if order == "rank" else -column
        return self.rows(np.lexsort((key, self.topic)))

    def rows(self, rows: Ints) -> Run:
        """Return the run with only these rows, in this order."""
        return replace(
            self,
            topic_labels=self.topic_labels.rows(rows),
            document_labels=self.document_labels.rows(rows),
            path_labels=self.path_labels.rows(rows),
            kind=self.kind[rows],
            start=self.start[rows],
            end=self.end[rows],
            rank=None if self.rank is None else self.rank[rows],
            score=None if self.score is None else self.score[rows],
            line=self.line[rows],
            spans=None if self.spans is None else self.spans.rows(rows).or_none(),
            tokens=None if self.tokens is None else tokens_if_any(self.tokens[rows]),
            added=None if self.added is None else added_if_any(self.added[rows]),
        )


def order_of_trec_eval(topic: Ints, score: Floats | Ints, documents: Categorical[str]) -> Ints:
    """Return the rows in the order of trec_eval, topic by topic.

    >>> documents = Categorical.of(["a", "b", "c"], np.arange(3))
    >>> order_of_trec_eval(np.zeros(3), np.array([0.5, 0.5, 0.7]), documents).tolist()
    [2, 1, 0]
    """
    with np.errstate(over="ignore"):  # a score beyond single precision is infinite there
        single = score.astype(np.float32)
    is_new = np.diff(topic) != 0
    if (np.diff(topic) >= 0).all() and (is_new | (single[1:] <= single[:-1])).all():
        rows = np.arange(len(topic))
    else:
        rows = np.lexsort((-single, topic))
        single, is_new = single[rows], np.diff(topic[rows]) != 0
    begins = np.append(True, is_new | (single[1:] != single[:-1]))  # another topic or score
    if not begins.all():
        tied = np.flatnonzero(~begins | np.append(~begins[1:], False))
        keys = documents.sort_keys(rows[tied])
        order = np.lexsort((*(~key for key in keys[::-1]), np.cumsum(begins)[tied]))
        rows[tied] = rows[tied[order]]
    return rows


def _same(column: Any, other: Any) -> bool:
    """Return whether two columns are equal, either of which may be absent."""
    if column is None or other is None:
        return column is other
    if isinstance(column, SpanLists):
        return column.equals(other)
    if isinstance(column, Categorical):
        return bool(column == other)
    return np.array_equal(column, other)


def _cells(result: Result) -> list[str]:
    if result.paths:
        part = " ".join(result.paths)
    elif result.spans:
        part = " ".join(f"[{start}, {end})" for start, end in result.spans)
    elif result.start is None:
        part = ""
    else:
        part = str(result.start) if result.end is None else f"[{result.start}, {result.end})"
    numbers = ("" if number is None else f"{number:g}" for number in (result.rank, result.score))
    return [result.topic, result.document, part, *numbers]


# Blocks


class ReadOptions(NamedTuple):
    """How a file of a run is read.

    ends: the last column of a text run is an end, not a length. chunks: those that records name by
    their ids. rows: about how many results a block has; None: all of them. is_first: whether the
    beginning of the file is read, where a byte order mark may be.
    """

    ends: bool = False
    chunks: ChunkTable | None = None
    rows: int | None = None
    is_first: bool = True


class RunFacts(NamedTuple):
    """What is known about a run as a whole, or about a part of it.

    run_ids: those in the file, in the order of first appearance. run_id: the last of them. stated:
    warnings of the reader. has_ranks, has_scores: whether every result has one. shape: what all
    lines of a text run have in common. description: what the file says the run is. metadata: the
    same by the schema ir_metadata.
    """

    run_id: str
    run_ids: tuple[str, ...]
    origin: str | None
    stated: tuple[str, ...]
    has_ranks: bool
    has_scores: bool
    shape: tuple[int, ...] = ()
    description: str = ""
    metadata: Mapping[str, Any] | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """All warnings about the run."""
        if len(self.run_ids) < 2:
            return self.stated
        count = len(self.run_ids)
        return (f"{count} run ids in one file: {join_names(self.run_ids, 5)}", *self.stated)

    @classmethod
    def joined(cls, parts: Sequence[RunFacts]) -> RunFacts:
        """Return what is known about a run from its parts, which have ranks and scores alike."""
        first = parts[0]
        run_ids = tuple(dict.fromkeys(run_id for part in parts for run_id in part.run_ids))
        stated = tuple(dict.fromkeys(warning for part in parts for warning in part.stated))
        run_id = run_ids[-1] if run_ids else first.run_id
        return first._replace(run_id=run_id, run_ids=run_ids, stated=stated)


class Block(NamedTuple):
    """Some results of a run, and the ids of runs in the file, if there are any.

    shape: what all lines of a text run have in common: how many fields, and of which kind.
    """

    run: Run
    run_ids: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()

    @property
    def facts(self) -> RunFacts:
        """What the block says about the run.

        >>> Block(Run.from_results([Result("7", "a")]), ("mine", "yours")).facts.warnings
        ('2 run ids in one file: mine, yours',)
        """
        run = self.run
        run_id = self.run_ids[-1] if self.run_ids else run.run_id
        return RunFacts(
            run_id,
            self.run_ids,
            run.origin,
            run.warnings,
            run.rank is not None,
            run.score is not None,
            self.shape,
            run.facts.get("description", ""),
            run.facts.get(METADATA),
        )


def run_of_block(block: Block) -> Run:
    """Return the run whose only block this is.

    >>> run_of_block(Block(Run.from_dict({"7": ["a"]}), ("mine",))).run_id
    'mine'
    """
    facts = block.facts
    return replace(block.run, run_id=facts.run_id, warnings=facts.warnings)


def split_into_blocks(run: Run, rows: int) -> Iterator[Block]:
    """Yield a run that is in memory in blocks of whole topics, of about so many results.

    >>> run = Run.from_dict({"7": ["a", "b"], "8": ["c"], "9": ["d"]})
    >>> [len(block.run) for block in split_into_blocks(run, 2)]
    [2, 2]
    """
    if len(run) <= rows:
        yield Block(run)
        return
    edges = np.append(np.flatnonzero(np.diff(run.topic) != 0) + 1, len(run))
    at = 0
    while at < len(run):
        # As many whole topics as there is room for, but at least one.
        fitting = int(np.searchsorted(edges, at + rows, side="right")) - 1
        following = int(np.searchsorted(edges, at, side="right"))
        end = int(edges[max(fitting, following)])
        yield Block(run.rows(np.arange(at, end)))
        at = end


# Files of assessments or topics that are given as runs. They are recognised only after they could
# not be read as a run, so no run is ever taken for something else.


class LooksLikeAssessments(FormatError):
    """A file of assessments was given as a run."""

    @classmethod
    def instead(cls, error: FormatError, what: str) -> LooksLikeAssessments:
        """Return an error about a run, preceded by what the file looks like."""
        return cls(
            f"this looks like assessments ({what}), not a run: runs come first, and assessments "
            "are given as "
            + Parameter("assessments")
            + "; as a run, it is wrong here: "
            + error.message,
            error.origin,
            error.line,
        )


class LooksLikeTopics(FormatError):
    """A file of topics was given as a run."""

    @classmethod
    def instead(cls, error: FormatError, what: str) -> LooksLikeTopics:
        """Return an error about a run, preceded by what the file looks like."""
        message = f"this looks like topics ({what}), not a run; as a run, it is wrong here: "
        return cls(message + error.message, error.origin, error.line)


def unwritten_costs(run: Run) -> list[str]:
    """Return what a run says about costs, which formats without fields for them cannot hold.

    >>> unwritten_costs(Run.from_arrays(["1"], ["a"], tokens=[7]))
    ['numbers of tokens']
    """
    tokens = [] if run.tokens is None else ["numbers of tokens"]
    return tokens if run.added is None else [*tokens, "text that is in no document"]
