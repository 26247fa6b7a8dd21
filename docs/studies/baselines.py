"""Which settings of the baselines? Chosen without the topic that they are tried on.

It needs words that mean something, so there is one world for it, the demo, whatever WORLD says.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from world import DEMO, demo_collection, table, temporary_directory

from doxeval import (
    DoxevalWarning,
    ScoreTable,
    compare,
    evaluate,
    read_assessments,
    read_topics,
    search,
)
from doxeval.retrieve import Index, build_index
from doxeval.runs import Run

FEEDBACK = "feedback=10"


class Setting(NamedTuple):
    """A model of what is returned, and one of articles where these are ranked."""

    model: str
    articles: str | None = None

    def __str__(self) -> str:
        return f"`{self.model}`" + (f" and `{self.articles}`" if self.articles else "")

    def also(self, extra: str) -> Setting:
        """The same model with another parameter."""
        model = self.model
        more = f"{model[:-1]},{extra})" if model.endswith(")") else f"{model}({extra})"
        return self._replace(model=more)


class Task(NamedTuple):
    """A task, the measures that say how good a run is, and settings.

    measures: the first is the one by which settings are chosen. former, default: what doxeval had
    and has. settings: the simpler ones first, which win ties.
    """

    name: str
    measures: tuple[str, ...]
    former: Setting
    default: Setting
    settings: tuple[Setting, ...]


def _settings(*models: str, of_articles: bool = False) -> tuple[Setting, ...]:
    """Each model with and without both: short elements held back, and feedback.

    Where articles are ranked, it is their query that feedback expands.
    """
    plain = [Setting(model).also(f"least={least}") for model in models for least in (1, 10)]
    if of_articles:
        expanded = [setting._replace(articles=f"bm25({FEEDBACK})") for setting in plain]
    else:
        expanded = [setting.also(FEEDBACK) for setting in plain]
    return (*plain, *expanded)


_IN_CONTEXT, _WHOLE = Setting("bm25(context=0)"), Setting("bm25")
TASKS = (
    Task(
        "focused",
        ("iP[.01]", "MAiP"),
        Setting("lm(least=1)"),
        Setting("lm"),
        _settings("lm", "bm25"),
    ),
    Task(
        "thorough",
        ("MAep",),
        Setting("lm(prior=1,least=1)"),
        Setting("lm(prior=1)"),
        _settings("lm(prior=1)"),
    ),
    Task(
        "relevant-in-context",
        ("MAgP",),
        _IN_CONTEXT.also("least=1"),
        _IN_CONTEXT,
        _settings("bm25(context=0)", of_articles=True),
    ),
    Task(
        "best-in-context",
        ("MAgP(score=bep)", "BEPD"),
        _IN_CONTEXT.also("least=1"),
        _IN_CONTEXT,
        _settings("bm25(context=0)", of_articles=True),
    ),
    Task("documents", ("AP",), _WHOLE, _WHOLE, (_WHOLE, _WHOLE.also(FEEDBACK))),
)
# Beside the defaults of today: what each addition does, with nothing chosen.
ADDITIONS = (FEEDBACK, "titles=3", "headings=3")


class Trial:
    """Runs of a task, scored topic by topic."""

    def __init__(self, index: Index, task: Task) -> None:
        self._index = index
        self._task = task
        self._topics = read_topics(DEMO / "topics.xml")
        self._assessments = read_assessments(DEMO / "assessments.jsonl")
        self._runs: dict[Setting, Run] = {}

    def run(self, setting: Setting) -> Run:
        """The run of a setting."""
        if setting not in self._runs:
            model, articles = setting
            self._runs[setting] = search(
                self._index, self._topics, self._task.name, model, articles=articles
            )
        return self._runs[setting]

    def scores(self, runs: Sequence[Run]) -> ScoreTable:
        """The scores of runs, which are called by their numbers."""
        named = [run.with_id(str(number)) for number, run in enumerate(runs)]
        measures, collection = self._task.measures, self._index.collection
        return evaluate(named, self._assessments, measures, collection=collection)

    def left_out(self) -> tuple[Run, Counter[Setting]]:
        """The run in which each topic has the setting that is best on the others, and these.

        No measure of a topic has a part in choosing its setting.
        """
        settings = self._task.settings
        of_settings = self.scores([self.run(setting) for setting in settings]).topics()
        of_topics = [list(of_setting.values()) for of_setting in of_settings.values()]
        deciding = [[next(iter(scores.values())) for scores in row] for row in of_topics]
        scores = np.array(deciding, dtype=np.float64)
        results, chosen = [], Counter[Setting]()
        for number, topic in enumerate(self._topics):
            others = np.delete(scores, number, axis=1).mean(axis=1)
            setting = settings[int(np.argmax(others.round(9)))]
            chosen[setting] += 1
            results += [result for result in self.run(setting) if result.topic == topic.id]
        return Run.from_results(results), chosen

    def differences(self, first: Run, second: Run) -> Iterator[list[str]]:
        """By each measure the means of both runs, their difference, its bootstrap interval."""
        scores = self.scores([first, second])
        means = scores.mean()
        for measure in means["0"]:
            (pair,) = compare(scores, measure, baseline="1", test="bootstrap").pairs
            low, high = pair.interval or (None, None)
            yield [
                f"`{measure}`",
                *(f"{means[run][measure]:.4f}" for run in ("1", "0")),
                _signed(pair.difference),
                f"{_signed(low)} to {_signed(high)}",
            ]


def _signed(value: float | None) -> str:
    if value is None:
        raise ValueError("a difference is undefined")
    return f"{value:+.4f}".replace("-", "−")


def main() -> None:
    """Print what is chosen without each topic, what is default, and what additions do."""
    warnings.filterwarnings("ignore", ".* share their score", DoxevalWarning)
    collection = demo_collection()
    out = temporary_directory() / "index"
    build_index(collection, out, jobs=1)
    index = Index(out, collection)
    chosen, defaults, additions = [], [], []
    for task in TASKS:
        trial = Trial(index, task)
        run, counts = trial.left_out()
        former, today = trial.run(task.former), trial.run(task.default)
        names = "; ".join(f"{setting}: {count}" for setting, count in counts.most_common())
        chosen += [[task.name, names, *row] for row in trial.differences(run, former)]
        defaults += [[task.name, task.default, *row] for row in trial.differences(today, former)]
        for extra in ADDITIONS:
            other = trial.run(task.default.also(extra))
            row, *_ = trial.differences(other, today)
            additions.append([task.name, f"`{extra}`", *row])
    head = ["by", "former default", "so", "difference", "95 % interval"]
    parts = (
        table(["task", "chosen, for so many topics", *head], chosen),
        table(["task", "default", *head], defaults),
        table(["task", "in addition", "by", "default", *head[2:]], additions),
    )
    sys.stdout.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
