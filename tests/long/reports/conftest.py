"""A report whose names and texts are hostile, made once, and files about chunks."""

from report_pages import (  # noqa: F401
    chunk_files,
    hostile_collection,
    hostile_contents,
    hostile_judged,
    hostile_page,
    hostile_runs,
)
