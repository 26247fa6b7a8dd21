"""Requests to the application, in one event loop per file."""

from assess_client import one_event_loop  # noqa: F401
