"""Gates: do scores reach the limits that were set, and have they dropped since last time?

A limit is a mean that no run may be worse than. A drop is a loss against the baseline, the scores
of an earlier evaluation: of the mean over the topics that both have, matched by their ids. Of a
measure where lower is better, a mean above the limit fails, and a rise is a drop.

With `significant`, a drop fails only if Fisher's randomization test over the topics confirms it.
Each measure is tested by itself: the more measures, the likelier is a false alarm.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats
from doxeval.comparison.pairwise import probability
from doxeval.comparison.significance import RESAMPLES, differences, generator, randomization
from doxeval.errors import FormatError, InputError
from doxeval.files import decode_json, open_input, read_up_to
from doxeval.markup import escape_text, quote_attribute
from doxeval.messages import Parameter, escape, join_names, plural, quoted, truncate, utf8
from doxeval.scores import MeasureFacts, ScoreTable

ALPHA = 0.05
# Fewer topics than this cannot give a p below ALPHA, whatever their scores are.
_FEWEST_TOPICS = 6
# Scores are compared to twelve digits, so that a mean of .85 is not below .85.
_DIGITS = 12
State = Literal["passed", "failed", "skipped"]


def check_scores(
    table: ScoreTable,
    fail_under: Mapping[str, float] | None = None,
    *,
    baseline: EarlierScores | None = None,
    max_drop: float | str | Drop = 0.0,
    significant: bool = False,
) -> Gates:
    """Check the runs of a table against limits, and against an earlier evaluation.

    A check names the topics that are worse than the limit, or have fallen, with their `tags`.

    >>> from doxeval.scores import RunScores
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> table = ScoreTable((facts,), ("7", "8"), runs)
    >>> check_scores(table, {"P": 0.4}).failures[0].message
    'P is 0.3750, 0.0250 below the limit of 0.4'
    >>> check_scores(table, baseline=EarlierScores.of(table)).passed
    True
    """
    checks = list(_limit_checks(table, fail_under or {}))
    if baseline is None:
        return Gates(tuple(checks))
    drop = max_drop if isinstance(max_drop, Drop) else Drop.parsed(str(max_drop))
    measures, warnings = _shared_measures(table, baseline)
    runs, more_warnings = _shared_runs(table, baseline)
    warnings += more_warnings
    for run, earlier in runs.items():
        prefix = f"{truncate(run)}: " if len(table.runs) > 1 else ""
        warnings += [
            f"{prefix}{warning}" for warning in _topic_warnings(table, run, earlier, baseline)
        ]
        if significant and earlier.topics is None:
            raise InputError(
                Parameter("significant", True)
                + " needs the scores of topics, which this file lacks; write it with "
                + Parameter("per_topic", True),
                baseline.file,
            )
        for number, label in measures.items():
            pair = _before_and_now(table, run, number, earlier, label)
            check = _drop_check(table.measures[number], run, pair, drop, significant)
            if pair.by_topic:
                pairs = zip(table.topic_ids, pair.before.tolist(), pair.now.tolist(), strict=True)
                topics = _topics(pairs, table.measures[number], table.tags)
                check = check._replace(topics=topics)
            checks.append(check)
    return Gates(tuple(checks), tuple(warnings))


@dataclass(frozen=True)
class Gates:
    """The checks of a table of scores, and warnings.

    >>> Gates((Check("mine", "AP", "limit", "failed", "AP is .4, below .5"),)).failures[0].run
    'mine'
    """

    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == "failed")

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures


class TopicCheck(NamedTuple):
    """A topic's score, held against a limit or against its score in the baseline (`before`).

    loss: how much worse it is. None stands for a score that is not defined.

    >>> print(TopicCheck("7", 1.0, 0.25, 0.75, ("law",)))
    7 (law): from 1.0000 to 0.2500
    """

    topic: str
    before: float | None
    now: float | None
    loss: float
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The topic with its tags."""
        tags = f" ({', '.join(map(escape, self.tags))})" if self.tags else ""
        return truncate(self.topic) + tags

    def __str__(self) -> str:
        now = "no score" if self.now is None else f"{self.now:.4f}"
        return f"{self.name}: " + (
            now if self.before is None else f"from {self.before:.4f} to {now}"
        )


