"""Campaigns on disk: the database of topics, pools, people, judgments and the log of operations."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ADJUDICATED",
    "ROLES",
    "Assignment",
    "AssignmentProgress",
    "BalanceOptions",
    "Balanced",
    "Campaign",
    "CampaignError",
    "CampaignTopic",
    "CannotSave",
    "Damaged",
    "Failure",
    "Imported",
    "Invitation",
    "NewPerson",
    "NoInvitation",
    "NotInQueue",
    "NotReanchored",
    "Part",
    "PoolUpdate",
    "QueueEntry",
    "RebaseReport",
    "Session",
    "Settings",
    "Stored",
    "Submitted",
    "Throttled",
    "Unknown",
    "User",
]

__getattr__, __dir__ = door(__name__, __file__)
