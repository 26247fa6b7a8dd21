"""NEXI, the query language of INEX: its grammar, the syntax tree, and the parser.

    query  : co | path filter (path filter)* path?
    path   : ('//' | '/') node (('//' | '/') node)*        the first path starts with '//'
    node   : tag | '*' | '(' tag ('|' tag)+ ')'
    filter : '[' clause ']'
    clause : item | clause (AND|and|OR|or) clause | '(' clause ')'
    item   : about '(' rel ',' co ')' | rel (= != < > <= >=) (NUMBER | STRING)
    rel    : '.' | '.' path (('//' | '/') '@' tag)?
    co     : (('+'|'-')? (word | '"' word+ '"'))+          optionally in single quotes as a whole

AND binds more tightly than OR; with `flat` precedence both bind equally, from left to right, as
in the first grammar of NEXI. Typographic quotes are read as plain ones. A word consists of
letters, marks, digits and `_ - ' . &`, does not start with `-` or `'`, and has a letter or a
digit (or is just `&`). Parentheses, and conditions joined by AND and OR, are nested at most 200
deep; a query has at most 20,000 characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple, NoReturn, TypeAlias
from unicodedata import category

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted
from doxeval.named import checked

Precedence = Literal["and", "flat"]
Strictness = Literal["strict", "vague"]
MAX_DEPTH = 200
# Each condition is paired with the whole path of its elements, so the parsed query can be as long
# as the square of the text.
MAX_LENGTH = 20_000


class NexiError(SyntaxProblem):
    """The error that a query is not NEXI: the column, from 1, and what was expected there.

    >>> parse_nexi("//article[about(.)]")
    Traceback (most recent call last):
    doxeval.topics.nexi.NexiError: column 18: expected ',' after the path
    """

    def __init__(self, column: int, expected: str) -> None:
        super().__init__(f"column {column}: expected {expected}")
        # The arguments of this class, not those of its base, so that the error can be pickled.
        self.args = (column, expected)
        self.at = column


@checked
def parse_nexi(query: str, precedence: Precedence = "and") -> Query:
    """Parse a query of either kind: one that starts with `/` is structured.

    >>> str(parse_nexi("//article[about(.,IBM)]//sec[about(., computer)]").target)
    '//article//sec'
    """
    if query.lstrip().startswith("/"):
        return parse_structured(query, precedence)
    return parse_content(query)


def parse_content(query: str) -> ContentQuery:
    """Parse a content-only query.

    >>> parse_content('opera -soprano').terms[1]
    Term(words=('soprano',), sign='-', is_phrase=False)
    """
    parser = _Parser(query, "and")
    terms = parser.content()
    parser.end("a word, a phrase in double quotes, or the end of the query")
    parser.check_length()
    return ContentQuery(terms)


def parse_structured(query: str, precedence: Precedence = "and") -> StructuredQuery:
    """Parse a query of content and structure.

    >>> [str(support.path) for support in parse_structured("//a[about(./b, c)]//d").supports]
    ['//a/b']
    """
    parser = _Parser(query, precedence)
    segments = parser.segments()
    parser.check_length()
    return StructuredQuery(segments)


# The syntax tree. Every node prints as NEXI, and a printed query parses to the same tree.


@dataclass(frozen=True)
class NexiStep:
    """One step of a path: the axis (`/` child, `//` descendant) and the tags it accepts.

    Without tags, it accepts any tag.

    >>> str(NexiStep("//", ("sec", "p")))
    '//(sec|p)'
    """

    axis: str
    tags: tuple[str, ...] = ()

    def __str__(self) -> str:
        if len(self.tags) > 1:
            return f"{self.axis}({'|'.join(self.tags)})"
        return self.axis + (self.tags[0] if self.tags else "*")


@dataclass(frozen=True)
class NexiPath:
    """A path of one or more steps."""

    steps: tuple[NexiStep, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    def __add__(self, other: NexiPath) -> NexiPath:
        return NexiPath(self.steps + other.steps)


@dataclass(frozen=True)
class Relative:
    """A path from an element to itself, to elements below it, or to an attribute."""

    path: NexiPath | None = None
    attribute_axis: str | None = None
    attribute: str | None = None

    def __str__(self) -> str:
        attribute = "" if self.attribute is None else f"{self.attribute_axis}@{self.attribute}"
        return f".{self.path or ''}{attribute}"


@dataclass(frozen=True)
class Term:
    """A word or a phrase, with `+` (important), `-` (unwanted) or no sign.

    >>> str(Term(("natural", "disaster"), "-", is_phrase=True))
    '-"natural disaster"'
    """

    words: tuple[str, ...]
    sign: str = ""
    is_phrase: bool = False

    def __str__(self) -> str:
        text = " ".join(self.words)
        return f'{self.sign}"{text}"' if self.is_phrase else self.sign + text


@dataclass(frozen=True)
class About:
    """The condition that an element, or an element below it, is about some terms."""

    where: Relative
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about({self.where}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class ValueComparison:
    """The condition that a value in the document is equal to, less than … a given value."""

    where: Relative
    operator: str
    value: str
    is_number: bool

    def __str__(self) -> str:
        quote = '"' if "'" in self.value else "'"
        value = self.value if self.is_number else f"{quote}{self.value}{quote}"
        return f"{self.where} {self.operator} {value}"


@dataclass(frozen=True)
class And:
    """The condition that all clauses hold."""

    clauses: tuple[Clause, ...]

    def __str__(self) -> str:
        return " and ".join(
            f"({clause})" if isinstance(clause, And | Or) else str(clause)
            for clause in self.clauses
        )


@dataclass(frozen=True)
class Or:
    """The condition that at least one of the clauses holds."""

    clauses: tuple[Clause, ...]

    def __str__(self) -> str:
        return " or ".join(
            f"({clause})" if isinstance(clause, Or) else str(clause) for clause in self.clauses
        )


Clause: TypeAlias = About | ValueComparison | And | Or


@dataclass(frozen=True)
class QuerySegment:
    """A path with a condition on its elements; only the last segment may lack a condition."""

    path: NexiPath
    condition: Clause | None = None

    def __str__(self) -> str:
        return str(self.path) if self.condition is None else f"{self.path}[{self.condition}]"

    @property
    def conditions(self) -> tuple[About | ValueComparison, ...]:
        """The abouts and comparisons of its condition, in order."""
        return tuple(_simple_conditions(self.condition))


@dataclass(frozen=True)
class Support:
    """A condition with the full path of the elements it is about."""

    path: NexiPath
    condition: About | ValueComparison


@dataclass(frozen=True)
class ContentQuery:
    """A query of terms only (CO)."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))