class Check(NamedTuple):
    """One check of one run by one measure, and its result in words.

    topics: its topics, those that are worst off first; none if only means are known.

    >>> Check("mine", "AP", "limit", "failed", "AP is .4, below .5").state
    'failed'
    """

    run: str
    measure: str
    kind: Literal["limit", "drop"]
    state: State
    message: str
    topics: tuple[TopicCheck, ...] = ()

    @property
    def fallen(self) -> tuple[TopicCheck, ...]:
        """The topics because of which the check failed, worst first; none if it did not."""
        if self.state != "failed":
            return ()
        return tuple(topic for topic in self.topics if topic.loss > 0)

    def lines(self, at_most: int) -> list[str]:
        """Return the result in words, and the topics that are to blame, of many the worst.

        >>> topics = (TopicCheck("7", None, 0.1, 0.4), TopicCheck("8", None, 0.2, 0.3))
        >>> Check("mine", "AP", "limit", "failed", "AP is .4, below .5", topics).lines(1)
        ['AP is .4, below .5', '  7: 0.1000', '  and 1 more']
        """
        fallen = self.fallen
        lines = [self.message, *(f"  {topic}" for topic in fallen[:at_most])]
        return lines + ([f"  and {len(fallen) - at_most:,} more"] if len(fallen) > at_most else [])


class Drop(NamedTuple):
    """How much a mean may drop: an amount, or a share of the earlier mean.

    >>> Drop.parsed(".02"), Drop.parsed("2%")
    (Drop(amount=0.02, is_share=False), Drop(amount=0.02, is_share=True))
    """

    amount: float = 0.0
    is_share: bool = False

    @classmethod
    def parsed(cls, text: str) -> Drop:
        """Return the drop that a text such as `.02` or `2%` means; it cannot be negative."""
        is_share = text.endswith("%")
        try:
            amount = float(text.removesuffix("%"))
        except ValueError:
            amount = -1.0
        if not 0 <= amount < float("inf"):
            raise InputError(
                Parameter("max_drop", text) + ": expected an amount such as .02, or a share as 2%"
            )
        return cls(amount / 100 if is_share else amount, is_share)

    def allowed(self, earlier: float) -> float:
        """Return how much may be lost from an earlier mean."""
        return self.amount * abs(earlier) if self.is_share else self.amount

    def __str__(self) -> str:
        return f"{100 * self.amount:g}%" if self.is_share else f"{self.amount:g}"


# Limits


def _limit_checks(table: ScoreTable, limits: Mapping[str, float]) -> Iterator[Check]:
    for name, limit in limits.items():
        number = table.index_of_measure(name)
        facts = table.measures[number]
        side = "below" if facts.higher_is_better else "above"
        for index, scores in enumerate(table.runs):
            mean = table.means_of(index)[number]
            if mean is None:
                message = f"{facts.label} is undefined for every topic; the limit is {limit:g}"
                yield Check(scores.run, facts.label, "limit", "failed", message)
                continue
            missing = _loss(limit, mean, facts)
            state: State = "failed" if missing > 0 else "passed"
            how = f"{missing:.4f} {side}" if missing > 0 else "within"
            message = f"{facts.label} is {_shown(mean, limit)}, {how} the limit of {limit:g}"
            values = np.where(scores.counted, scores.values[number], np.nan).tolist()
            known = [
                (topic, limit, value)
                for topic, value in zip(table.topic_ids, values, strict=True)
                if not math.isnan(value)
            ]
            topics = tuple(
                topic._replace(before=None) for topic in _topics(known, facts, table.tags)
            )
            yield Check(scores.run, facts.label, "limit", state, message, topics)


def _loss(before: float, now: float, facts: MeasureFacts) -> float:
    """Return how much worse it is now, to twelve digits; negative if it is better."""
    return round((before - now) * (1 if facts.higher_is_better else -1), _DIGITS)


def _topics(
    scores: Iterable[tuple[str, float, float]],
    facts: MeasureFacts,
    tags: Mapping[str, Sequence[str]],
) -> tuple[TopicCheck, ...]:
    """Return topics with what they should have scored and have scored, the worst first.

    A score that is no longer defined is as bad as can be; topics that had none are left out.
    """
    topics = []
    for topic, before, now in scores:
        if not math.isnan(before):
            known = None if math.isnan(now) else now
            loss = math.inf if known is None else _loss(before, known, facts)
            topics.append(TopicCheck(topic, before, known, loss, tuple(tags.get(topic, ()))))
    return tuple(sorted(topics, key=lambda topic: -topic.loss))


