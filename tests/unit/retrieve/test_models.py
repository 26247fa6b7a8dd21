"""Models: their scores are those of their formulas, written once more in plain Python."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import InputError, SyntaxProblem
from doxeval.retrieve import (
    ARTICLES,
    BM25,
    EXAMPLE,
    MODELS,
    Evidence,
    LanguageModel,
    Model,
    as_model,
    bm25,
    lm,
    model_named,
    score_units,
)
from strategies import Search, searches
from strategies.searches import Range

names = pytest.mark.parametrize("name", MODELS)
PLAIN = "least=1,titles=1,headings=1,abstracts=1,feedback=0,terms=20,weight=0.2)"


# Random models


def fractions(most: float) -> st.SearchStrategy[float]:
    return st.integers(0, 100).map(lambda hundredths: hundredths * most / 100)


@st.composite
def language_models(draw: st.DrawFn) -> LanguageModel:
    element = draw(fractions(0.98))
    model = lm(element=element, article=draw(fractions(0.99 - element)), prior=draw(fractions(2)))
    return model(**draw(of_both))


# What search does with fields and feedback is in test_search_directly.py.
of_both = st.fixed_dictionaries(
    {
        "least": st.sampled_from(["auto", 1.0, 5.0, 12.5]),
        "titles": st.sampled_from([1.0, 2.5]),
        "feedback": st.sampled_from([0, 10]),
        "weight": fractions(1),
    }
)


def okapis(idfs: tuple[str, ...]) -> st.SearchStrategy[BM25]:
    plain = st.builds(
        BM25,
        k1=fractions(10),
        b=fractions(1),
        pivot=st.sampled_from(["mean", 1.0, 25.0, 400.0]),
        context=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
        idf=st.sampled_from(idfs),
    )
    return st.builds(lambda model, more: model(**more), plain, of_both)


by_elements = okapis(("documents", "words"))
by_chunks = okapis(("documents", "words", "units"))


# The formulas, word by word


def short(text: list[str], model: LanguageModel | BM25) -> float:
    """The share of what is wanted that counts in a text."""
    return 1 if model.least == "auto" else min(1, len(text) / float(model.least))


def lm_score(search: Search, unit: Range, model: LanguageModel) -> float:
    element, article = model.element, model.article
    everything = [word for document in search.documents for word in document]
    own, around = search.words(unit), search.documents[unit.document]
    score = 0.0
    for word, weight in search.query.items():
        if word in everything:
            mixed = element * own.count(word) / len(own)
            mixed += article * around.count(word) / len(around)
            rare = (1 - element - article) * everything.count(word) / len(everything)
            counted = weight * short(own, model) if weight > 0 else weight
            score += counted * math.log(1 + mixed / rare)
    return score + model.prior * math.log(len(own))


def rarity(word: str, texts: list[list[str]], idf: str) -> float:
    """How much an item is worth by how many of the texts have it, or by how often it occurs."""
    words = [one for text in texts for one in text]
    count: float = len(texts)
    holding: float = sum(word in text for text in texts)
    if idf == "words":
        count = len(words) / 100
        holding = min(words.count(word), count)
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))


def okapi_sum(
    search: Search, text: list[str], counted: list[list[str]], mean: float, model: BM25
) -> float:
    """S of a text, without context."""
    pivot = mean if model.pivot == "mean" else float(model.pivot)
    score = 0.0
    for word, weight in search.query.items():
        tf = text.count(word)
        if tf:
            k1, b = float(model.k1), float(model.b)
            damping = k1 * (1 - b + b * len(text) / pivot)
            idf = rarity(word, counted, model.idf)
            part = weight * idf * tf * (k1 + 1) / (tf + damping)
            score += part * short(text, model) if weight > 0 else part
    return score


def mean_length(texts: list[list[str]]) -> float:
    return sum(map(len, texts)) / len(texts)


def okapi_score(search: Search, unit: Range, model: BM25, are_chunks: bool) -> float:
    documents, units = search.documents, [search.words(one) for one in search.units]
    mean = mean_length(units if are_chunks else documents)
    counted = units if model.idf == "units" else documents
    own = okapi_sum(search, search.words(unit), counted, mean, model)
    article = okapi_sum(
        search, documents[unit.document], documents, mean_length(documents), ARTICLES
    )
    context = float(model.context)
    around = min(article, article * short(search.words(unit), model))
    return (own + context * around) / (1 + context)


def with_articles(evidence: Evidence) -> Evidence:
    return evidence.with_articles_scored(ARTICLES.scores(evidence.articles))


@given(searches(), language_models())
def test_lm_is_its_formula(search: Search, model: LanguageModel) -> None:
    expected = [lm_score(search, unit, model) for unit in search.units]
    assert model.scores(search.evidence) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(searches(), by_elements)
def test_bm25_is_its_formula(search: Search, model: BM25) -> None:
    expected = [okapi_score(search, unit, model, are_chunks=False) for unit in search.units]
    found = model.scores(with_articles(search.evidence))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(searches(), by_chunks)
def test_bm25_of_chunks_counts_chunks(search: Search, model: BM25) -> None:
    expected = [okapi_score(search, unit, model, are_chunks=True) for unit in search.units]
    found = model.scores(with_articles(search.chunk_evidence))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(searches())
def test_articles_are_scored_by_their_own_words(search: Search) -> None:
    documents = search.documents
    matched = sorted({unit.document for unit in search.units})
    mean = mean_length(documents)
    expected = [okapi_sum(search, documents[d], documents, mean, ARTICLES) for d in matched]
    found = ARTICLES.scores(search.evidence.articles)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


# Laws


@given(searches(), language_models() | by_elements)
def test_the_shares_of_a_score_add_up_to_it(search: Search, model: Model) -> None:
    evidence = with_articles(search.evidence)
    total = np.zeros(len(evidence))
    for column in model.shares(evidence).T:
        total += column
    for share in model.besides(evidence).values():
        total += share
    assert total.tolist() == model.scores(evidence).tolist()  # to the bit


@given(searches(), language_models() | by_elements, st.data())
def test_more_of_a_word_at_equal_length_never_lowers_a_score(
    search: Search, model: Model, data: st.DataObject
) -> None:
    evidence = with_articles(search.evidence)
    if not evidence.items:
        return
    item = data.draw(st.integers(0, len(evidence.items) - 1))
    more = evidence.tf.copy()
    more[:, item] += data.draw(st.integers(1, 5))
    before, after = model.scores(evidence), model.scores(replace(evidence, tf=more))
    rises = after - before if evidence.weight[item] > 0 else before - after
    assert (rises >= -1e-12 * np.abs(before)).all()


@given(searches(), language_models() | by_elements, st.data())
def test_a_unit_is_scored_the_same_whatever_else_is_there(
    search: Search, model: Model, data: st.DataObject
) -> None:
    evidence = with_articles(search.evidence)
    one = data.draw(st.integers(0, len(evidence) - 1))
    alone = replace(
        evidence,
        tf=evidence.tf[[one]],
        length=evidence.length[[one]],
        article=evidence.article[[one]],
    )
    # Vectorised logarithms may differ in the last bit by the place in an array.
    assert model.scores(alone)[0] == pytest.approx(model.scores(evidence)[one], rel=1e-14)


@names
def test_a_query_without_items_and_a_list_without_units(name: str) -> None:
    model = MODELS[name]().resolve_auto("documents")
    nothing = Search([["fog"]], {}, [Range(0, 0, 1)]).evidence
    assert model.scores(nothing).tolist() == [0.0]
    assert model.shares(nothing).shape == (1, 0)
    none = np.zeros(0, int)
    empty = replace(nothing, tf=np.zeros((0, 0), int), length=none, article=none)
    assert model.scores(empty).tolist() == []


def test_no_damping_is_no_division_by_zero() -> None:
    search = Search([["fog", "sea"], ["sea"]], {"fog": 1.0}, [Range(0, 0, 2), Range(1, 0, 1)])
    found = bm25(k1=0, context=0).scores(search.evidence)
    assert found.tolist() == [math.log(1 + 1.5 / 1.5), 0.0]


def test_a_word_in_every_piece_of_text_still_counts() -> None:
    search = Search([["fog"] * 50], {"fog": 1.0}, [Range(0, 0, 50)])
    assert bm25(idf="words", context=0).scores(search.evidence)[0] > 0


# What models say of themselves


@names
def test_the_worked_example_is_right(name: str) -> None:
    example = MODELS[name].facts.example
    assert example is not None
    found = model_named(example.name).scores(with_articles(example.evidence))
    assert found == pytest.approx(example.scores, abs=5e-5)
    assert len(example.units) == len(example.evidence)


@names
def test_facts_are_complete(name: str) -> None:
    facts = MODELS[name].facts
    assert facts.title and facts.formula and facts.edge_cases
    assert {source.is_verified for source in facts.sources} == {True, False}
    for spec in fields(MODELS[name]):
        assert spec.metadata["help"]
        assert spec.name in facts.formula


@names
def test_names_print_and_parse_back(name: str) -> None:
    model = MODELS[name]()
    assert model_named(str(model)) == model_named(name) == model == as_model(MODELS[name])
    assert pickle.loads(pickle.dumps(model)) == model


@given(language_models() | by_chunks)
def test_any_model_prints_and_parses_back(model: Model) -> None:
    assert model_named(str(model)) == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lm(element=.5,article=.5)", "element + article must be below 1"),
        ("lm(element=1)", "element + article must be below 1"),
        ("lm(prior=-1)", "prior is '-1': expected a number"),
        ("bm25(b=1.1)", "b must be between 0 and 1"),
        ("bm25(pivot=0)", "pivot must be above 0"),
        ("bm25(least=0)", "least must be above 0"),
        ("lm(least=short)", "least is 'short': expected a number or auto"),
        ("lm(titles=0)", "titles must be above 0, and at most 100"),
        ("lm(abstracts=101)", "abstracts must be above 0, and at most 100"),
        ("bm25(feedback=10,weight=1.1)", "weight must be between 0 and 1"),
        ("bm25(feedback=1,terms=0)", "feedback needs at least one of its terms"),
        ("bm25(feedback=.5)", "feedback must be a whole number"),
        ("rm3", "no model 'rm3': lm and bm25 have its feedback"),
        ("bm25f", "no model 'bm25f': bm25 has weights for fields"),
        ("bm25(pivot=middle)", "pivot is 'middle': expected a number or auto, mean"),
        ("bm25(idf=document)", "did you mean documents?"),
        ("bm25(k=1)", "bm25 has no parameter 'k'"),
        ("bm25@10", "bm25 has no cut-off @k"),
        ("BM25", "no model 'BM25'; did you mean bm25?"),
        ("bm52", "no model 'bm52'; did you mean bm25?"),
        ("tfidf", "no model 'tfidf': doxeval has none; bm25 also weighs occurrences by rarity"),
        ("dirichlet", "no model 'dirichlet': lm is query likelihood"),
        ("xyz", "no model 'xyz'; there are lm, bm25"),
        ("bm25(", "'bm25(' is not a model: expected NAME or NAME(key=value,…)"),
    ],
)
def test_what_is_wrong_with_a_name_is_told(text: str, message: str) -> None:
    with pytest.raises(SyntaxProblem) as told:
        model_named(text)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [({"element": -0.1}, "0 or more"), ({"element": 0.9, "article": 0.2}, "below 1")],
)
def test_wrong_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SyntaxProblem, match=message):
        lm(**values)


def test_what_is_no_model_is_told() -> None:
    with pytest.raises(InputError, match="3 is not a model: expected a name such as"):
        as_model(3)  # type: ignore[arg-type]


# What depends on the units


@pytest.mark.parametrize(
    ("units", "printed"),
    [
        ("elements", "bm25(k1=4,b=0.8,pivot=400,context=1,idf=documents"),
        ("passages", "bm25(k1=4,b=0.8,pivot=400,context=1,idf=documents"),
        ("documents", "bm25(k1=0.9,b=0.4,pivot=mean,context=0,idf=documents"),
        ("windows", "bm25(k1=1.2,b=0.75,pivot=mean,context=0,idf=units"),
        ("chunks", "bm25(k1=1.2,b=0.75,pivot=mean,context=0,idf=units"),
    ],
)
def test_bm25_is_settled_by_what_is_ranked(units: Any, printed: str) -> None:
    settled = bm25.resolve_auto(units, "thorough")
    assert str(settled) == f"{printed},{PLAIN}"
    assert settled.resolve_auto(units) == settled
    given_by_user = bm25(pivot=7, idf="words").resolve_auto(units)
    assert (given_by_user.pivot, given_by_user.idf) == (7.0, "words")
    assert lm.resolve_auto(units, "thorough") == lm(least=1)


@pytest.mark.parametrize("model", [lm, bm25, lm(prior=1)])
def test_short_elements_come_late_where_results_may_not_overlap(model: Any) -> None:
    for task in ("focused", "relevant-in-context"):
        assert model.resolve_auto("elements", task).least == 10
        assert model.resolve_auto("windows", task).least == 1
        assert model(least=3).resolve_auto("elements", task).least == 3
    for task in ("thorough", "best-in-context", "vvcas"):
        assert model.resolve_auto("elements", task).least == 1
    assert model.resolve_auto("elements").least == "auto"


def test_an_unsettled_model_takes_what_there_is() -> None:
    search = Search([["fog", "sea"], ["sea"]], {"fog": 1.0}, [Range(0, 0, 1), Range(1, 0, 1)])
    own = bm25(context=0)
    assert bm25.scores(search.chunk_evidence).tolist() == own.scores(search.chunk_evidence).tolist()
    for evidence, units in ((search.evidence, "elements"), (search.chunk_evidence, "chunks")):
        settled = own.resolve_auto(units)  # type: ignore[arg-type]
        assert own.scores(evidence).tolist() == settled.scores(evidence).tolist()


def test_the_model_of_articles_is_settled() -> None:
    assert str(ARTICLES) == f"bm25(k1=0.9,b=0.4,pivot=mean,context=0,idf=documents,{PLAIN}"
    assert ARTICLES.resolve_auto("documents") == ARTICLES


def test_what_a_model_lacks_is_told() -> None:
    with pytest.raises(InputError, match="context=1 needs scores of the articles"):
        bm25.scores(EXAMPLE)
    with pytest.raises(InputError, match="idf=units is for chunks and windows; for elements"):
        bm25(idf="units").resolve_auto("elements")
    with pytest.raises(InputError, match="idf=units is for chunks and windows"):
        bm25(idf="units", pivot=5, context=0).scores(EXAMPLE)


def test_few_documents_are_warned_about() -> None:
    few = replace(EXAMPLE, documents=19)
    assert bm25.warnings(EXAMPLE) == lm.warnings(few) == bm25(idf="words").warnings(few) == []
    assert bm25.warnings(few) == [
        "bm25: with 19 documents, idf=documents hardly tells rare words from common ones; "
        "idf=words counts pieces of 100 words instead"
    ]


# Evidence


def test_evidence_cannot_be_written_to() -> None:
    given = np.array([20, 100])
    evidence = replace(EXAMPLE, length=given)
    with pytest.raises(ValueError, match="read-only"):
        evidence.length[0] = 1
    given[0] = 21  # what the caller has stays the caller's


def test_evidence_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"tf has the shape \(2, 1\): expected \(2, 2\)"):
        replace(EXAMPLE, tf=np.zeros((2, 1), int))


def test_scores_of_the_wrong_shape_or_value_are_refused() -> None:
    class Short(LanguageModel):
        def by_item(self, evidence: Evidence) -> Iterator[Any]:
            yield np.float64("nan")

        def scores(self, evidence: Evidence) -> Any:
            return np.zeros(1)

    with pytest.raises(InputError, match=r"scores of shape \(1,\): expected one for each of the 2"):
        score_units(Short(), EXAMPLE)

    class Undefined(Short):
        scores = Model.scores

    with pytest.raises(InputError, match="gives a unit the score nan: expected a finite number"):
        score_units(Undefined(), EXAMPLE)
