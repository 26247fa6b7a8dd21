"""Campaigns on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from campaign_fixtures import (  # noqa: F401
    campaign,
    database,
    databases,
    model_on_postgresql,
    model_on_sqlite,
    new_campaign,
    postgresql,
    quick_passwords,
    real_passwords,
    small_collection,
    sqlite_without_waiting,
)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)