def _shown(mean: float, limit: float) -> str:
    """Return a mean with enough digits to distinguish it from the limit."""
    for digits in range(4, _DIGITS):
        shown = f"{mean:.{digits}f}"
        if float(shown) != limit or mean == limit:
            return shown
    return repr(mean)


# Drops


class _BeforeAndNow(NamedTuple):
    """The scores of a run by one measure, before and now; nan where a topic has none.

    Without scores of topics, there is only the mean.
    """

    before: Floats
    now: Floats
    by_topic: bool


def _before_and_now(
    table: ScoreTable, run: str, number: int, earlier: EarlierRun, label: str
) -> _BeforeAndNow:
    index = table.index_of_run(run)
    if earlier.topics is None:
        means = earlier.means.get(label), table.means_of(index)[number]
        before, now = (np.array([np.nan if mean is None else mean]) for mean in means)
        return _BeforeAndNow(before, now, False)
    scores = table.runs[index]
    known = [earlier.topics.get(topic, {}).get(label) for topic in table.topic_ids]
    values = np.array([np.nan if score is None else score for score in known], dtype=np.float64)
    return _BeforeAndNow(values, np.where(scores.counted, scores.values[number], np.nan), True)


def _drop_check(
    facts: MeasureFacts, run: str, pair: _BeforeAndNow, max_drop: Drop, significant: bool
) -> Check:
    both = ~np.isnan(pair.before) & ~np.isnan(pair.now)
    count = int(both.sum())
    result = partial(Check, run, facts.label, "drop")
    if not count:
        # Scores that the baseline has and are undefined now are a drop.
        if np.isnan(pair.before).all():
            return result("skipped", f"{facts.label} had no scores in the baseline")
        return result("failed", f"{facts.label} is undefined where the baseline has scores")
    before, now = (float(np.mean(values[both])) for values in (pair.before, pair.now))
    loss = _loss(before, now, facts)
    topics = f" on {plural(count, 'topic')}" if pair.by_topic else ""
    verb = "dropped" if facts.higher_is_better else "rose"
    change = f"{facts.label} {verb} by {loss:.4f} from {before:.4f} to {now:.4f}{topics}"
    if loss <= round(max_drop.allowed(before), _DIGITS):
        kept = f"{facts.label} went from {before:.4f} to {now:.4f}{topics}; {max_drop} is allowed"
        return result("passed", kept)
    if not significant:
        return result("failed", f"{change}; {max_drop} is allowed")
    if count < _FEWEST_TOPICS:
        few = f"fewer than {_FEWEST_TOPICS} topics cannot confirm any drop"
        return result("passed", f"{change}; {few}")
    p = _probability(pair, run, facts)
    shown = f"p = {probability(p)}".replace("= <", "< ")
    if p >= ALPHA:
        return result("passed", f"{change}; not significant, {shown}")
    return result("failed", f"{change}; {max_drop} is allowed, and {shown}")


def _probability(pair: _BeforeAndNow, run: str, facts: MeasureFacts) -> float:
    """Return p of Fisher's test of the differences; the same scores always have the same p."""
    steps = differences(pair.now, pair.before).steps
    return randomization(steps, ALPHA, RESAMPLES, generator(0, run, facts.canonical)).p


# What two evaluations share


def _shared_measures(
    table: ScoreTable, baseline: EarlierScores
) -> tuple[dict[int, str], list[str]]:
    """Return the label in the baseline of each measure that it has, and warnings about others."""
    shared = {
        number: label
        for number, facts in enumerate(table.measures)
        if (label := baseline.label_of(facts.canonical)) is not None
    }
    if not shared:
        raise InputError(
            f"no scores by {join_names(table.labels)}; there are scores by "
            f"{join_names(list(baseline.canonical.values())) or 'no measure'}",
            baseline.file,
        )
    warnings = []
    for number, facts in enumerate(table.measures):
        if number in shared:
            continue
        other = baseline.canonical.get(facts.label)
        why = f"is {other} there, {facts.canonical} here" if other else "is not in the baseline"
        warnings.append(f"{facts.label} {why}; it is not compared")
    here = {*shared.values(), *table.labels}
    gone = [label for label in baseline.canonical if label not in here]
    if gone:
        warnings.append(
            f"the baseline also has {join_names(gone)}; not measured here, not compared"
        )
    return shared, warnings


