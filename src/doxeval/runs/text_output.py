"""Runs written as text, in the format that `text` describes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.messages import quoted
from doxeval.runs.run import Kind, Run


def write_text_run(run: Run) -> Iterator[bytes]:
    """The run as text; `text_losses` says beforehand what the format cannot hold.

    >>> list(write_text_run(Run.from_arrays([7], ["a"], start=[5], end=[9], run_id="mine")))
    [b'7 Q0 a 1 1.0 mine 5 4\\n']
    """
    ranks: dict[str, int] = {}
    for result in run.results():
        ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
        fields: list[object] = [
            result.topic,
            "Q0",
            result.document,
            rank if result.rank is None else result.rank,
            1.0 / rank if result.score is None else result.score,
            run.run_id,
        ]
        if result.paths:
            fields += result.paths
        elif result.kind == Kind.POINT:
            fields.append(result.start)
        elif result.kind == Kind.PASSAGE and result.start is not None and result.end is not None:
            fields += [result.start, result.end - result.start]
        yield " ".join(map(str, fields)).encode() + b"\n"


def text_losses(run: Run) -> list[str]:
    """Why a run cannot be written as text, or what would be lost.

    >>> text_losses(Run.from_dict({"1": ["a b"]}))
    ["documents whose ids hold white space, like 'a b'"]
    """
    problems = []
    kinds = {Kind(kind).name.lower() for kind in np.unique(run.kind).tolist()}
    has_paths = run.path >= 0
    by_points = set(has_paths[run.kind == Kind.PASSAGE].tolist())
    if len(kinds) > 1 or len(by_points) > 1:
        problems.append(f"results of several kinds ({', '.join(sorted(kinds))})")
    if "tree" in kinds:
        problems.append("trees")
    if "spans" in kinds:
        problems.append("results with several ranges")
    if run.tokens is not None:
        problems.append("numbers of tokens")
    if has_paths[run.kind == Kind.POINT].any():
        problems.append("entry points that are text points")
    for what, names in (
        ("topics whose ids hold", run.topics),
        ("documents whose ids hold", run.documents),
        ("paths that hold", [path for paths in run.paths for path in paths]),
        ("a run id that holds", [run.run_id]),
    ):
        spaced = next((name for name in names if len(name.split()) != 1), None)
        if spaced is not None:
            problems.append(
                f"{what} white space, like {quoted(spaced)}" if spaced else f"{what} nothing"
            )
    return problems