@dataclass(frozen=True)
class StructuredQuery:
    """A query of terms and structure (CAS)."""

    segments: tuple[QuerySegment, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.segments))

    @property
    def target(self) -> NexiPath:
        """The path of the elements to return: the whole path of the query."""
        return NexiPath(tuple(step for segment in self.segments for step in segment.path.steps))

    @property
    def conditions(self) -> tuple[About | ValueComparison, ...]:
        """The abouts and comparisons of all segments, in order."""
        return tuple(each for segment in self.segments for each in segment.conditions)

    @property
    def supports(self) -> tuple[Support, ...]:
        """Each condition with the full path of the elements it is about."""
        supports: list[Support] = []
        above = NexiPath(())
        for segment in self.segments:
            above += segment.path
            for condition in segment.conditions:
                below = condition.where.path
                supports.append(Support(above if below is None else above + below, condition))
        return tuple(supports)


Query: TypeAlias = ContentQuery | StructuredQuery


def _simple_conditions(clause: Clause | None) -> Iterator[About | ValueComparison]:
    """Yield the abouts and comparisons of a clause, in order."""
    if isinstance(clause, And | Or):
        for inner in clause.clauses:
            yield from _simple_conditions(inner)
    elif clause is not None:
        yield clause


# Strict and vague interpretations

