"""A run: what one system returned, for each topic a ranked list of parts of documents.

A run is columns, one row per result, in the order of the file: list order is the ranking.
Topics, documents and paths are numbers into lists of distinct names, so a run of hundreds of
thousands of results stays small and everything about it is array arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.columns import NO_LABEL, Labels
from doxeval.errors import InputError, warn
from doxeval.messages import join_names, quoted
from doxeval.named import checked
from doxeval.runs.result import Kind, Result
from doxeval.runs.result_columns import ResultColumns, columns_of_results, if_any, results_of
from doxeval.runs.span_lists import Ranges, SpanLists
from doxeval.spans import MOST_GROUPS

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

__all__ = ["Floats", "Kind", "Order", "Result", "Run"]

Order = Literal["list", "rank", "rsv"]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run as columns.

    start and end are -1 where a result is not given in characters. rank and score are None if
    not every result has one. line is where each result stood in its file, from 1. spans has the
    ranges of results with several of them, whose start and end are those of the first; None if
    there are no such results. tokens is what each result costs to read, -1 where nobody says so;
    None if nobody ever does.

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
    topic_labels: Labels[str]
    document_labels: Labels[str]
    path_labels: Labels[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints
    spans: SpanLists | None = None
    tokens: Ints | None = None
    # What the file says about the run as a whole: participant, task, …
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    origin: str | None = None

    def __post_init__(self) -> None:
        if len(self.kind) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS:,} results in one run")
        columns = (self.kind, self.start, self.end, self.rank, self.score, self.line, self.tokens)
        for column in (*columns, *(self.spans or ())):
            if column is not None:
                column.setflags(write=False)

    # Ways in

    @classmethod
    @checked
    def from_results(cls, results: Iterable[Result], run_id: str = "run") -> Run:
        """A run of results given one by one, in the order of the ranking.

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
        run_id: str = "run",
    ) -> Run:
        """A run from sequences of equal length, in the order of the ranking.

        Lists, arrays of NumPy and columns of data frames will do. Topics and documents are
        strings or whole numbers. What results are follows from what is given: start and end make
        passages, path elements, offset entry points, spans (lists of pairs, or a `SpanLists`)
        results with several ranges, none of them whole documents. To mix these, give -1 or None
        as a number and None or "" as a path where a result does not have it. tokens is what each
        result costs to read, where that is not just the length of its text.
        Document ids are compared without a leading `./` and a final `.xml`, as in files.
        Instead of documents, chunk has ids of chunks, which the table `chunks` knows.

        >>> Run.from_arrays([7, 7, 8], ["a", "b", "a"], start=[0, 5, 3], end=[9, 9, 4])
        Run('run': 3 results for 2 topics, passages)
        >>> mixed = Run.from_arrays([7, 7], ["a", "b"], path=["/sec[1]", None], score=[.9, .5])
        >>> [result.kind.name for result in mixed]
        ['ELEMENT', 'DOCUMENT']
        >>> Run.from_arrays([7], ["a"], spans=[[(0, 5), (9, 12)]], tokens=[3])
        Run('run': 1 result for 1 topic, results with several ranges)
        >>> from doxeval.runs.chunk_table import ChunkTable
        >>> table = ChunkTable.of(["c1", "c2"], ["a", "a"], [[(0, 5)], [(5, 9)]])
        >>> [result.start for result in Run.from_arrays([7], chunk=["c2"], chunks=table)]
        [5]
        >>> Run.from_arrays([7], ["a"], start=[9], end=[5])
        Traceback (most recent call last):
        doxeval.errors.InputError: row 0: the passage ends at 5 before it starts at 9
        """
        from doxeval.runs.arrays import columns_of_arrays

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
        """A run from a dict of topics.

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
        from doxeval.runs.dicts import columns_of_dict

        columns, warnings = columns_of_dict(results)
        warn(warnings)
        return cls(run_id, *columns, warnings=warnings)

    @classmethod
    @checked
    def from_frame(
        cls, frame: Any, run_id: str | None = None, *, chunks: ChunkTable | None = None
    ) -> Run:
        """A run from a data frame of pandas or polars, one row per result, in ranking order.

        The columns are the fields of JSONL and CSV: topic, doc, path, start, end, offset, nodes
        (lists of paths, or paths joined by spaces), spans (lists of pairs, or text such as
        "0-5 9-12"), start_point, end_point, point, rank, score, tokens, run. `topic_id`, `qid`,
        `query_id` and `q_id` also stand for topic; `docno`, `doc_id`, `docid` and `document` for
        doc; `sim` and `rsv` for score; the column `run_id` for run. Any other column is ignored,
        with a warning. The parameter `run_id` takes precedence over the column. A column chunk (or
        `chunk_id`) has ids of chunks, which the table `chunks` knows.

        >>> import pandas
        >>> Run.from_frame(pandas.DataFrame({"qid": [7, 7], "docno": ["a", "b"]}), "mine")
        Run('mine': 2 results for 1 topic, documents)
        """
        from doxeval.runs.frames import columns_of_frame

        columns, run_ids, warnings = columns_of_frame(frame, chunks)
        if len(run_ids) > 1 and run_id is None:
            several = f"{len(run_ids)} run ids in one data frame: {join_names(run_ids, 5)}"
            warnings = (several, *warnings)
        found = run_ids[-1] if run_ids else "run"
        warn(warnings)
        return cls(run_id or found, *columns, warnings=warnings)

    # Ways out

    def to_dict(self) -> dict[str, dict[str, float]]:
        """A run of whole documents as {topic: {document: score}}, for pytrec_eval and ranx.

        Documents are in the order of the ranking. Without scores a document gets 1 / rank.

        >>> Run.from_dict({"7": {"a": 0.2, "b": 0.9}}).to_dict()
        {'7': {'b': 0.9, 'a': 0.2}}
        """
        from doxeval.runs.dicts import dict_of_columns

        return dict_of_columns(self.columns)

    def to_pandas(self) -> Any:
        """One row per result, as a data frame of pandas (which must be installed).

        Its columns are those fields of JSONL and CSV that the run has.

        >>> list(Run.from_dict({"7": ["a", "b"]}).to_pandas())
        ['topic', 'doc', 'rank', 'run']
        """
        from doxeval.runs.frames import pandas_frame

        return pandas_frame(self.by_field())

    def to_polars(self) -> Any:
        """One row per result, as a data frame of polars (which must be installed).

        >>> Run.from_dict({"7": ["a", "b"]}).to_polars().columns
        ['topic', 'doc', 'rank', 'run']
        """
        from doxeval.runs.frames import polars_frame

        return polars_frame(self.by_field())

    def by_field(self) -> dict[str, list[Any]]:
        """The fields of JSONL and CSV that the run has, each with a value for every result.

        >>> Run.from_dict({"7": ["a", "b"]}, "mine").by_field()
        {'topic': ['7', '7'], 'doc': ['a', 'b'], 'rank': [1, 2], 'run': ['mine', 'mine']}
        """
        from doxeval.runs.by_field import by_field

        return by_field(self.columns, self.run_id)

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
        """The results one by one."""
        return results_of(self.columns)

    def result(self, row: int) -> Result:
        """One result, spelt out."""
        start, end, path = int(self.start[row]), int(self.end[row]), int(self.path[row])
        if self.kind[row] == Kind.SPANS:  # whose ranges are told as a list
            start = end = -1
        return Result(
            self.topics[int(self.topic[row])],
            self.documents[int(self.document[row])],
            Kind(int(self.kind[row])),
            None if start < 0 else start,
            None if end < 0 else end,
            () if path == NO_LABEL else self.paths[path],
            None if self.rank is None else int(self.rank[row]),
            None if self.score is None else float(self.score[row]),
            *self._spans_and_tokens(row),
        )

    def _spans_and_tokens(self, row: int) -> tuple[Ranges, int | None]:
        tokens = -1 if self.tokens is None else int(self.tokens[row])
        spans = () if self.spans is None else self.spans.rows(np.array([row])).as_tuples()[0]
        return spans, None if tokens < 0 else tokens

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
        from doxeval.runs.shown import shown

        return shown(self.run_id, self.columns)

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        from doxeval.runs.shown import shown_in_notebook

        return shown_in_notebook(self.run_id, self.columns)

    # Other runs made of it

    def with_id(self, run_id: str) -> Run:
        """The run under another id.

        >>> Run.from_dict({"7": ["a"]}).with_id("mine").run_id
        'mine'
        """
        return replace(self, run_id=run_id)

    def ordered(self, order: Order) -> Run:
        """The run with each topic's results sorted by rank or by falling score, ties as they are.

        >>> run = Run.from_results([Result("1", "a", score=0.1), Result("1", "b", score=0.9)])
        >>> [result.document for result in run.ordered("rsv")]
        ['b', 'a']
        """
        if order == "list" or not len(self):
            return self
        column = self.rank if order == "rank" else self.score
        if column is None:
            raise ValueError(f"the run {quoted(self.run_id)} has no column to order it by {order}")
        key = column if order == "rank" else -column
        return self.rows(np.lexsort((key, self.topic)))

    def rows(self, rows: Ints) -> Run:
        """The run with only these rows, in this order."""
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
            spans=None if self.spans is None else _if_any(self.spans.rows(rows)),
            tokens=None if self.tokens is None else if_any(self.tokens[rows]),
        )


def _if_any(spans: SpanLists) -> SpanLists | None:
    return spans if len(spans.start) else None


def _same(one: Any, other: Any) -> bool:
    """Whether two columns are equal, either of which may be absent."""
    if one is None or other is None:
        return one is other
    if isinstance(one, SpanLists):
        return one.equals(other)
    return bool(one == other) if isinstance(one, Labels) else np.array_equal(one, other)
