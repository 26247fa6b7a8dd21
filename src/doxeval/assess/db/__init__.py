"""Campaigns on disk: the database of topics, pools, people, judgments and the log of operations."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ADJUDICATED",
    "ROLES",
    "Assignment",
    "Campaign",
    "CampaignError",
    "CampaignTopic",
    "CannotSave",
    "Damaged",
    "Failure",
    "Imported",
    "Lost",
    "Part",
    "PoolUpdate",
    "Progress",
    "QueueEntry",
    "RebaseReport",
    "Settings",
    "Stored",
    "Submitted",
    "Throttled",
    "User",
]

__getattr__, __dir__ = door(__name__, __file__)
