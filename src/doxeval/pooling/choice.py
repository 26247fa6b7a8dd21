"""What is pooled of the candidates: a method with its parameters."""

from __future__ import annotations

from typing import NamedTuple

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.errors import MissingInput
from doxeval.messages import Parameter
from doxeval.pooling.adaptive import replayed
from doxeval.pooling.candidates import Candidates
from doxeval.pooling.orders import by_rank, fused, in_turns
from doxeval.pooling.pool import ADAPTIVE, Method


class Choice(NamedTuple):
    """A method, the most documents of a topic, a seed, and the judgments that it follows.

    >>> Choice("mtf", 50, 0, None).check()
    Traceback (most recent call last):
    doxeval.errors.MissingInput: method='mtf' follows judgments as they are made: give \
assessments=, or pool by depth or rrf as long as there are none
    """

    method: Method
    documents: int | None = None
    seed: int = 0
    assessments: Assessments | None = None

    def check(self) -> None:
        """An adaptive method without judgments to follow is an error."""
        if self.method in ADAPTIVE and self.assessments is None:
            raise MissingInput(
                Parameter("method", self.method)
                + " follows judgments as they are made: give "
                + Parameter("assessments")
                + ", or pool by depth or rrf as long as there are none"
            )

    @property
    def followed(self) -> tuple[str, ...]:
        """The files of the judgments that an adaptive method follows."""
        is_followed = self.method in ADAPTIVE and self.assessments is not None
        return self.assessments.origins if is_followed and self.assessments else ()

    def rows(self, candidates: Candidates) -> Ints:
        """The rows of results that are pooled, in the order of pooling, topic by topic."""
        self.check()
        if self.assessments is not None and self.method in ADAPTIVE:
            return replayed(candidates, self.method, self.documents, self.seed, self.assessments)
        if self.method == "rrf":
            return fused(candidates, self.documents)
        if self.documents is None:
            return by_rank(candidates)
        return in_turns(candidates, self.documents)
