"""Search: an index of word positions, and baseline runs for every task.

`index_build` writes an index and `index` reads it, with the words and stems of `text`. A query goes
through `query` (terms and items), `matches` (where they occur), `units` (what can be returned),
`models` (scores) and `ranking` (lists by task); `nexi` and `ancestors` do the same for structured
queries. `options` say how, `searching` answers queries and makes runs of topics, and `explanations`
are for people.
"""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
