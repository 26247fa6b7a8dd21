"""What the rules of judging see of a document: its text and its elements, as columns.

Rows are elements in document order, the root is row 0. Nothing is kept per element but numbers;
paths are put together when somebody asks for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents import STEP, Collection, is_white_space
from doxeval.errors import CollectionError
from doxeval.storage import report_damage

NO_ROW = -1
N = TypeVar("N", int, Ints)


@dataclass(frozen=True, eq=False, repr=False)
class Article:
    """A document: its id and text, and the columns of its elements.

    start, end: the range of each element in code points. parent: the row around it, -1 for the
    root. size: rows of its subtree, itself included. tag: its number among `tags`. ordinal: its
    number among siblings of the same tag.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Low tide.</p><p>High tide.</p></s>"})
    >>> article = Article.of(collection, "a")
    >>> article
    <Article a, 19 characters, 3 elements>
    >>> article.path_of(2), article.row_of("/s[1]/p[2]"), article.row_of("/s[1]/p[3]")
    ('/s[1]/p[2]', 2, -1)
    >>> article.text[article.start[2] : article.end[2]]
    'High tide.'
    """

    document: str
    text: str
    start: Ints
    end: Ints
    parent: Ints
    size: Ints
    tag: Ints
    ordinal: Ints
    tags: tuple[str, ...]
    _rows: dict[str, int] = field(default_factory=dict, init=False)
    _paths: dict[int, str] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, collection: Collection, document_id: str) -> Article:
        """Return a document of a collection; an unknown id is an error."""
        number = collection.document(document_id)
        with report_damage(collection):
            rows = slice(int(collection.rows[number]), int(collection.rows[number + 1]))
            nodes, summary = collection.nodes, collection.summary
            used, tag = np.unique(summary.tag_of[nodes.path[rows]], return_inverse=True)
            return cls(
                collection.id_of(number),
                collection.text_of(number),
                start=nodes.start[rows].astype(np.int64),
                end=nodes.end[rows].astype(np.int64),
                parent=nodes.parent[rows].astype(np.int64),
                size=nodes.size[rows].astype(np.int64),
                tag=tag,
                ordinal=nodes.ordinal[rows].astype(np.int64),
                tags=tuple(summary.tags[number] for number in used.tolist()),
            )

    def __post_init__(self) -> None:
        if not (self.parent < np.arange(len(self.parent))).all():
            raise CollectionError(f"{self.document}: a parent comes after its child")
        for column in (self.start, self.end, self.parent, self.size, self.tag, self.ordinal):
            column.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"<Article {self.document}, {len(self.text):,} characters, {len(self):,} "
            f"element{'' if len(self) == 1 else 's'}>"
        )

    def __len__(self) -> int:
        """Return the number of its elements."""
        return len(self.start)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of its text in UTF-8, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def nothing_but_children(self) -> Bools:
        """Whether each element has children, and no text other than white space outside them."""
        before = np.append(0, np.cumsum(~is_white_space(self.text)))
        visible = before[self.end] - before[self.start]
        in_children = np.bincount(self.parent[1:], visible[1:], len(self))
        is_so: Bools = (visible == in_children) & (self.size > 1)
        return is_so

    @cached_property
    def deepest(self) -> int:
        """The depth of its deepest element; the root is at depth 1."""
        rows = np.arange(len(self))
        ended = np.cumsum(np.bincount(rows + self.size, minlength=len(self) + 1))
        return int((rows + 1 - ended[:-1]).max(initial=0))

    def is_white(self, start: int, end: int) -> bool:
        """Tell whether a range of its text has no characters but white space (or none at all)."""
        return start >= end or self.text[start:end].isspace()

    # Paths

    def path_of(self, row: int) -> str:
        """Return the path of an element, every step numbered."""
        missing = []
        while row >= 0 and row not in self._paths:
            missing.append(row)
            row = int(self.parent[row])
        path = self._paths[row] if row >= 0 else ""
        for below in reversed(missing):
            path += f"/{self.tags[self.tag[below]]}[{self.ordinal[below]}]"
            self._paths[below] = path
        return path

    def paths_of(self, rows: Ints) -> list[str]:
        """Return the paths of many elements."""
        return [self._paths.get(row) or self.path_of(row) for row in rows.tolist()]

    def row_of(self, path: str) -> int:
        """Return the row of the element at a path, or -1; a step without number is [1]."""
        # A path of a hundred thousand steps would take long to walk, and leads nowhere.
        if not path.startswith("/") or path.count("/") > self.deepest:
            return NO_ROW
        missing: list[tuple[str, str]] = []
        above = path
        while above and above not in self._rows:
            here, (above, _, step) = above, above.rpartition("/")
            missing.append((here, step))
        row = self._rows[above] if above else NO_ROW
        for here, step in reversed(missing):
            row, is_numbered = self._child(row, step)
            if row == NO_ROW:
                return NO_ROW
            # Rows are remembered, as those of a judgment are asked for again and again; but only
            # under the one path that numbers every step, so there are no more than elements.
            if is_numbered and (not above or above in self._rows):
                self._rows[here] = row
            above = here
        return row

    def rows_of(self, paths: Sequence[str]) -> Ints:
        """Return the rows of many elements.

        >>> from doxeval.documents.examples import example_collection
        >>> article = Article.of(example_collection({"a": "<s><p>Low</p></s>"}), "a")
        >>> article.rows_of(["/s[1]/p[1]", "/t[1]", "/s[1]"]).tolist()
        [1, -1, 0]
        """
        known = map(self._rows.get, paths)
        rows = [
            self.row_of(path) if row is None else row
            for path, row in zip(paths, known, strict=True)
        ]
        return np.array(rows, dtype=np.int64)

    def _child(self, parent: int, step: str) -> tuple[int, bool]:
        """Return the row of the child at a step, or -1; and whether the step is numbered."""
        match = STEP.fullmatch(step)
        tag = self._tag_numbers.get(match[1]) if match else None
        if match is None or tag is None:
            return NO_ROW, False
        ordinal = int(match[2] or 1)
        if not 1 <= ordinal <= len(self):
            return NO_ROW, False
        keys, rows = self._children
        key = self._key(parent, tag, ordinal)
        at = int(np.searchsorted(keys, key))
        if at == len(keys) or int(keys[at]) != key:
            return NO_ROW, False
        return int(rows[at]), match[2] == str(ordinal)

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def _children(self) -> tuple[Ints, Ints]:
        """Return the key of every element (its parent, tag and ordinal), ascending, and its row."""
        keys = self._key(self.parent, self.tag, self.ordinal)
        order = np.argsort(keys)
        return keys[order], order

    def _key(self, parent: N, tag: N, ordinal: N) -> N:
        """Return a parent, a tag and an ordinal as one number."""
        return ((parent + 1) * len(self.tags) + tag) * (len(self) + 1) + ordinal
