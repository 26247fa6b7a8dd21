"""Documents as the page shows them: their text, their elements, and the role of each.

The page knows roles and no tags: a heading is a heading, whether the collection calls it `st`,
`title` or `h2`. Roles follow from tags and paths, by the table below, which has the tags of HTML,
Markdown, INEX, JATS, DocBook, TEI and Mallard, and by what the organiser says. Paths win over tags,
and the organiser over the table. A tag that is not known is inline if the collection says so, or if
it only occurs within running text; otherwise it is a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast, get_args

import msgspec
import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assess.choices import DISPLAY_ROLES, DisplayRole
from doxeval.assess.web.wire import ElementRows, Fact, FactName
from doxeval.documents import PathPatterns, PathSummary

if TYPE_CHECKING:
    from doxeval.assess.judging import Article
    from doxeval.documents import Collection, DisplayFact

_LONGEST_TITLE = 120
_MOST_ROWS = 200  # that a title is looked for in

# Tags are compared in lower case and without the prefix of a namespace.
_TAGS: dict[DisplayRole, str] = {
    "heading": "head heading hdr h h1a h2a atl st title tig subtitle article-title summary "
    "bridgehead",
    "heading-1": "h1",
    "heading-2": "h2",
    "heading-3": "h3",
    "heading-4": "h4",
    "heading-5": "h5",
    "heading-6": "h6",
    "paragraph": "p para simpara ip1 ip2 ip3 ip4 ip5 ilrj",
    "preformatted": "pre preformat programlisting screen listing literallayout synopsis xmp "
    "plaintext eg",
    "code": "code tt samp kbd var literal command filename function option parameter constant "
    "varname classname envar userinput computeroutput replaceable markup monospace tex-math gi att "
    "cmd file sys key keyseq keycombo",
    "emphasis": "em i it italic emph emphasis emph2 emph3 emph4 cite dfn hi citetitle firstterm "
    "foreign mentioned",
    "strong": "b strong bold bi gui guiseq guibutton guimenu guimenuitem guisubmenu guilabel",
    "small": "small smallcaps sc scp",
    "superscript": "sup superscript",
    "subscript": "sub subscript",
    "list": "ul menu dir list itemizedlist simplelist listbibl bullet-list "
    "normallist l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld le letter-list",
    "ordered-list": "ol orderedlist procedure substeps steps numeric-list numeric-brace "
    "numeric-rbrace numberlist",
    "item": "li item listitem list-item lt step member",
    "definition-list": "dl definitionlist variablelist glosslist def-list terms",
    "term": "dt term glossterm",
    "description": "dd def glossdef definitionitem",
    "quote": "blockquote disp-quote epigraph quote lg verse-group",
    "quotation": "q",
    "footnote": "footnote fn",
    "caption": "caption figcaption legend fgc figdesc attrib attribution",
    "figure": "figure fig table-wrap mediaobject informalfigure",
    "picture": "img image picture graphic inline-graphic imagedata media inlinemediaobject svg "
    "video audio canvas object iframe art",
    "table": "table tbl informaltable",
    "head": "thead",
    "body": "tbody tfoot",
    "row": "tr row",
    "header": "th",
    "cell": "td cell col",
    "break": "br break",
    "rule": "hr",
    "mathematics": "math maths equation inline-formula tf tmath f en eqn formula "
    "inlineequation mathphrase",
    "inline": "bdi bdo time label button select progress meter ruby rt rp wbr data rm url "
    "xref ext-link ref link citation ulink email",
    "block": "html main article section sec ss ss1 ss2 ss3 bdy bm fm bb bib bibl abs div "
    "aside address footer nav form fieldset details document vt app ack au kwd template "
    "indent disp-formula informalequation alternatives l verse-line",
}
TAG_ROLES: Mapping[str, DisplayRole] = {
    tag: role for role, tags in _TAGS.items() for tag in tags.split()
}
# What a tag means in some places only; the last pattern that matches decides.
PATTERN_ROLES: Mapping[str, DisplayRole] = {
    "//(note|tip|warning|caution|important|example|list|steps|terms|orderedlist|itemizedlist|"
    "variablelist|procedure|formalpara|blockquote|quote)/title": "strong",
    "//(table|informaltable|figure|fig|tbl|table-wrap|listing|media)/title": "caption",
    "//(figure|fig|table|formula)/head": "caption",
    "//caption/title": "strong",
    "/article/name": "heading",
    # Tables: of INEX and DocBook, and columns, which have no text
    "//row/entry": "cell",
    "//list/entry": "item",
    "//tgroup": "table",
    "//thead/row/entry": "header",
    "//thead/tr/td": "header",
    "//(colgroup|tgroup|table|informaltable)/(col|colspec|spanspec|tcol)": "inline",
    "//(colgroup|tcolgroup)": "inline",
    # DocBook and Mallard
    "//varlistentry/listitem": "description",
    "//terms/item": "description",
    "//terms/item/title": "term",
    "//(p|para|simpara|title|em)//(media|mediaobject)": "picture",
    "/page//(page|section|item|td|note|quote|example|listing|synopsis)/code": "preformatted",
    "/page/code": "preformatted",
    "/page//listing": "figure",
    "/page//synopsis": "block",
    "/page//(input|output)": "code",
    # JATS
    "/article/(front|body|back)//(sec|body|app|boxed-text|fig)/code": "preformatted",
    "/article//ref-list": "list",
    "/article//ref-list/ref": "item",
    "/article//fn-group/fn": "paragraph",
    # TEI
    "//(tei|tei.2|text)//lb": "break",
    "//(tei|tei.2|text)//note": "footnote",
    "//(tei|tei.2)//ab": "paragraph",
    "//(tei|tei.2)//bibl": "inline",
    "//(tei|tei.2)//listbibl/bibl": "item",
    # HTML
    "/html/head": "block",
    "//pre//(code|samp|kbd|tt|var)": "inline",
    "//(programlisting|screen|listing|preformat)//(code|literal)": "inline",
}
# Elements with these roles stand within a line.
INLINE_ROLES: frozenset[DisplayRole] = frozenset(
    ("code", "emphasis", "strong", "small", "superscript", "subscript", "quotation", "picture",
     "mathematics", "inline")
)  # fmt: skip
_ROLES: tuple[DisplayRole, ...] = tuple(DISPLAY_ROLES)
_NUMBERS: Mapping[str, int] = {role: number for number, role in enumerate(_ROLES)}
_FACTS = get_args(FactName)
_UNKNOWN = -1
_HEADING, _FIRST_LEVEL = _NUMBERS["heading"], _NUMBERS["heading-1"]


def tag_role(tag: str) -> DisplayRole | None:
    """Return the role that a tag has by the table.

    >>> tag_role("H2"), tag_role("mml:math"), tag_role("zed")
    ('heading-2', 'mathematics', None)
    """
    return TAG_ROLES.get(_plain(tag))


def _plain(tag: str) -> str:
    return tag.rpartition(":")[2].lower()


class Display:
    """How the documents of a collection are shown: the roles of its paths.

    >>> from doxeval.documents.examples import example_collection
    >>> text = "<article><st>Fog</st><p>One <x>two</x>.</p></article>"
    >>> Display(example_collection({"a": text}), {"//p/x": "strong"}).title(0)
    'Fog'
    """

    def __init__(self, collection: Collection, roles: Mapping[str, str] | None = None) -> None:
        self.collection = collection
        self.roles = roles or {}

    @cached_property
    def _of_path(self) -> Ints:
        """The number of the role of each path; -1 if the place of an element decides."""
        summary, inline = self.collection.summary, self.collection.inline_tags
        of_tag = np.full(len(summary.tags), _UNKNOWN, dtype=np.int64)
        for number, tag in enumerate(summary.tags):
            role = tag_role(tag)
            if tag in inline and role not in INLINE_ROLES:
                role = "inline"
            if role is not None:
                of_tag[number] = _NUMBERS[role]
        roles: Ints = of_tag[summary.tag_of]
        plain = PathSummary(
            [_plain(tag) for tag in summary.tags], summary.parent_of, summary.tag_of
        )
        _apply_patterns(roles, PATTERN_ROLES, plain)
        for number, tag in enumerate(summary.tags):
            if tag in self.roles:
                roles[summary.tag_of == number] = _NUMBERS[self.roles[tag]]
        patterns = {key: role for key, role in self.roles.items() if key.startswith("/")}
        _apply_patterns(roles, patterns, summary)
        return roles

    def _paths(self, number: int) -> Ints:
        rows = slice(int(self.collection.rows[number]), int(self.collection.rows[number + 1]))
        return self.collection.nodes.path[rows].astype(np.int64)

    def roles_of(self, article: Article) -> Ints:
        """Return the number of the role of each element of a document, among `DISPLAY_ROLES`.

        >>> from doxeval.assess.judging import Article
        >>> from doxeval.documents.examples import example_collection
        >>> text = "<doc><zed>x <wye>y</wye></zed><vau><you>one</you></vau></doc>"
        >>> collection = example_collection({"a": text})
        >>> roles = Display(collection).roles_of(Article.of(collection, "a"))
        >>> [list(DISPLAY_ROLES)[role] for role in roles]
        ['block', 'block', 'inline', 'block', 'block']
        """
        roles = self._of_path[self._paths(self.collection.document(article.document))]
        within = np.zeros(len(article), dtype=np.bool_)
        within[1:] = (~article.nothing_but_children & (article.end > article.start))[
            article.parent[1:]
        ]
        outside = np.bincount(article.tag[~within], minlength=len(article.tags))[article.tag] > 0
        by_place = np.where(outside, _NUMBERS["block"], _NUMBERS["inline"])
        roles = np.where(roles == _UNKNOWN, by_place, roles)
        roles = np.where((roles == _NUMBERS["quote"]) & ~outside, _NUMBERS["quotation"], roles)
        is_heading = roles == _HEADING
        roles[is_heading] = _FIRST_LEVEL - 1 + _levels(is_heading, article)[is_heading]
        return roles

    def title(self, number: int) -> str:
        """Return the first heading of a document, or how its text begins."""
        collection = self.collection
        text, first = collection.text_of(number), int(collection.rows[number])
        roles = self._of_path[self._paths(number)[:_MOST_ROWS]]
        is_heading = (roles == _HEADING) | ((roles >= _FIRST_LEVEL) & (roles < _FIRST_LEVEL + 6))
        for row in (first + np.flatnonzero(is_heading)).tolist():
            start, end = int(collection.nodes.start[row]), int(collection.nodes.end[row])
            if text[start:end].strip():
                return _on_one_line(text[start : min(end, start + 4 * _LONGEST_TITLE)])
        return _on_one_line(text[: 4 * _LONGEST_TITLE])


def _apply_patterns(roles: Ints, patterns: Mapping[str, str], summary: PathSummary) -> None:
    for pattern, role in patterns.items():
        roles[PathPatterns.parse(pattern).matches(summary)] = _NUMBERS[role]


def _levels(is_heading: Bools, article: Article) -> Ints:
    """Return the level of each heading: how many elements with headings of their own hold it.

    The first heading is the document's title, above all others, if there is only one of its kind.
    """
    rows = np.flatnonzero(is_heading)
    levels = np.ones(len(article), dtype=np.int64)
    if not len(rows):
        return levels
    parents = np.maximum(article.parent[rows], 0)
    around = np.unique(parents)
    ends = np.minimum(around + article.size[around], len(article))
    opened = np.bincount(around, minlength=len(article) + 1)
    closed = np.bincount(ends, minlength=len(article) + 1)
    levels = np.cumsum(opened - closed)[:-1]
    of_tags = np.stack([article.tag[rows], article.tag[parents]])
    if int((of_tags == of_tags[:, :1]).all(axis=0).sum()) == 1:
        behind = parents[0] + article.size[parents[0]]
        levels[behind:] += 1
    return np.clip(levels, 1, 6)


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"


class DocumentData(msgspec.Struct, frozen=True):
    """The part of an article's data that is about the document, exactly as it is."""

    text: str
    length: int
    sha256: str
    elements: ElementRows
    tags: list[str]
    roles: list[DisplayRole]
    facts: list[Fact]


