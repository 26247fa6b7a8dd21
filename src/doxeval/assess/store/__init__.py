"""Campaigns on disk: the database of topics, pools, people, judgments and the log of operations."""

from doxeval.assess.store.assignments import Assignment, Part
from doxeval.assess.store.campaign import Campaign
from doxeval.assess.store.failures import CampaignError, CannotSave, Damaged, Throttled
from doxeval.assess.store.imports import Imported
from doxeval.assess.store.judgments import Stored
from doxeval.assess.store.pools import PoolUpdate
from doxeval.assess.store.progress import Progress
from doxeval.assess.store.queue import ADJUDICATED, QueueEntry
from doxeval.assess.store.rebase import Lost, RebaseReport
from doxeval.assess.store.settings import Settings
from doxeval.assess.store.submitting import Failure, Submitted
from doxeval.assess.store.topics import CampaignTopic
from doxeval.assess.store.users import ROLES, User

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
