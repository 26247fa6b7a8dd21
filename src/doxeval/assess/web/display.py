"""How elements are shown: the role of each tag.

The page knows ten roles and no tags: a heading is a heading, whether the collection calls it `st`,
`title` or `h2`. Organisers may give tags other roles. A tag that is not known here is inline if the
collection says so, or if it only occurs within running text; otherwise it is a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.errors import InputError
from doxeval.messages import join_names, quoted

Role = Literal[
    "heading", "list", "item", "table", "row", "cell", "inline", "figure", "maths", "block"
]
ROLES: tuple[str, ...] = get_args(Role)

# HTML and Markdown; the IEEE articles of 2002 to 2005; the Wikipedia of 2006 to 2010; the demo.
_TAGS: dict[Role, str] = {
    "heading": "h1 h2 h3 h4 h5 h6 legend summary atl st title tig h h1a h2a hdr head heading name",
    "list": "ul ol dl menu dir list l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld le bullet-list "
    "numeric-list numeric-brace letter-list numeric-rbrace normallist numberlist definitionlist",
    "item": "li dt dd item lt definitionitem",
    "table": "table tbl tgroup",
    "row": "tr row",
    "cell": "td th cell col",
    "figure": "figure fig fgc img image picture svg video audio canvas object iframe graphic",
    "maths": "math maths equation tf tmath f en eqn formula",
    "block": "html body main article section sec ss ss1 ss2 ss3 bdy bm fm bb bib bibl p ip1 ip2 "
    "ip3 ip4 ip5 abs div pre blockquote address header footer nav aside thead tbody tfoot caption "
    "figcaption hr form fieldset details document ilrj vt app ack au kwd br template indent",
    "inline": "bdi bdo time label button input select output progress meter ruby rt rp wbr data "
    "note footnote art url",
}
DEFAULTS: Mapping[str, str] = {tag: role for role, tags in _TAGS.items() for tag in tags.split()}


def checked_display(display: Mapping[str, Any]) -> dict[str, str]:
    """A display map of an organiser: a role of ours for each tag.

    >>> checked_display({"ss1": "block", "theorem": "heading"})
    {'ss1': 'block', 'theorem': 'heading'}
    >>> checked_display({"ss1": "big"})
    Traceback (most recent call last):
    doxeval.errors.InputError: the tag 'ss1' has the role 'big'; roles are heading, list, item, ...
    """
    for tag, role in display.items():
        if role not in ROLES:
            roles = join_names(ROLES, len(ROLES))
            raise InputError(
                f"the tag {quoted(tag)} has the role {quoted(role)}; roles are {roles}"
            )
    return dict(display)


def roles_of(
    tags: Sequence[str],
    tag: Ints,
    parent: Ints,
    mixed: Bools,
    inline: frozenset[str],
    display: Mapping[str, str],
) -> dict[str, str]:
    """The role of each tag of a document.

    tag and parent are columns of its elements; mixed says which of them have text of their own.

    >>> none = np.array([False, True, False])
    >>> roles_of(["s", "p", "x"], np.arange(3), np.array([-1, 0, 1]), none, frozenset(), {})
    {'s': 'block', 'p': 'block', 'x': 'inline'}
    """
    within = np.zeros(len(tag), dtype=np.bool_)
    within[1:] = mixed[parent[1:]]
    outside = np.bincount(tag[~within], minlength=len(tags))
    roles = {}
    for number, name in enumerate(tags):
        known = display.get(name) or DEFAULTS.get(name.lower())
        if name in display:
            roles[name] = display[name]
        elif name in inline:
            roles[name] = "inline"
        elif known is not None:
            roles[name] = known
        elif name.lower() == "entry":
            roles[name] = "cell" if _is_below(tags, tag, parent, number, "row") else "item"
        else:
            roles[name] = "block" if outside[number] else "inline"
    return roles


def _is_below(tags: Sequence[str], tag: Ints, parent: Ints, number: int, above: str) -> bool:
    """Whether an element of a tag, given by its number, has a parent of the other tag."""
    parents = parent[tag == number]
    around = np.unique(tag[parents[parents >= 0]]).tolist()
    return any(tags[one].lower() == above for one in around)