def document_data(
    article: Article, display: Display, facts: Sequence[DisplayFact] = ()
) -> DocumentData:
    """Return the text, its length and hash, and the elements in document order with their roles.

    facts: what the collection keeps of how the document's author wanted it shown.

    >>> from doxeval.assess.judging import Article
    >>> from doxeval.documents.examples import example_collection
    >>> text = "<article><st>Fog</st><p>One <x>two</x>.</p></article>"
    >>> collection = example_collection({"a": text})
    >>> data = document_data(Article.of(collection, "a"), Display(collection))
    >>> data.text, data.length, data.tags, data.elements.tag
    ('FogOne two.', 11, ['article', 'st', 'p', 'x'], [0, 1, 2, 3])
    >>> [data.roles[role] for role in data.elements.role]
    ['block', 'heading-1', 'paragraph', 'inline']
    """
    roles = display.roles_of(article)
    _apply_facts(roles, article, facts)
    used, role = np.unique(roles, return_inverse=True)
    columns = {
        name: getattr(article, name).tolist()
        for name in ("start", "end", "parent", "tag", "ordinal")
    }
    return DocumentData(
        article.text,
        len(article.text),
        article.sha256,
        ElementRows(**columns, role=role.tolist()),
        list(article.tags),
        [_ROLES[number] for number in used.tolist()],
        [(row, cast("FactName", name), value) for row, name, value in facts if name in _FACTS],
    )


def _apply_facts(roles: Ints, article: Article, facts: Sequence[DisplayFact]) -> None:
    """Change the roles of elements of which their author said more than their tags do."""
    head_rows = []
    for element, name, value in facts:
        role = _ROLES[roles[element]]
        if name == "style" and role in INLINE_ROLES:
            roles[element] = _NUMBERS[value]
        elif name == "numbering" and role == "list":
            roles[element] = _NUMBERS["ordered-list"]
        elif name == "header" and role == "cell":
            roles[element] = _NUMBERS["header"]
        elif name == "header" and role == "row":
            head_rows.append(element)
    if head_rows:
        roles[np.isin(article.parent, head_rows) & (roles == _NUMBERS["cell"])] = _NUMBERS["header"]
