"""A target: something that reads input, with good files to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from fuzzing.mutations import mutated
from fuzzing.shrinking import shorter

Reader = Callable[[bytes], object]


class Broken(Exception):
    """A promise that was not kept, although nothing was raised: a finding of its own kind."""


@dataclass(frozen=True)
class Target:
    """What is fed with input.

    name: also the directory of its cases in tests/data/hostile. read: returns, or raises a
    DoxevalError; anything else is a finding. good: files that are read without an error. tokens:
    words of the grammar. made: texts made from a grammar, where there is one. share: how many
    inputs it gets, relative to the others. starts: files that inputs are made from too, although
    they are refused.
    """

    name: str
    read: Reader
    good: tuple[bytes, ...]
    tokens: tuple[bytes, ...] = ()
    made: Callable[[Random], bytes] | None = None
    share: float = 1.0
    suffix: str = ".bin"
    starts: tuple[bytes, ...] = ()

    def input(self, chance: Random, pool: Sequence[bytes]) -> bytes:
        """The next input: a text of the grammar, or something of the pool with changes."""
        if self.made is not None and chance.random() < 0.4:
            data = self.made(chance)
            return data if chance.random() < 0.5 else mutated(data, pool, self.tokens, chance)
        return mutated(chance.choice(pool), pool, self.tokens, chance)

    def smaller(self, data: bytes) -> Iterator[bytes]:
        """Simpler inputs that may show the same finding."""
        return shorter(data)
