"""Options of verbs that check scores: thresholds, drops since an earlier evaluation, JUnit XML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.exit_codes import PROBLEMS
from doxeval.cli.output import note, warn
from doxeval.messages import plural
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.comparison import Check, Drop, EarlierScores, State
    from doxeval.scores import ScoreTable

_MOST_TOPICS = 10
_COLOURS = {"failed": "red", "skipped": "yellow"}


@dataclass(frozen=True)
class ThresholdOptions:
    """Which checks of scores a user requests."""

    fail_under: tuple[str, ...] = option(
        (),
        "Exit with 1 if the mean of any run is worse than this; may be repeated.",
        metavar="MEASURE=VALUE",
    )
    baseline: str | None = option(
        None,
        "JSON scores of an earlier evaluation; exit with 1 if a mean has dropped since.",
        metavar="FILE",
    )
    max_drop: str | None = option(
        None, "With --baseline: a mean may drop by this, such as .02 or 2%.", metavar="VALUE"
    )
    significant: bool = option(
        False,
        "With --baseline: only drops count that a paired test over topics confirms (Fisher's "
        "randomization, α = .05).",
    )
    junit: Path | None = option(None, "Write these checks as JUnit XML.", metavar="FILE")
    junit_per_topic: bool = option(
        False, "With --junit: a test case for each topic, too, which fails if it has fallen."
    )

    def requested(self, out: Path | None) -> Thresholds:
        """Return the checks; a mistake is reported before runs are scored.

        out: the file that the scores are written to.
        """
        for is_given, flag in (
            (self.max_drop is not None, "--max-drop"),
            (self.significant, "--significant"),
        ):
            if is_given and self.baseline is None:
                raise click.UsageError(f"{flag} goes with --baseline, the scores to compare with")
        if self.baseline is not None and self.max_drop is None and not self.significant:
            raise click.UsageError(
                "--baseline needs --max-drop (such as .02) or --significant, which say what fails"
            )
        if self.junit is not None and not self.fail_under and self.baseline is None:
            raise click.UsageError("--junit goes with --fail-under or --baseline: it writes checks")
        if self.junit_per_topic and self.junit is None:
            raise click.UsageError("--junit-per-topic goes with --junit")
        self._keep_baseline("--out", out)
        self._keep_baseline("--junit", self.junit)
        limits = _limits(self.fail_under)
        earlier = max_drop = None
        if self.baseline is not None:
            from doxeval.comparison import Drop, read_earlier

            earlier = read_earlier(self.baseline)
            max_drop = Drop.parsed(self.max_drop or "0")
        written = self.junit, self.junit_per_topic
        return Thresholds(limits, earlier, max_drop, self.significant, *written)

    def _keep_baseline(self, flag: str, out: Path | None) -> None:
        """Refuse to write over the baseline: a drop would pass the next time."""
        from doxeval.files import is_same_file

        if out is not None and self.baseline is not None and is_same_file(out, self.baseline):
            raise click.UsageError(
                f"{flag} {out} would replace the baseline even if the scores have dropped; write "
                "to another file, and copy it when all is well"
            )


@dataclass(frozen=True)
class Thresholds:
    """The checks that a user requested, perhaps none; the earlier scores have been read."""

    limits: Mapping[str, float]
    baseline: EarlierScores | None
    max_drop: Drop | None
    significant: bool
    junit: Path | None
    junit_per_topic: bool

    def measures(self, names: Sequence[str], presets: Sequence[str] = ()) -> list[str]:
        """Return the named measures, and those with limits that neither they nor presets have."""
        if not self.limits:
            return list(names)
        from doxeval.measures import not_among, preset_named

        known = [*names, *(name for preset in presets for name in preset_named(preset).measures)]
        return [*names, *not_among(known, self.limits)]

    @contextmanager
    def around(self, table: ScoreTable) -> Iterator[None]:
        """Check the scores around what writes them.

        Before anything is written, a baseline of no use is an error. The scores and the checks
        appear together. Then the results of the checks are printed; if any failed, the command
        ends with 1.
        """
        from doxeval.files import open_output, outputs_together

        if not self.limits and self.baseline is None:
            with outputs_together():
                yield
            return
        from doxeval.comparison import check_scores, junit_xml

        gates = check_scores(
            table,
            self.limits,
            baseline=self.baseline,
            max_drop=self.max_drop or 0.0,
            significant=self.significant,
        )
        with outputs_together():
            yield
            if self.junit is not None:
                with open_output(self.junit) as file:
                    file.write(junit_xml(gates, self.junit_per_topic))
        warn(gates.warnings)
        _print_checks(gates.checks)
        if not gates.passed:
            click.get_current_context().exit(PROBLEMS)


def _limits(given: Sequence[str]) -> dict[str, float]:
    """Return the limits by measure; two for the same measure are an error."""
    if not given:
        return {}
    from doxeval.measures import measure_named

    limits: dict[str, float] = {}
    measures: set[str] = set()
    for text in given:
        name, equals, value = text.rpartition("=")
        name = name.strip()
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if not equals or not name or not math.isfinite(limit):
            raise click.UsageError(
                f"--fail-under {text}: expected MEASURE=VALUE, such as bR@1000=.85"
            )
        measure = str(measure_named(name))
        if measure in measures:
            raise click.UsageError(f"--fail-under has two limits for {name}")
        measures.add(measure)
        limits[name] = limit
    return limits


def _print_checks(checks: Sequence[Check]) -> None:
    """Print the result of every check on stderr, failures last."""
    order: dict[State, int] = {"passed": 0, "skipped": 1, "failed": 2}
    several = len({check.run for check in checks}) > 1
    for check in sorted(checks, key=lambda check: order[check.state]):
        run = f"{check.run}: " if several else ""
        first, *topics = check.lines(_MOST_TOPICS)
        note(f"{check.state}: {run}{first}", _COLOURS.get(check.state))
        for topic in topics:
            note(topic)
    failed = sum(check.state == "failed" for check in checks)
    note(f"{failed} of {plural(len(checks), 'check')} failed", "red" if failed else None)
