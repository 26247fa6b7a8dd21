"""Laws over the registry: what must hold for every measure, or for those that declare it.

A law is a function of a case: a measure with random parameters, and a run in a random world. No
measure is named where the registry can say which ones are meant. Worlds are tried from the smallest
to the largest, and a failure names the law, the measure and the world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval.assessments import Judgment, NeededSpan, Specificity
from doxeval.evaluation import Counting, RankedBy, evaluate
from doxeval.measures import FAMILIES, Law, Measure, Need
from doxeval.runs import FORMATS, Kind, Result, Run, RunFormat, losses, write_run
from law_cases import (
    KINDS,
    Case,
    RunName,
    better_up,
    cases_of,
    declaring,
    has_sign,
    runs_for,
    varied,
)
from levels import LEVEL
from scenes import EXACT, KEEP, MANY, NOWHERE, SLACK, YEARS, Scene, empty_results, ideal_run, scenes

# Measures that other packages offer have no family.
FAMILY_OF = {kind.name: family.name for family in FAMILIES for kind in family.measures}
Kinds = Callable[[type[Measure]], bool]
BY_RANK = RankedBy("rank")


@dataclass(frozen=True)
class Rule:
    """A law, the measures that it is for, and the cases that it is tried on.

    declared: only for measures that declare it, with the parameters they have. years: how worlds
    are judged; there must be cases in those of the first year. run: the only run of the world, or
    all that the measure can score. variants: with how many random parameters a measure is tried
    in each world, but one where elements are graded. where: whether it is tried on a case. fixed:
    parameters that are not random.
    """

    holds: Callable[[Case], None]
    declared: Law | None = None
    measures: Kinds = lambda _: True
    years: Sequence[str] = ("highlights",)
    run: RunName | None = None
    variants: int = 2
    where: Callable[[Case], bool] = lambda _: True
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.holds.__name__}: {' '.join((self.holds.__doc__ or '').split())}"

    def is_for(self, kind: type[Measure]) -> bool:
        """Whether it is a law of a measure."""
        return self.measures(kind) and (self.declared is None or self.declared in kind.facts.laws)

    def cases(self, name: str, year: str) -> list[Case]:
        """Return the cases of a measure in the worlds of a year."""
        is_graded = year.isdecimal()
        variants = 1 if is_graded else max(2, self.variants)  # two, to share them between laws
        return [
            case
            for case in cases_of(name, year, self.run, variants, tuple(self.fixed.items()))
            if case.variant < self.variants
            and (self.declared is None or self.declared in case.resolved.laws)
            and self.where(case)
        ]

    def failure(self, name: str) -> str | None:
        """Return what is wrong with a measure by this law, in words; None if it holds."""
        for year in self.years:
            cases = self.cases(name, year)
            if not cases and year == self.years[0]:
                return f"{self}\nno world for {name}"
            for case in cases:
                try:
                    self.holds(case)
                except Exception as error:
                    return f"{self}\n{case}\n{type(error).__name__}: {error}"
        return None


RULES: list[Rule] = []


def law(
    declared: Law | None = None, *, fixed: Mapping[str, Any] | None = None, **options: Any
) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    """Make a function a law; it may be one in several ways."""

    def made(holds: Callable[[Case], None]) -> Callable[[Case], None]:
        RULES.append(Rule(holds, declared, fixed=fixed or {}, **options))
        return holds

    return made


def named(*names: str) -> Kinds:
    """Return whether a measure has one of these names."""
    return lambda kind: kind.name in names


def of_families(*names: str) -> Kinds:
    """Return whether a measure is in one of these families."""
    return lambda kind: FAMILY_OF.get(kind.name) in names


def is_ours(kind: type[Measure]) -> bool:
    """Whether doxeval has the measure: what repeats count is left to those of others."""
    return kind.name in FAMILY_OF


def has_cut_off(kind: type[Measure]) -> bool:
    return has_sign(kind, "@")


# Scores


@law(years=YEARS)
def scores_are_in_the_range(case: Case) -> None:
    """No score is below or above what the measure says of its range."""
    highest = math.inf if case.resolved.highest is None else case.resolved.highest
    for topic, score in case.scores.items():
        assert case.measure.facts.lowest - SLACK <= score <= highest + SLACK, topic


@law(Law.IDEAL_IS_BEST, years=YEARS, variants=4)
def the_ideal_run_is_best(case: Case) -> None:
    """No run scores higher than the ideal run."""
    best = case.scene.scores(case.measure, ideal_run(case.scene, case.measure))
    for topic, score in case.scores.items():
        assert score <= best[topic] + SLACK, topic


@law(Law.FALLS_WITH_X, variants=1, fixed={"x": Fraction(1)})
def scores_fall_with_recall(case: Case) -> None:
    """The score never rises with the recall point."""
    points = [Fraction(n, 20) for n in range(21)]
    by_point = [case.scene.scores(case.measure(x=x), case.results) for x in points]
    for topic in by_point[0]:
        values = [scores[topic] for scores in by_point]
        assert all(a >= b - SLACK for a, b in pairwise(values)), topic


@law(Law.GROWS_WITH_K, variants=1)
def scores_grow_with_the_cut_off(case: Case) -> None:
    """The score never falls with the cut-off."""
    by_cut_off = [case.scene.scores(case.measure @ k, case.results) for k in range(1, 12)]
    for topic in by_cut_off[0]:
        values = [scores[topic] for scores in by_cut_off]
        assert all(a <= b + SLACK for a, b in pairwise(values)), topic


def ranks_documents_once(case: Case) -> bool:
    """Whether a measure ranks each document once, by its first result, and sees no repeats."""
    by_entry_point = getattr(case.resolved, "targets", None) == "bep"
    return FAMILY_OF.get(case.measure.name) in ("in_context", "bepd") or by_entry_point


def up_to(case: Case, k: int) -> list[Result]:
    """Return the first k results of each topic, or all parts of its first k documents.

    Documents that are not judged take no rank where only judged ones count.
    """
    family = FAMILY_OF.get(case.measure.name)
    ranks_documents = case.resolved.ranks_documents or family == "diversity"
    of_documents = ranks_documents_once(case) or ranks_documents
    kept = []
    of_judged = getattr(case.measure, "judged_only", False)
    judged = {(judgment.topic, judgment.document) for judgment in case.scene.world.judgments}
    for results in by_topic(case).values():
        if of_judged:
            results = [one for one in results if (one.topic, one.document) in judged]
        items = [result.document if of_documents else at for at, result in enumerate(results)]
        first = list(dict.fromkeys(items))[:k]
        kept += [result for result, item in zip(results, items, strict=True) if item in first]
    return kept


@law(measures=lambda kind: any(spec.name == "k" for spec in fields(kind)), fixed={"k": 2})
def what_is_behind_the_cut_off_is_irrelevant(case: Case) -> None:
    """Results behind the cut-off change no score."""
    assert case.scene.scores(case.measure, up_to(case, 2)) == pytest.approx(case.scores, abs=EXACT)


@law(Law.BETTER_UP)
def better_results_further_up_never_cost(case: Case) -> None:
    """Of two results of different documents, the one that scores more alone is better above.

    On rankings of documents, each with one result.
    """
    first_rank = {"k": 1} if hasattr(case.measure, "k") else {}
    alone = {
        result: case.scene.scores(case.measure(**first_rank), [result]).get(result.topic, 0.0)
        for result in case.results
    }
    by_document = {(result.topic, result.document): result for result in case.results[::-1]}
    ranking = list(by_document.values())
    for run in (ranking, ranking[::-1]):
        better_up(case, run, alone.__getitem__)


# Order


@cache
def backwards(scene: Scene) -> Scene:
    return scene.judged_as(scene.world.judgments[::-1])


@cache
def shuffled(scene: Scene, first_listed: bool) -> Scene:
    """Return the world with judgments in any order, and the spans of needs in them, too.

    first_listed: the spans stay as they are listed, for measures by which the first counts.
    """
    random = Random(len(scene.sizes))
    judgments = [
        judgment
        if first_listed
        else replace(judgment, needs=tuple(random.sample(judgment.needs, len(judgment.needs))))
        for judgment in scene.world.judgments
    ]
    return scene.judged_as(random.sample(judgments, len(judgments)))


@law(variants=1)
def the_order_of_topics_is_irrelevant(case: Case) -> None:
    """Topics, and judgments, may come in any order."""
    topics = list(dict.fromkeys(result.topic for result in case.results))[::-1]
    blocks = [result for topic in topics for result in case.results if result.topic == topic]
    other = backwards(case.scene).scores(case.measure, blocks)
    assert other == pytest.approx(case.scores, abs=EXACT)
    assert case.scene.scores(case.measure, blocks) == case.scores


@law(variants=1, years=("highlights", "needs"))
def the_order_of_lines_is_irrelevant(case: Case) -> None:
    """Judgments, the spans of needs in them, and results that have ranks, come in any order.

    Of two measures of TREC Genomics, spans of the same document count by the order of the list.
    """
    results = [result._replace(rank=rank) for rank, result in enumerate(case.results, 1)]
    lines = Random(len(results)).sample(results, len(results))
    judged = shuffled(case.scene, case.measure.name in ("pAP", "aspectAP"))
    other = judged.scores(case.measure, lines, ranked_by=BY_RANK)
    expected = case.scene.scores(case.measure, results, ranked_by=BY_RANK)
    assert other == pytest.approx(expected, abs=EXACT)


# Useless results


def by_topic(case: Case) -> dict[str, list[Result]]:
    """Return the results of each topic, assessed or not; some assessed ones have none."""
    topics = dict.fromkeys([*case.scene.truth.topics, *(result.topic for result in case.results)])
    return {topic: [result for result in case.results if result.topic == topic] for topic in topics}


def padded(
    lists: Mapping[str, list[Result]], length: int, useless: Callable[[str], list[Result]]
) -> list[Result]:
    """Return each list, filled up to a length with useless results of its topic."""
    return [
        result
        for topic, results in lists.items()
        for result in (*results, *useless(topic)[: max(0, length - len(results))])
    ]


def elements_or_text(case: Case) -> bool:
    """Whether a run can be compared with one that has useless elements in it.

    What passages are worth depends on the elements around them, so that measures of elements and
    trees get elements only.
    """
    takes_text = case.measure.needs & {Need.RETRIEVED_TEXT, Need.RETRIEVED_START}
    return case.run == "elements" or bool(takes_text)


@law(Law.TAIL_IS_FREE)
def a_tail_without_gain_is_free(case: Case) -> None:
    """A document that is not relevant, behind the last result, changes nothing up to there."""
    lists = by_topic(case)
    longer = [r for topic, listed in lists.items() for r in (*listed, Result(topic, NOWHERE))]
    after = case.scene.scores(case.measure, longer)
    cut_off = getattr(case.measure, "k", None)
    for topic, score in case.scores.items():
        if cut_off is None or cut_off <= len(lists[topic]):
            assert after[topic] == pytest.approx(score, abs=EXACT), topic


# Of inex_eval only where the rest of the collection does not follow the list as one more level.
ENDS = {"unretrieved": "zero"}


def scores_what_is_found(kind: type[Measure]) -> bool:
    """Whether a measure has a cut-off, and looks at what is returned, not whether or if judged."""
    return has_cut_off(kind) and kind.name not in ("Judged", "none")


@law(measures=scores_what_is_found, fixed={"k": 1, **ENDS}, where=elements_or_text, variants=1)
@law(measures=scores_what_is_found, fixed={"k": 3, **ENDS}, where=elements_or_text, variants=1)
@law(measures=scores_what_is_found, fixed={"k": 10, **ENDS}, where=elements_or_text, years=YEARS)
def padding_without_text_changes_nothing(case: Case) -> None:
    """Results without text that fill a list up to the cut-off change no score."""
    length = min(getattr(case.measure, "k", None) or MANY, MANY)
    longer = padded(by_topic(case), length, empty_results)
    assert case.scene.scores(case.measure, longer) == pytest.approx(case.scores, abs=EXACT)


# Precision in characters (ngP) falls with every character that is read.
@law(
    measures=lambda kind: (
        has_cut_off(kind) and kind.name != "ngP" and of_families("xcg", "inex_eval", "ng")(kind)
    ),
    years=YEARS,
    variants=1,
    fixed={"k": 10, **ENDS},
)
def padding_with_elements_changes_nothing(case: Case) -> None:
    """Elements that are not relevant and fill a list up to the cut-off change no score."""
    longer = padded(by_topic(case), MANY, case.scene.useless_with_text)
    assert case.scene.scores(case.measure, longer) == pytest.approx(case.scores, abs=EXACT)


# New text, however useless, makes the share of repeated text smaller, which Red counts.
@law(
    measures=lambda kind: has_cut_off(kind) and kind.name != "Red",
    fixed={"k": 5},
    where=elements_or_text,
)
def padding_with_text_never_helps(case: Case) -> None:
    """Text that is not relevant and fills a list up to the cut-off helps no score; it may cost."""
    lists = by_topic(case)
    after = case.scene.scores(case.measure, padded(lists, 5, case.scene.useless_of_each_size))
    for topic, score in case.scores.items():
        # With cost=, near misses of elements without text are divided by no text at all.
        if hasattr(case.measure, "cost") and not case.scene.ranking(lists[topic]).size.any():
            continue
        assert case.sign * after[topic] <= case.sign * score + SLACK, topic


# Results that come again


def counts_repeats(case: Case) -> bool:
    """Whether relevant text counts again when it is seen again."""
    return bool(getattr(case.resolved, "alpha", 0) > 0)


def repeated(results: Sequence[Result], at: int, before: int) -> list[Result]:
    """Return the results with the one at `at` once more, before the one at `before`."""
    return [*results[:before], results[at], *results[before:]]


def ends(results: Iterable[Result]) -> dict[str, int]:
    """Return where the list of each topic ends."""
    return {result.topic: at + 1 for at, result in enumerate(results)}


@law(where=elements_or_text, variants=1)
def a_run_without_repeats_is_scored_as_ever(case: Case) -> None:
    """Where nothing is repeated, keeping repeats changes no score."""
    assert case.scene.scores(case.measure, case.results, KEEP) == case.scores


# RnDCG looks at one more rank where a list is longer than the ideal, whatever stands there. By pAP,
# what is returned twice counts twice.
@law(
    measures=lambda kind: is_ours(kind) and kind.name not in ("RnDCG", "pAP"),
    where=lambda case: elements_or_text(case) and not counts_repeats(case),
)
def a_repeat_at_the_end_never_helps(case: Case) -> None:
    """A result that comes again at the end of its list, and is kept, helps no score."""
    last = ends(case.results)
    for at, result in list(enumerate(case.results))[::2]:
        longer = repeated(case.results, at, last[result.topic])
        after = case.scene.scores(case.measure, longer, KEEP)
        for topic, score in case.scores.items():
            assert case.sign * after[topic] <= case.sign * score + SLACK, (topic, at)


def is_like_a_useless_result(case: Case) -> bool:
    """Whether a repeat is worth what a useless result is."""
    return (
        elements_or_text(case)
        and not counts_repeats(case)
        and getattr(case.resolved, "unretrieved", None) != "level"
    )


def may_count_words(kind: type[Measure]) -> bool:
    return any("words" in spec.metadata.get("choices", ()) for spec in fields(kind))


def instead(case: Case, at: int) -> list[Result]:
    """Return the useless result that a repeat is as good as, or none."""
    measure, result = case.resolved, case.results[at]
    if ranks_documents_once(case):
        return []
    alone = case.scene.ranking([result])
    resize = getattr(measure, "resize", "full")
    # By resize=tool, only documents with relevant text are counted by their new text.
    counts_new_text = resize == "new" or (resize == "tool" and len(alone.in_relevant_text) > 0)
    if counts_new_text or getattr(measure, "overlap", None) == "o":
        return empty_results(result.topic)[-1:]
    if measure.name == "aspectAP" and alone.relevant[0]:  # its aspects are old
        return []
    return [case.scene.useless_of_size(int(alone.size[0]), result.topic)]


# By cAP, only what is not relevant of a repeat is read again.
@law(
    measures=lambda kind: (
        is_ours(kind) and not may_count_words(kind) and kind.name not in ("cAP", "pAP")
    ),
    where=is_like_a_useless_result,
)
# Another text has other words, and redundancy is about repeats.
@law(
    measures=lambda kind: is_ours(kind) and may_count_words(kind) and kind.name != "Red",
    where=is_like_a_useless_result,
    fixed={"unit": "characters"},
)
def a_repeat_is_as_good_as_a_useless_result(case: Case) -> None:
    """A repeat that is kept scores as a useless result in its place does.

    Of the same size, or of none where only new text counts.
    """
    last = ends(case.results)
    places = [
        (at, before)
        for at, result in enumerate(case.results)
        if result.topic in case.scene.truth.topics
        for before in (at + 1, last[result.topic])
    ]
    for at, before in places[::3]:
        replaced = [*case.results[:before], *instead(case, at), *case.results[before:]]
        after = case.scene.scores(case.resolved, repeated(case.results, at, before), KEEP)
        expected = case.scene.scores(case.resolved, replaced)
        assert after == pytest.approx(expected, abs=EXACT), (at, before)


def without_tokens(results: Sequence[Result]) -> list[Result]:
    return [result._replace(tokens=None, rank=None, score=None) for result in results]


@law(
    measures=named("bR", "U", "hit", "sR", "all", "RR", "cR"),
    years=("needs",),
    run="chunks",
    variants=3,
    where=lambda case: not counts_repeats(case),
)
# A repeat may push something worse out of a list that is cut.
@law(
    measures=named("IoU", "cP"),
    years=("needs",),
    run="chunks",
    variants=3,
    where=lambda case: not counts_repeats(case),
    fixed={"k": 20},
)
def a_repeated_chunk_never_helps(case: Case) -> None:
    """A chunk that was shown before gains nothing, wherever it comes again."""
    results = without_tokens(case.results)
    before = case.scene.scores(case.measure, results, KEEP)
    random = Random(len(results))
    last = ends(results)
    for at in random.sample(range(len(results)), min(1, len(results))):
        longer = repeated(results, at, random.randint(at + 1, last[results[at].topic]))
        after = case.scene.scores(case.measure, longer, KEEP)
        for topic, score in before.items():
            assert after[topic] <= score + SLACK, (topic, at)


# Chunks and needs


@cache
def with_split_needs(scene: Scene) -> Scene:
    """Return the world with one or two needs in place of each relevant passage."""
    random = Random(len(scene.sizes))
    return scene.judged_as(
        [
            replace(
                judgment,
                needs=tuple(
                    NeededSpan(None, begin, after)
                    for start, end in judgment.highlights
                    for begin, after in pairwise(sorted({start, random.randint(start, end), end}))
                ),
            )
            for judgment in highlighted(scene).world.judgments
        ]
    )


@cache
def highlighted(scene: Scene) -> Scene:
    """Return the world with those judgments that highlight something."""
    judgments = [judgment for judgment in scene.world.judgments if judgment.highlights]
    return scene.judged_as(judgments or [Judgment("1", "a")])


@law(Law.NEEDS_MAY_BE_SPLIT, run="chunks", variants=3)
@law(measures=named("cR"), run="chunks", fixed={"k": 3, "alpha": 0.0, "resize": "full"})
def relevant_passages_may_be_split_into_needs(case: Case) -> None:
    """A relevant passage may be split into two needs."""
    split = with_split_needs(case.scene).scores(case.measure, case.results, KEEP)
    whole = highlighted(case.scene).scores(case.measure, case.results, KEEP)
    assert split == pytest.approx(whole, abs=SLACK)


# A word that is cut in two belongs to the first part, and so does what is added in front.
@law(
    Law.RESULTS_MAY_BE_CUT,
    years=("needs",),
    run="chunks",
    variants=3,
    fixed={"unit": "characters"},
)
def results_may_be_cut_in_two(case: Case) -> None:
    """A result may be split in two."""
    results = without_tokens(case.results)
    random = Random(len(results))
    cut: list[Result] = []
    for result in results:
        if result.kind != Kind.SPANS or len(result.spans) != 1:
            cut.append(result)
            continue
        ((start, end),) = result.spans
        at = random.randint(start, end)
        parts = [part for part in ((start, at), (at, end)) if part[1] > part[0]]
        added = (result.added, None)
        cut += [
            result._replace(kind=Kind.PASSAGE, start=begin, end=after, spans=(), added=before)
            for (begin, after), before in zip(parts, added, strict=False)
        ]
    expected = case.scene.scores(case.measure, results, KEEP)
    assert case.scene.scores(case.measure, cut, KEEP) == pytest.approx(expected, abs=SLACK)


@law(Law.ANY_COPY_WILL_DO, years=("copies",), run="passages", variants=3)
def any_copy_of_an_answer_will_do(case: Case) -> None:
    """Of two documents with the same text, whatever is returned may come from either."""
    other = [result._replace(document="b") for result in case.results]
    expected = case.scene.scores(case.measure, case.results, KEEP)
    assert case.scene.scores(case.measure, other, KEEP) == pytest.approx(expected, abs=SLACK)


# The runner


@pytest.mark.parametrize("name", KINDS)
def test_laws(name: str) -> None:
    rules = [rule for rule in RULES if rule.is_for(KINDS[name])]
    broken = [failure for rule in rules if (failure := rule.failure(name)) is not None]
    assert not broken, f"{name} breaks {len(broken)} laws\n\n" + "\n\n".join(broken)


def test_every_law_is_tried() -> None:
    """Each law is declared by some measure and tried; those of parameters, where these are."""
    assert all(declaring(declared) for declared in Law)
    assert {rule.declared for rule in RULES} - {None} == set(Law)
    assert all(any(map(rule.is_for, KINDS.values())) for rule in RULES)
    assert all(has_cut_off(KINDS[name]) for name in declaring(Law.GROWS_WITH_K))
    assert all(hasattr(KINDS[name], "x") for name in declaring(Law.FALLS_WITH_X))


# Files


def in_all_formats(results: Sequence[Result], directory: Path) -> list[Path]:
    """Write the results; a document is written as its root, so that most formats hold it."""
    spelt = [
        result._replace(kind=Kind.ELEMENT, paths=("/article[1]",))
        if result.kind == Kind.DOCUMENT
        else result
        for result in results
    ]
    suffixes: dict[RunFormat, str] = {"text": ".txt", "inex": ".xml", "genomics": ".run"}
    run = Run.from_results(spelt, "run")
    held = [name for name in FORMATS if not losses(run, name)]
    assert {"text", "inex", "jsonl", "csv", "parquet"} <= set(held)
    files = [directory / f"run{suffixes.get(name, f'.{name}')}" for name in held]
    for name, file in zip(held, files, strict=True):
        write_run(run, file, name)
    return files


@pytest.mark.parametrize("number", range(3 if LEVEL == "unit" else 6))
@pytest.mark.parametrize("run", ["elements", "passages"])
def test_the_format_of_a_run_is_irrelevant(run: RunName, number: int, tmp_path: Path) -> None:
    rich = [
        scene for scene in scenes("highlights") if scene.world.elements and scene.world.passages
    ]
    scene = rich[-1 - number]
    results = getattr(scene.world, run)
    variants = [varied(kind, Specificity, Random(name)) for name, kind in KINDS.items()]
    measures = [
        str(measure)
        for measure in variants
        if measure is not None
        and run in runs_for(measure)
        and scene.takes(measure, scene.world.elements)
    ]
    options: dict[str, Any] = {
        "collection": scene.collection,
        "counting": Counting(tokens="words"),
        "chunks": scene.world.chunk_table(),
    }
    assessments = scene.truth.assessments
    expected = evaluate(Run.from_results(results), assessments, measures, **options)
    for file in in_all_formats(results, tmp_path):
        assert evaluate(file, assessments, measures, **options).topics() == expected.topics(), file
