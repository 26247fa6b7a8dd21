// Bringing a place of the document into sight.

import { element } from "../../shared/dom";
import type { Span } from "../data";
import type { Assessment } from "../judgment/assessment";
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

// Jumping to a place of the document, which lights up for a moment.

const LIT_FOR = 1_600;
let timer = 0;

export function jumpTo(work: Assessment, span: Span): void {
  showText();
  scrollToUnit(work.shown, work.shown.points.unit(span[0]));
  work.painter.paint("here", [span]);
  clearTimeout(timer);
  timer = setTimeout(() => work.painter.clear("here"), LIT_FOR);
}

/** On a narrow window, only one of the text and the panels is seen. */
export function showText(): void {
  document.body.dataset.view = "text";
  dispatchEvent(new Event("viewchange"));
}

// The mark at the best entry point, beside the text rather than in it.

export function entryMark(work: Assessment, layer: HTMLElement): void {
  const mark = element("div", { class: "entry", "aria-hidden": "true", hidden: "" }, "▸ start");
  layer.append(mark);
  const place = (): void => {
    const { bep } = work.view;
    mark.hidden = bep === null;
    work.painter.paint("entry", bep === null ? [] : [[bep, bep + 1]]);
    if (bep === null) return;
    const { node, offset } = work.shown.placeOf(work.shown.points.unit(bep));
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 1, node.length));
    const box = range.getClientRects()[0] ?? node.parentElement!.getBoundingClientRect();
    mark.style.setProperty("top", `${box.top - layer.getBoundingClientRect().top}px`);
  };
  work.watch(place);
  new ResizeObserver(place).observe(work.shown.root);
}