def _shared_runs(
    table: ScoreTable, baseline: EarlierScores
) -> tuple[dict[str, EarlierRun], list[str]]:
    """Return the runs that the baseline has too, by name, and warnings about others.

    A single run is compared with the single run of the baseline, whatever its name.
    """
    names = [scores.run for scores in table.runs]
    if len(names) == len(baseline.runs) == 1 and names[0] not in baseline.runs:
        ((other, earlier),) = baseline.runs.items()
        return {names[0]: earlier}, [
            f"{truncate(names[0])} is compared with {truncate(other)}, the only run of the baseline"
        ]
    shared = {name: baseline.runs[name] for name in names if name in baseline.runs}
    if not shared:
        raise InputError(
            f"no run {join_names([quoted(name) for name in names])}; there are "
            f"{join_names([quoted(name) for name in baseline.runs]) or 'none'}",
            baseline.file,
        )
    added = [name for name in names if name not in shared]
    gone = [name for name in baseline.runs if name not in shared]
    warnings = [f"not in the baseline, and not compared: {join_names(added)}"] if added else []
    if gone:
        warnings.append(f"in the baseline, but not scored now: {join_names(gone)}")
    return shared, warnings


def _topic_warnings(
    table: ScoreTable, run: str, earlier: EarlierRun, baseline: EarlierScores
) -> list[str]:
    """Return warnings about topics that only one of the two evaluations has."""
    if earlier.topics is None:
        return ["the baseline has means alone, so topics could not be matched"]
    counted = table.runs[table.index_of_run(run)].counted
    now = {topic for topic, counts in zip(table.topic_ids, counted, strict=True) if counts}
    added = [topic for topic in table.topic_ids if topic in now - earlier.topics.keys()]
    gone = [topic for topic in earlier.topics if topic not in now]
    if len(gone) == len(earlier.topics):
        raise InputError("the two evaluations have no topic in common", baseline.file)
    return [
        f"{plural(len(topics), 'topic')} {where} the baseline: {join_names(topics)}; not compared"
        for topics, where in ((gone, "only in"), (added, "not in"))
        if topics
    ]


# The baseline: scores of an earlier evaluation

_LARGEST = 1 << 30
_EXPECTED = "expected the JSON that `doxeval evaluate --format json` writes"


@dataclass(frozen=True)
class EarlierRun:
    """The scores of one run by label: its means, and those of topics if the file has them."""

    means: Mapping[str, float | None]
    topics: Mapping[str, Mapping[str, float | None]] | None = None


@dataclass(frozen=True)
class EarlierScores:
    """The scores of an earlier evaluation.

    canonical: for each label, the measure's name with all parameters.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = MeasureFacts("P", "P(x=1)", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> earlier = EarlierScores.of(ScoreTable((facts,), ("7", "8"), runs))
    >>> earlier.canonical, earlier.runs["mine"].means
    ({'P': 'P(x=1)'}, {'P': 0.375})
    """

    canonical: Mapping[str, str]
    runs: Mapping[str, EarlierRun]
    file: str | None = None

    @classmethod
    def of(cls, table: ScoreTable) -> EarlierScores:
        """Return the scores of a table."""
        means, topics = table.mean(), table.topics()
        canonical = {facts.label: facts.canonical for facts in table.measures}
        return cls(canonical, {run: EarlierRun(means[run], topics[run]) for run in table})

    def label_of(self, canonical: str) -> str | None:
        """Return the label of the measure with this canonical name; None if there is none."""
        return next((label for label, name in self.canonical.items() if name == canonical), None)


def read_earlier(path: str | os.PathLike[str]) -> EarlierScores:
    """Read the scores in a file of JSON that `doxeval evaluate` wrote.

    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "last.json"
    >>> run = '{"run": "mine", "mean": {"P": 0.5}}'
    >>> _ = file.write_text('{"canonical": {"P": "P"}, "runs": [' + run + ']}')
    >>> read_earlier(file).runs["mine"].topics is None
    True
    """
    name = os.fspath(path)
    with open_input(name) as file:
        contents = read_up_to(file, _LARGEST)
    if len(contents) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes; {_EXPECTED}", name)
    try:
        value = decode_json(contents)
    except ValueError:
        raise FormatError(f"not JSON; {_EXPECTED}", name) from None
    return _earlier_scores(value, name)


