"""What organisers choose from: how documents are judged and shown, by whom, and what is exported.

Nothing is imported here, so that the command line can show its help without the server's parts.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

# How to judge, by the year of INEX.
Mode: TypeAlias = Literal["2006", "2005", "2003"]
MODES: tuple[Mode, ...] = get_args(Mode)
# In which order assessors walk the pool.
Order: TypeAlias = Literal["pool", "prioritised", "random"]
ORDERS: tuple[Order, ...] = get_args(Order)
# What highlights snap to.
Snap: TypeAlias = Literal["characters", "words", "sentences"]
SNAPS: tuple[Snap, ...] = get_args(Snap)
# How an element is shown; nothing to do with the roles of users.
DisplayRole: TypeAlias = Literal[
    "heading", "list", "item", "table", "row", "cell", "inline", "figure", "maths", "block"
]
DISPLAY_ROLES: tuple[DisplayRole, ...] = get_args(DisplayRole)

# What a user may do, and what the user does in a topic.
Role: TypeAlias = Literal["assessor", "adjudicator", "organiser", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
Part: TypeAlias = Literal["assess", "adjudicate"]
PARTS: tuple[Part, ...] = get_args(Part)

ExportFormat: TypeAlias = Literal[
    "jsonl", "annotations", "inex2003", "inex2005", "inex2008", "trec"
]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

PORT = 8765  # of the server
INVITED_FOR, MAX_DAYS = 14, 90  # days that an invitation holds
