// Bringing a place of the document into sight.

import type { ShownDocument } from "./document";

/** Where a place is brought to, as a share of the window's height. */
const NEAR_TOP = 0.3;
/** Room for the bars at the edges of the window, in pixels. */
const EDGE = 110;
const SIDE = 40;

export function scrollToUnit(shown: ShownDocument, unit: number, when: "always" | "if hidden" = "always"): void {
  const place = shown.placeOf(Math.min(unit, Math.max(shown.text.length - 1, 0)));
  // Parts of a long document get their layout when they come near: look again until it stands.
  for (let tries = 0; tries < 3; tries++) {
    const range = document.createRange();
    range.setStart(place.node, place.offset);
    range.setEnd(place.node, Math.min(place.offset + 1, place.node.length));
    const rects = range.getClientRects();
    const box = rects.length ? rects[0]! : place.node.parentElement!.getBoundingClientRect();
    scrollSideways(shown.root.parentElement, box);
    const isSeen = box.top >= EDGE && box.bottom <= innerHeight - EDGE;
    if (isSeen && (when === "if hidden" || tries > 0)) return;
    scrollBy({ top: box.top - innerHeight * NEAR_TOP, behavior: "instant" });
  }
}

/** A wide table may reach beyond the column of the text. */
function scrollSideways(column: HTMLElement | null, box: DOMRect): void {
  if (!column) return;
  const { left, right } = column.getBoundingClientRect();
  if (box.right > right) column.scrollLeft += box.right - right + SIDE;
  else if (box.left < left) column.scrollLeft -= left - box.left + SIDE;
}