_ANYTHING = NexiPath((NexiStep("//"),))


@dataclass(frozen=True)
class Interpretation:
    """How strictly the structure of a query is to be taken.

    A structured query says what to return (the target) and where to look (the supports). Each of
    the two can be strict, a requirement, or vague, a hint. INEX 2005 named the four
    interpretations by two letters, the target first: SSCAS, SVCAS, VSCAS, VVCAS. SCAS and VCAS of
    2002 to 2004 are SSCAS and VVCAS.

    >>> Interpretation.named("VSCAS")
    Interpretation(target='vague', support='strict')
    """

    target: Strictness
    support: Strictness

    @classmethod
    def named(cls, name: str) -> Interpretation:
        """Return the interpretation with this name of INEX, in upper or lower case."""
        if name.upper() not in INTERPRETATIONS:
            known = ", ".join(INTERPRETATIONS)
            raise SyntaxProblem(f"no interpretation {quoted(name)}: expected one of {known}")
        return INTERPRETATIONS[name.upper()]

    def target_of(self, query: StructuredQuery) -> NexiPath:
        """Return the path that results must match; any path if the target is a hint.

        >>> query = parse_structured("//article[about(.,IBM)]//sec")
        >>> [str(Interpretation.named(name).target_of(query)) for name in ("SCAS", "VCAS")]
        ['//article//sec', '//*']
        """
        return query.target if self.target == "strict" else _ANYTHING

    def supports_of(self, query: StructuredQuery) -> tuple[Support, ...]:
        """Return each condition with the path that its element must match."""
        if self.support == "strict":
            return query.supports
        return tuple(Support(_ANYTHING, support.condition) for support in query.supports)


INTERPRETATIONS = {
    "SCAS": Interpretation("strict", "strict"),
    "VCAS": Interpretation("vague", "vague"),
    "SSCAS": Interpretation("strict", "strict"),
    "SVCAS": Interpretation("strict", "vague"),
    "VSCAS": Interpretation("vague", "strict"),
    "VVCAS": Interpretation("vague", "vague"),
}


# The parser

_PLAIN_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_SPACE = re.compile(r"\s*")
_AXIS = re.compile(r"//?")
_STEP_FOLLOWS = re.compile(r"\s*+//?+\s*+(?!@)")  # and not an attribute
_TAG = re.compile(r"[^\W\d][\w.:·\u0300-\u036f\u203f\u2040-]*")
_OPERATOR = re.compile(r"!=|<=|>=|=|<|>")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?![\w.])")
_CONNECTIVE = re.compile(r"(AND|and|OR|or)(?![\w])")


