"""Agreement of assessors and scores on honeypots, as tables for pages."""

from __future__ import annotations

from collections.abc import Collection as Sized
from typing import TYPE_CHECKING

from doxeval.assess.agreement import agreement, honeypots, number
from doxeval.assess.web.templates import decimals

if TYPE_CHECKING:
    from doxeval.assess.db import Campaign

Table = list[list[str]]


def agreement_rows(campaign: Campaign, topics: Sized[str] | None = None) -> Table:
    """A head and rows: how far assessors agree on some topics, or on all.

    It is empty if no two of them validated the same document. Assessors may only see it for topics
    that are closed, since it would sway their judgments.
    """
    if topics is not None and not topics:
        return []
    judged = [one for one in campaign.judgments() if topics is None or one.topic in topics]
    table = agreement(judged, campaign.mode).table()
    return table if len(table) > 1 else []


def honeypot_rows(campaign: Campaign) -> Table:
    """A head and rows, for organisers: how assessors judged documents with known highlights."""
    gold = campaign.gold()
    if not gold:
        return []
    names = {user.pseudonym: user.name for user in campaign.users()}
    head = ["assessor", "pseudonym", "honeypots judged", "rightly relevant or not"]
    rows = [
        [
            names.get(score.assessor, "–"),
            score.assessor,
            f"{score.judged:,}",
            f"{score.right:,}",
            *(decimals(number(each.micro)) for each in (score.precision, score.recall, score.f1)),
        ]
        for score in honeypots(campaign.judgments(), gold, campaign.mode)
    ]
    return [[*head, "precision", "recall", "F1"], *rows]
