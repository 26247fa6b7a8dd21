"""NEXI: what parses, what does not and where, and that printing is the inverse of parsing."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import SyntaxProblem
from doxeval.topics import (
    ContentQuery,
    Interpretation,
    NexiError,
    Precedence,
    StructuredQuery,
    Term,
    parse_content,
    parse_nexi,
    parse_structured,
)
from helpers import CONFORMANCE, DATA, Builder, doxeval, needs_conformance, write_files
from levels import examples
from strategies import nexi_queries, nexi_terms


def lines_of(name: str) -> list[str]:
    """The queries of a file in tests/data/nexi, one per line."""
    return (DATA / "nexi" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@examples(300)
@given(nexi_queries())
def test_a_structured_query_prints_as_it_parses(query: StructuredQuery) -> None:
    assert parse_structured(str(query)) == query


@given(nexi_terms())
def test_a_content_query_prints_as_it_parses(terms: tuple[Term, ...]) -> None:
    assert parse_content(str(ContentQuery(terms))) == ContentQuery(terms)


@examples(300)
@given(st.text(st.sampled_from("/[]().,|@*'\"+-=<>! about and OR sec 2 é‘”"), max_size=30))
def test_anything_else_is_refused_with_a_column(text: str) -> None:
    for query in (text, "//a[" + text, "//a[about(., b)]" + text):
        try:
            parsed = parse_nexi(query)
        except NexiError as error:
            assert 1 <= error.at <= len(query) + 1
            assert str(error).startswith(f"column {error.at}: expected ")
        else:
            assert parse_nexi(str(parsed)) == parsed


@pytest.mark.parametrize("precedence", ["and", "flat"])
def test_structured_queries_of_all_forms(precedence: Precedence) -> None:
    for line in lines_of("structured"):
        query = parse_structured(line, precedence)
        assert parse_structured(str(query)) == query, line


def test_content_queries_of_all_forms() -> None:
    for line in lines_of("content"):
        assert parse_content(str(parse_content(line))) == parse_content(line), line


def test_invalid_queries_are_refused() -> None:
    def is_refused(line: str) -> bool:
        try:
            parse_nexi(line)
        except NexiError:
            return True
        return False

    assert [line for line in lines_of("invalid") if not is_refused(line)] == []


@needs_conformance
@pytest.mark.parametrize("precedence", ["and", "flat"])
def test_the_structured_queries_of_inex(precedence: Precedence) -> None:
    lines = (CONFORMANCE / "nexi" / "queries.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 131
    for line in lines:
        query = parse_structured(line, precedence)
        assert parse_structured(str(query)) == query


@needs_conformance
def test_the_content_queries_of_inex() -> None:
    lines = (CONFORMANCE / "nexi" / "co.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 318
    for line in lines:
        assert parse_content(str(parse_content(line))) == parse_content(line)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("//article[about(.)]", "column 18: expected ',' after the path"),
        ("//article", "column 10: expected '[' and a condition after the path"),
        ("/article[about(., a)]", "column 1: expected '//' at the beginning"),
        ("//article[]", "column 11: expected about, a path that starts with '.', or '('"),
        ("//article[about(., )]", "column 20: expected a word or a phrase"),
        ('//article[about(., "")]', "column 21: expected a word in the phrase"),
        (
            '//article[about(., "a b)]',
            "column 24: expected a word or '\"' at the end of the phrase",
        ),
        ("//article[about(., a)", "column 22: expected ']' after the condition"),
        ("//article[about(., a]", "column 21: expected ')' after the terms"),
        ("//article[about(., + a)]", "column 21: expected a word or a phrase right after '+'"),
        ("//article[About(., a)]", "column 11: expected about"),
        ("//article[about(sec, a)]", "column 17: expected '.' and a path"),
        ("//(a)[about(., b)]", "column 5: expected '|' and another tag"),
        ("//a[.//yr 2001]", "column 11: expected '=', '!=', '<', '>', '<=' or '>=' after the path"),
        ("//a[.//yr = x]", "column 13: expected a number or a string in quotes"),
        ("//a[.//yr = 'x]", 'column 16: expected "\'" at the end of the string'),
        ("//a[about(., b) xor about(., c)]", "column 17: expected ']' after the condition"),
        ("//a[about(., b)] c", "column 18: expected '/' or '//' and a path"),
        ("//a[about(., b)]//c d", "column 21: expected '[' or the end of the query"),
        ("//a[about(.//@x, b)]", "column 14: expected a tag, '*' or '('"),
        ("a, b", "column 2: expected a word, a phrase in double quotes, or the end"),
        ("", "column 1: expected a word or a phrase"),
        ("-", "column 2: expected a word or a phrase right after '-'"),
        ("//a[about(.,'b)]", 'column 15: expected "\'" after the terms'),
    ],
)
def test_errors_name_the_column_and_what_was_expected(query: str, message: str) -> None:
    with pytest.raises(NexiError) as caught:
        parse_nexi(query)
    assert str(caught.value).startswith(message)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_deep_nesting_is_refused() -> None:
    allowed = "//a[" + "(" * 200 + "about(., b)" + ")" * 200 + "]"
    assert str(parse_structured(allowed)) == "//a[about(., b)]"
    with pytest.raises(NexiError, match="at most 200 nested parentheses"):
        parse_structured("//a[" + "(" * 100_000)


ABOUT = "about(., b)"


@pytest.mark.parametrize("precedence", ["and", "flat"])
@pytest.mark.parametrize(
    "condition",
    [
        " ".join(f"{ABOUT} {'and' if number % 2 else 'or'}" for number in range(198)),
        " ".join(f"{ABOUT} or" for _ in range(1_000)),
        f"({ABOUT} or {ABOUT} and " * 99,
    ],
    ids=["alternating", "one after another", "nested"],
)
def test_long_conditions_print_and_parse_back(condition: str, precedence: Precedence) -> None:
    query = f"//a[{condition} {ABOUT}{')' * condition.replace('about(', '').count('(')}]"
    parsed = parse_structured(query, precedence)
    assert parse_structured(str(parsed)) == parsed
    assert len(parsed.supports) == query.count("about")
    assert hash(parsed) == hash(pickle.loads(pickle.dumps(parsed)))


@pytest.mark.parametrize(
    ("condition", "precedence"),
    [
        (" ".join(f"{ABOUT} {'and' if number % 2 else 'or'}" for number in range(1_000)), "flat"),
        (f"({ABOUT} or {ABOUT} and " * 150 + ABOUT + ")" * 150 + " or", "and"),
    ],
)
def test_conditions_nested_by_their_connectives_are_refused(
    condition: str, precedence: Precedence
) -> None:
    with pytest.raises(NexiError, match="at most 200 conditions nested"):
        parse_structured(f"//a[{condition} {ABOUT}]", precedence)


@pytest.mark.parametrize("query", ["a " * 10_001, "//a" * 7_000, '"' + "a " * 20_000, "(" * 50_000])
def test_a_query_has_a_length(query: str) -> None:
    with pytest.raises(NexiError) as caught:
        parse_nexi(query)
    assert caught.value.at in (1, 20_001)
    assert parse_nexi("a " * 10_000)


def test_the_examples_of_the_inex_report() -> None:
    """Topics 76 (2003) and 231 (2005), as printed in figures 1 and 2 of Lalmas and Tombros 2007."""
    first = parse_structured(
        "\n//article[(./fm//yr = ’2000’ OR ./fm//yr = ’1999’) AND about(.,\n"
        '’"intelligent transportation system"’)]//sec[about(.,’automation\n+vehicle’)]\n'
    )
    assert str(first) == (
        "//article[(./fm//yr = '2000' or ./fm//yr = '1999') and "
        'about(., "intelligent transportation system")]//sec[about(., automation +vehicle)]'
    )
    assert str(first.target) == "//article//sec"
    assert [str(support.path) for support in first.supports] == [
        "//article/fm//yr",
        "//article/fm//yr",
        "//article",
        "//article//sec",
    ]
    second = parse_structured('//article//sec[about(.,+"markov chains" +algorithm +graphs)]\n')
    assert len(second.segments) == 1
    assert str(second.target) == "//article//sec"


def test_precedence() -> None:
    text = "//a[about(., b) or about(., c) and about(., d)]"
    assert str(parse_structured(text)) == text
    flat = "//a[(about(., b) or about(., c)) and about(., d)]"
    assert str(parse_structured(text, "flat")) == flat


def test_an_apostrophe_inside_wrapped_terms() -> None:
    query = parse_structured("//a[about(., 'Britain's Got Talent')]")
    assert str(query) == "//a[about(., Britain's Got Talent)]"


def test_interpretations() -> None:
    query = parse_structured("//article[about(.//st, IBM)]//sec[about(., computer)]")
    for name, target, support in [
        ("SCAS", "//article//sec", "//article//st"),
        ("VCAS", "//*", "//*"),
        ("svcas", "//article//sec", "//*"),
        ("VSCAS", "//*", "//article//st"),
    ]:
        meant = Interpretation.named(name)
        assert str(meant.target_of(query)) == target
        assert str(meant.supports_of(query)[0].path) == support
    with pytest.raises(SyntaxProblem, match="no interpretation 'XCAS': expected one of SCAS"):
        Interpretation.named("XCAS")


def test_the_verb_explains_a_query(tmp_path: Path) -> None:
    article = "<article><title>Tides</title><sec><title>x</title><ss1>y</ss1></sec></article>"
    source = write_files(tmp_path / "source", {"a.xml": article})
    assert doxeval("collection", "build", source, "--out", tmp_path / "demo").exit_code == 0
    query = "//article[about(.//title,tide)]//(sec|ss1)"
    result = doxeval("nexi", query, "--collection", tmp_path / "demo", "--tree")
    assert result.stdout.splitlines() == [
        "structure",
        "  path //article",
        "    about .//title",
        "      term tide",
        "  path //(sec|ss1)",
        "target   //article//(sec|ss1)  (2 elements)",
        "support  //article//title  (2 elements): about(.//title, tide)",
    ]
    result = doxeval("nexi", "-moon tide")
    assert (result.exit_code, result.stdout) == (0, "-moon tide\n")
    result = doxeval("nexi", "//a[about(.)]")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == "Error: column 12: expected ',' after the path"
    assert result.stderr.splitlines()[2].index("^") == 2 + 11


@pytest.mark.parametrize(
    ("strictness", "target", "support"),
    [
        ("sscas", "//article//sec  (1 element)", "//article//title  (2 elements)"),
        ("SVCAS", "//article//sec  (1 element)", "//*  (4 elements)  (hint: //article//title)"),
        ("vscas", "//*  (4 elements)  (hint: //article//sec)", "//article//title  (2 elements)"),
        (
            "vvcas",
            "//*  (4 elements)  (hint: //article//sec)",
            "//*  (4 elements)  (hint: //article//title)",
        ),
    ],
)
def test_the_verb_shows_how_strictly_a_query_is_meant(
    build: Builder, strictness: str, target: str, support: str
) -> None:
    article = "<article><title>Tides</title><sec><title>x</title></sec></article>"
    directory = build({"a.xml": article}).directory
    query = "//article[about(.//title, tide)]//sec"
    result = doxeval("nexi", query, "--strictness", strictness, "--collection", directory)
    assert result.stdout.splitlines() == [
        query,
        f"target   {target}",
        f"support  {support}: about(.//title, tide)",
    ]


def test_what_a_query_without_structure_has_no_use_for() -> None:
    for option in (["--strictness", "sscas"], ["--collection", "wiki"]):
        result = doxeval("nexi", "tide -moon", *option)
        assert result.exit_code == 2
        assert f"{option[0]} is about paths, and this query has none" in result.stderr
