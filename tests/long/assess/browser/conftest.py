"""Campaigns on a server, and browsers that open them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from browsing import Browsers, Server, served
from doxeval.pooling import Pool, PooledDocument, PooledElement
from small_campaign import make_campaign, make_collection

Serving = Callable[..., Server]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """Serve a campaign on SQLite: the small documents or others, pooled for both topics."""
    with ExitStack() as stack:

        def serve(
            documents: Mapping[str, str] | None = None,
            pooled: tuple[PooledElement, ...] = (),
            ids: Sequence[str] = (),
            **settings: Any,
        ) -> Server:
            collection = make_collection(tmp_path, None if documents is None else dict(documents))
            ids = ids or list(documents or ("tides", "waves", "salt"))
            pool = Pool({t: tuple(PooledDocument(d, 1.0, pooled) for d in ids) for t in ("7", "8")})
            campaign = make_campaign(tmp_path, None, collection, pool=pool, **settings)
            stack.callback(campaign.close)
            return stack.enter_context(served(campaign))

        yield serve


@pytest.fixture
def browsers(chromium: Any) -> Iterator[Browsers]:
    opened = Browsers(chromium)
    yield opened
    opened.close()