class _Parser:
    """A recursive-descent parser of one query; `_at` is the position of the next character."""

    def __init__(self, query: str, precedence: Precedence) -> None:
        self._is_too_long = len(query) > MAX_LENGTH
        self._text = query[:MAX_LENGTH].translate(_PLAIN_QUOTES)
        self._at = 0
        self._depth = 0
        self._flat = precedence == "flat"

    # Small steps

    def _skip_space(self) -> None:
        if space := _SPACE.match(self._text, self._at):
            self._at = space.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _fail(self, expected: str) -> NoReturn:
        self.check_length()
        raise NexiError(self._at + 1, expected)

    def check_length(self) -> None:
        """Fail if the query is too long and everything up to the limit has been read."""
        if self._is_too_long and self._at >= len(self._text):
            raise NexiError(
                MAX_LENGTH + 1, f"the end: a query has at most {MAX_LENGTH:,} characters"
            )

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        self._skip_space()
        match = pattern.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]

    def _expect(self, pattern: re.Pattern[str], expected: str) -> str:
        match = self._match(pattern)
        if match is None:
            self._fail(expected)
        return match

    def _take(self, literal: str) -> bool:
        self._skip_space()
        if not self._text.startswith(literal, self._at):
            return False
        self._at += len(literal)
        return True

    def _need(self, literal: str, after: str) -> None:
        if not self._take(literal):
            self._fail(f"{_quoted(literal)} after {after}")

    def end(self, otherwise: str) -> None:
        """Fail unless the query ends here; `otherwise` is what else would be allowed."""
        self._skip_space()
        if self._at < len(self._text):
            self._fail(otherwise)

    # Structure

    def segments(self) -> tuple[QuerySegment, ...]:
        """Parse a whole query of content and structure."""
        self._skip_space()
        if not self._text.startswith("//", self._at):
            self._fail("'//' at the beginning")
        segments: list[QuerySegment] = []
        while True:
            path = self._path()
            if not self._take("["):
                if not segments:
                    self._fail("'[' and a condition after the path")
                segments.append(QuerySegment(path))
                self.end("'[' or the end of the query after the path")
                return tuple(segments)
            condition = self._clause().clause
            self._need("]", "the condition")
            segments.append(QuerySegment(path, condition))
            self._skip_space()
            if self._at == len(self._text):
                return tuple(segments)
            if self._peek() != "/":
                self._fail("'/' or '//' and a path, or the end of the query")

    def _path(self) -> NexiPath:
        steps = [self._step()]
        while _STEP_FOLLOWS.match(self._text, self._at):
            steps.append(self._step())
        return NexiPath(tuple(steps))

    def _step(self) -> NexiStep:
        axis = self._expect(_AXIS, "'/' or '//'")
        if self._take("*"):
            return NexiStep(axis)
        if not self._take("("):
            return NexiStep(axis, (self._expect(_TAG, "a tag, '*' or '('"),))
        tags = [self._expect(_TAG, "a tag")]
        while self._take("|"):
            tags.append(self._expect(_TAG, "a tag"))
        if len(tags) < 2:
            self._fail("'|' and another tag")
        self._need(")", "the tags")
        return NexiStep(axis, tuple(tags))

    # Conditions

    def _clause(self) -> _NestedClause:
        operands = [self._operand()]
        operators: list[str] = []
        while (connective := self._match(_CONNECTIVE)) is not None:
            operators.append(connective.lower())
            operands.append(self._operand())
        combine = _left_to_right if self._flat else _and_before_or
        clause = combine(operands, operators)
        if clause.depth > MAX_DEPTH:
            self._fail(f"at most {MAX_DEPTH} conditions nested in one another by and, or")
        return clause

    def _operand(self) -> _NestedClause:
        if not self._take("("):
            return _NestedClause(self._item(), 0)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"at most {MAX_DEPTH} nested parentheses")
        clause = self._clause()
        self._need(")", "the clause")
        self._depth -= 1
        return clause

    def _item(self) -> Clause:
        if self._take("about"):
            self._need("(", "about")
            where = self._relative()
            self._need(",", "the path")
            terms = self.content()
            self._need(")", "the terms")
            return About(where, terms)
        where = self._relative("about, a path that starts with '.', or '('")
        operator = self._expect(_OPERATOR, "'=', '!=', '<', '>', '<=' or '>=' after the path")
        number = self._match(_NUMBER)
        if number is not None:
            return ValueComparison(where, operator, number, is_number=True)
        return ValueComparison(where, operator, self._string(), is_number=False)

    def _relative(self, expected: str = "'.' and a path") -> Relative:
        if not self._take("."):
            self._fail(expected)
        self._skip_space()
        if self._peek() != "/":
            return Relative()
        path = self._path()
        axis = self._match(_AXIS)
        if axis is None:
            return Relative(path)
        self._need("@", "the axis")
        return Relative(path, axis, self._expect(_TAG, "the name of an attribute"))

    def _string(self) -> str:
        self._skip_space()
        quote = self._peek()
        if quote not in ("'", '"'):
            self._fail("a number or a string in quotes")
        end = self._text.find(quote, self._at + 1)
        if end < 0:
            self._at = len(self._text)
            self._fail(f"{_quoted(quote)} at the end of the string")
        value = self._text[self._at + 1 : end]
        self._at = end + 1
        return value

    # Content

    def content(self) -> tuple[Term, ...]:
        """Parse one or more terms, perhaps in single quotes as a whole."""
        if not self._take("'"):
            return self._terms(wrapped=False)
        terms = self._terms(wrapped=True)
        self._need("'", "the terms")
        return terms

    def _terms(self, wrapped: bool) -> tuple[Term, ...]:
        """Parse terms; if they are wrapped in single quotes, such a quote may end them."""
        terms = [self._term(wrapped)]
        while True:
            self._skip_space()
            first = self._peek()
            ends = not first or (first == "'" and wrapped)
            if ends or not (first in '+"' or _in_word(first)):
                return tuple(terms)
            terms.append(self._term(wrapped))

    def _term(self, wrapped: bool) -> Term:
        self._skip_space()
        sign = self._peek() if self._peek() in ("+", "-") else ""
        self._at += len(sign)
        if self._peek() != '"':
            after_sign = f" right after '{sign}'" if sign else ""
            return Term((self._word(wrapped, "a word or a phrase" + after_sign),), sign)
        self._at += 1
        words = []
        self._skip_space()
        while self._peek() != '"':
            words.append(self._word(wrapped, "a word or '\"' at the end of the phrase"))
            self._skip_space()
        if not words:
            self._fail("a word in the phrase")
        self._at += 1
        return Term(tuple(words), sign, is_phrase=True)

    def _word(self, wrapped: bool, expected: str) -> str:
        text, end = self._text, self._at
        while end < len(text) and _in_word(text[end]):
            if wrapped and text[end] == "'" and not _in_word(text[end + 1 : end + 2] or " "):
                break  # the quote that closes the terms
            end += 1
        word = text[self._at : end]
        if not is_word(word):
            self._fail(expected)
        self._at = end
        return word


