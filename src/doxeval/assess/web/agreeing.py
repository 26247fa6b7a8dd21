"""Agreement of assessors and scores on honeypots, as tables for pages."""

from __future__ import annotations

from collections.abc import Collection as Sized
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from doxeval.assess.store import Campaign

Table = list[list[str]]


def agreement_rows(campaign: Campaign, topics: Sized[str] | None = None) -> Table:
    """A head and rows: how far assessors agree; empty if nobody shares any document."""
    return []


def honeypot_rows(campaign: Campaign) -> Table:
    """A head and rows: how assessors judged documents whose highlights are known."""
    return []
