"""All targets."""

from __future__ import annotations

from fuzzing import command_targets, document_targets, exchange_targets, query_targets
from fuzzing.target import Target

TARGETS: dict[str, Target] = {
    target.name: target
    for targets in (
        document_targets.TARGETS,
        exchange_targets.TARGETS,
        query_targets.TARGETS,
        command_targets.TARGETS,
    )
    for target in targets
}