def _quoted(literal: str) -> str:
    return f'"{literal}"' if "'" in literal else f"'{literal}'"


def is_word(text: str) -> bool:
    """Return whether a text is a word of NEXI.

    >>> is_word("Al-Andalus"), is_word("-"), is_word("&")
    (True, False, True)
    """
    if not text or text[0] in "-'" or not all(map(_in_word, text)):
        return False
    return text == "&" or any(category(character)[0] in "LN" for character in text)


def _in_word(character: str) -> bool:
    return character in "_-'.&" or category(character)[0] in "LMN"


class _NestedClause(NamedTuple):
    """A clause, and how deep `and` and `or` are nested in it."""

    clause: Clause
    depth: int


def _left_to_right(operands: list[_NestedClause], operators: list[str]) -> _NestedClause:
    """Combine operands if both connectives bind equally, from left to right."""
    result, rest = operands[0], iter(operands[1:])
    for operator, same in groupby(operators):
        result = _combined(operator, [result, *(next(rest) for _ in same)])
    return result


def _and_before_or(operands: list[_NestedClause], operators: list[str]) -> _NestedClause:
    """Combine operands if AND binds more tightly than OR."""
    groups = [[operands[0]]]
    for operator, operand in zip(operators, operands[1:], strict=True):
        if operator == "and":
            groups[-1].append(operand)
        else:
            groups.append([operand])
    return _combined("or", [_combined("and", group) for group in groups])


def _combined(operator: str, group: list[_NestedClause]) -> _NestedClause:
    if len(group) == 1:
        return group[0]
    clauses = tuple(clause for clause, _ in group)
    depth = 1 + max(depth for _, depth in group)
    return _NestedClause(And(clauses) if operator == "and" else Or(clauses), depth)
