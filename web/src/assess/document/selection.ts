// What the browser's selection means: ranges of the document, in code points.

import type { Snap, Span } from "../../shared/api-types";
import type { Boundaries, Edges } from "./boundaries";
import type { ShownDocument } from "./document";

/** The selected ranges of the document; none if nothing of it is selected. */
export function selectedSpans(shown: ShownDocument, boundaries: Boundaries, snap: Snap): Span[] {
  const selection = document.getSelection();
  if (!selection) return [];
  const spans: Span[] = [];
  for (let at = 0; at < selection.rangeCount; at++) {
    const edges = inDocument(selection.getRangeAt(at), shown);
    if (!edges) continue;
    const [start, end] = boundaries.snapped(boundaries.withoutBlockEdges(edges), snap);
    if (start < end) spans.push([shown.points.point(start), shown.points.point(end)]);
  }
  return spans;
}

/** Where the selection ends that the user moves, in code points; null outside the document. */
export function focusPoint(shown: ShownDocument, boundaries: Boundaries): number | null {
  const selection = document.getSelection();
  const node = selection?.focusNode;
  if (!selection || !node || !shown.root.contains(node)) return null;
  const unit = shown.unitOf(node, selection.focusOffset);
  return shown.points.point(boundaries.character(unit)[0]);
}

/** The part of a DOM range that lies in the document, in units; null if it is empty. */
export function inDocument(range: Range, shown: ShownDocument): Edges | null {
  const { root, text } = shown;
  if (!range.intersectsNode(root)) return null;
  const start = root.contains(range.startContainer) ? shown.unitOf(range.startContainer, range.startOffset) : 0;
  const end = root.contains(range.endContainer) ? shown.unitOf(range.endContainer, range.endOffset) : text.length;
  return start < end ? [start, end] : null;
}