def _earlier_scores(value: Any, name: str | None) -> EarlierScores:
    """Return the scores in parsed JSON; anything unexpected is an error."""
    plain = _object(value, name)
    canonical, listed = _object(plain.get("canonical"), name), plain.get("runs")
    if not isinstance(listed, list) or not all(isinstance(v, str) for v in canonical.values()):
        raise FormatError(_EXPECTED, name)
    runs: dict[str, EarlierRun] = {}
    for item in listed:
        run = _object(item, name)
        label, topics = run.get("run"), run.get("topics")
        if not isinstance(label, str):
            raise FormatError(f"a run without a name; {_EXPECTED}", name)
        if label in runs:
            raise FormatError(f"two runs are called {quoted(label)}", name)
        by_topic = None
        if topics is not None:
            by_topic = {
                topic: _numbers(values, name) for topic, values in _object(topics, name).items()
            }
        runs[label] = EarlierRun(_numbers(run.get("mean"), name), by_topic)
    return EarlierScores(canonical, runs, name)


def _numbers(values: Any, name: str | None) -> Mapping[str, float | None]:
    """Return scores by label; anything but a finite number or null is an error."""
    numbers = _object(values, name)
    for label, value in numbers.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and math.isfinite(value)):
            raise FormatError(f"{quoted(value)} is no score by {quoted(label)}; {_EXPECTED}", name)
    return numbers


def _object(value: Any, name: str | None) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(_EXPECTED, name)
    return value


# JUnit XML, which services that run tests can show

_MOST_IN_A_CASE = 1000
_KINDS = {"limit": "limit", "drop": "drop since the baseline"}


def junit_xml(gates: Gates, per_topic: bool = False) -> bytes:
    """Return one test suite for each run, with one test case for each check.

    per_topic: each check is followed by a test case for each of its topics, which fails if the
    check has failed because of it.

    >>> gates = Gates((Check("mine", "P", "limit", "failed", "P is 0.3000, 0.1000 below …"),))
    >>> print(junit_xml(gates).decode())
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="doxeval" tests="1" failures="1" errors="0" skipped="0">
     <testsuite name="mine" tests="1" failures="1" errors="0" skipped="0">
      <testcase classname="mine" name="P, limit">
       <failure message="P is 0.3000, 0.1000 below …"/>
      </testcase>
     </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    by_run: dict[str, list[_Case]] = {}
    for check in gates.checks:
        by_run.setdefault(check.run, []).extend(_cases(check, per_topic))
    everything = [case for cases in by_run.values() for case in cases]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="doxeval" {_counts(everything)}>',
    ]
    for number, (run, cases) in enumerate(by_run.items()):
        lines.append(f" <testsuite name={_value(run)} {_counts(cases)}>")
        lines += [line for case in cases for line in _case(run, case)]
        if gates.warnings and not number:  # the format has no place for warnings about everything
            warnings = "\n".join(map(_allowed, gates.warnings))
            lines.append(f"  <system-err>{escape_text(warnings)}</system-err>")
        lines.append(" </testsuite>")
    return utf8("\n".join([*lines, "</testsuites>", ""]))


class _Case(NamedTuple):
    """A test case: its name, and why it failed or was skipped, in lines."""

    name: str
    state: State
    why: Sequence[str]


def _cases(check: Check, per_topic: bool) -> Iterator[_Case]:
    name = f"{check.measure}, {_KINDS[check.kind]}"
    yield _Case(name, check.state, check.lines(_MOST_IN_A_CASE))
    if per_topic:
        fallen = set(check.fallen)
        for topic in check.topics:
            state: State = "failed" if topic in fallen else "passed"
            yield _Case(f"{name}, {topic.name}", state, [str(topic)])


def _case(run: str, case: _Case) -> list[str]:
    head = f"  <testcase classname={_value(run)} name={_value(case.name)}"
    if case.state == "passed":
        return [f"{head}/>"]
    tag = "failure" if case.state == "failed" else "skipped"
    first, *more = case.why
    if not more:
        return [f"{head}>", f"   <{tag} message={_value(first)}/>", "  </testcase>"]
    text = escape_text("\n".join(map(_allowed, more)))
    return [f"{head}>", f"   <{tag} message={_value(first)}>{text}</{tag}>", "  </testcase>"]


def _counts(cases: Sequence[_Case]) -> str:
    failed = sum(case.state == "failed" for case in cases)
    skipped = sum(case.state == "skipped" for case in cases)
    return f'tests="{len(cases)}" failures="{failed}" errors="0" skipped="{skipped}"'


def _value(text: str) -> str:
    return quote_attribute(_allowed(text))


def _allowed(text: str) -> str:
    """Return text with characters that XML cannot hold shown as escapes."""
    return escape(text).replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff")
