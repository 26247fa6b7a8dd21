"""The documents of a report as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from doxeval.measures.outcomes import Outcome
from doxeval.reports.document_views import DocumentView
from doxeval.reports.escaping import name, text
from doxeval.reports.outline import Outline
from doxeval.wording import counted

# How many characters stay at both ends of text that is neither highlighted nor returned.
_CONTEXT = 300
_WHOLE_UP_TO = 20_000
_MOST_SHOWN = 60_000


def documents_section(views: Sequence[DocumentView], colours: Sequence[int]) -> str:
    """All documents, and the controls of their layers; `colours` has one for each run."""
    runs = [layer.run for layer in views[0].layers]
    boxes = "".join(
        f'<label><input type="checkbox" checked data-layer="{lane}"> '
        f'<span class="swatch c{colour}"></span>{name(run)}</label>'
        for lane, (run, colour) in enumerate(zip(runs, colours, strict=True))
    )
    links = "".join(f'<li><a href="#document-{n}">{_heading(v)}</a></li>' for n, v in _each(views))
    return (
        "<p>Highlighted passages are marked; each run draws a line under what it returns. The "
        "relevant units are the coarsest disjoint elements that hold the highlighted text, or the "
        "units that were assessed one by one. A run hits a unit if it returns it, or a passage "
        "that holds it. A unit that is not hit is a near-miss if readers may reach it from a "
        "result: the table gives the probability by the model of navigation, and the first rank "
        "from which they may. Otherwise it is missed. The shares by rank count hits, near-misses "
        "and misses in the same way.</p>"
        f"<ol>{links}</ol>"
        '<fieldset class="layers"><legend>Layers</legend><label><input type="checkbox" checked '
        f'data-layer="marks"> <mark>highlighted</mark></label>{boxes}</fieldset>'
        + "".join(_article(number, view, colours) for number, view in _each(views))
    )


def _each(views: Sequence[DocumentView]) -> Iterator[tuple[int, DocumentView]]:
    return iter(enumerate(views, 1))


def _heading(view: DocumentView) -> str:
    return f"Topic {name(view.topic)}, document {name(view.document)}"


def _article(number: int, view: DocumentView, colours: Sequence[int]) -> str:
    share = sum(end - start for start, end in view.highlights) / max(len(view.text), 1)
    facts = (
        f"{counted(len(view.text), 'character')}, {share:.0%} highlighted, "
        f"{counted(len(view.units), 'relevant unit')}"
    )
    return (
        f'<article class="document" id="document-{number}"><h3>{_heading(view)}</h3><p>{facts}</p>'
        f"{_units_table(number, view, colours)}"
        f'<div class="columns"><div><h4>Outline</h4>{_outline(view.outline)}</div>'
        f'<div><h4>Text</h4><div class="text lanes-{len(_lanes(view))}" tabindex="0" role="region" '
        f'aria-label="Text of document {text(view.document)}">{_text(view, colours)}</div></div>'
        "</div></article>"
    )


def _units_table(number: int, view: DocumentView, colours: Sequence[int]) -> str:
    head = "".join(
        f'<th scope="col"><span class="swatch c{colour}"></span>{name(layer.run)}</th>'
        for layer, colour in zip(view.layers, colours, strict=True)
    )
    rows = "".join(
        f'<tr><th scope="row"><code>{text(unit.path)}</code></th>'
        f'<td class="number">{unit.share:.0%}</td>{"".join(map(_cell, unit.found))}</tr>'
        for unit in view.units[:40]
    )
    more = len(view.units) - 40
    note = f"<p>{more} more units are left out.</p>" if more > 0 else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Relevant units of document '
        f'{number}"><table><caption>Relevant units: hit, near or missed (at rank)</caption>'
        f'<thead><tr><th scope="col">relevant unit</th><th scope="col">highlighted</th>{head}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div>{note}"
    )


def _cell(outcome: Outcome) -> str:
    kind, sign, words = "miss", "○", "missed"
    if outcome.hit_at is not None:
        kind, sign, words = "hit", "●", f"hit at {outcome.hit_at:,}"
    elif outcome.reached_from is not None:
        kind, sign = "near", "◐"
        words = f"near, {_percent(outcome.reached)} from {outcome.reached_from:,}"
    return f'<td class="{kind}"><span aria-hidden="true">{sign}</span> {words}</td>'


def _percent(share: float) -> str:
    """A probability in percent; only 0 is shown as 0% and only 1 as 100%."""
    return "&lt;1%" if share < 0.01 else "&gt;99%" if 0.99 < share < 1 else f"{share:.0%}"


def _outline(outline: Outline) -> str:
    rows = "".join(
        f'<li class="d{min(row.depth, 8)}" title="{text(row.path)}"><span class="heat '
        f'h{_level(row.share)}">{row.share:.0%}</span> <code>{text(row.step)}</code> '
        f'<span class="begins">{text(row.begins)}</span></li>'
        for row in outline.rows
    )
    more = f"<p>{counted(outline.left_out, 'more element')}.</p>" if outline.left_out else ""
    return f'<ol class="outline">{rows}</ol>{more}'


def _level(share: float) -> int:
    """A share in steps from 0 to 10; only 0 becomes 0 and only 1 becomes 10."""
    return 0 if share <= 0 else 10 if share >= 1 else min(max(round(share * 10), 1), 9)


def _text(view: DocumentView, colours: Sequence[int]) -> str:
    """The text in blocks, cut where highlighted or returned text begins or ends."""
    length = len(view.text)
    edges = {0, length, *view.outline.blocks}
    for start, end in view.highlights:
        edges |= {start, end}
    for layer in view.layers:
        edges |= {edge for unit in layer.units for edge in (unit.start, unit.end)}
    cuts = np.array(sorted(edge for edge in edges if edge <= length))
    marked = _covered(cuts, [(start, end, 1) for start, end in view.highlights])
    ranks = [_covered(cuts, [unit[:3] for unit in layer.units]) for layer in view.layers]
    paragraphs: list[list[str]] = []
    begins = []
    shown = 0
    for at, (start, end) in enumerate(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)):
        if shown > _MOST_SHOWN:
            break
        if start in view.outline.blocks:
            paragraphs.append([])
            begins.append(start)
        own = [(run, int(rank[at])) for run, rank in enumerate(ranks) if rank[at]]
        piece = view.text[start:end]
        is_bare = length > _WHOLE_UP_TO and not marked[at] and not own
        if is_bare or len(piece) > _MOST_SHOWN:
            piece = _shortened(piece)
        shown += len(piece)
        paragraphs[-1].append(_segment(piece, bool(marked[at]), own, view, colours))
    else:
        start = length
    return _paragraphs(paragraphs, begins, view.outline) + _rest(length - start)


def _paragraphs(blocks: Sequence[Sequence[str]], begins: Sequence[int], outline: Outline) -> str:
    """The blocks that are not blank."""
    written = []
    for pieces, start in zip(blocks, begins, strict=True):
        body = "".join(pieces)
        if body.strip():
            kind = ' class="title"' if start in outline.titles else ""
            written.append(f"<p{kind}>{body}</p>")
    return "".join(written)


def _rest(count: int) -> str:
    return f'<p class="cut">{count:,} more characters are left out.</p>' if count else ""


def _lanes(view: DocumentView) -> list[int]:
    """The runs that return something in the document; each draws a line of its own."""
    return [run for run, layer in enumerate(view.layers) if layer.units]


def _covered(
    cuts: np.ndarray[tuple[int], np.dtype[np.int64]], ranges: Sequence[tuple[int, int, int]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each segment, the best rank of the ranges that cover it; 0 if none does."""
    best = np.zeros(max(len(cuts) - 1, 0), dtype=np.int64)
    for start, end, rank in sorted(ranges, key=lambda each: -each[2]):
        best[np.searchsorted(cuts, start) : np.searchsorted(cuts, end)] = rank
    return best


def _shortened(piece: str) -> str:
    if len(piece) <= 3 * _CONTEXT:
        return piece
    left_out = len(piece) - 2 * _CONTEXT
    return f"{piece[:_CONTEXT]} […{left_out:,} characters…] {piece[-_CONTEXT:]}"


def _segment(
    piece: str,
    is_marked: bool,
    own: Sequence[tuple[int, int]],
    view: DocumentView,
    colours: Sequence[int],
) -> str:
    if not piece.strip():
        return text(piece)
    written = text(piece)
    if is_marked:
        written = f"<mark>{written}</mark>"
    lanes = _lanes(view)
    for run, _ in own:
        kinds = f"u l{run} p{lanes.index(run)} c{colours[run]}"
        written = f'<span class="{kinds}">{written}</span>'
    if own:
        title = ", ".join(f"{view.layers[run].run} at {rank}" for run, rank in own)
        written = f'<span title="{text(title)}">{written}</span>'
    return written
