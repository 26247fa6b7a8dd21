// Bringing parts of the document into sight, and the mark at its best entry point.

import type { Span } from "../../shared/api-types";
import { element } from "../../shared/dom";
import type { Assessment } from "../judgment/assessment";
import type { ShownDocument } from "./document";

/** Where text is brought to, as a share of the room between the bars. */
const NEAR_TOP = 0.2;
/** Room between text and the bars at the edges of the window, in pixels. */
const EDGE = 24;
const SIDE = 40;

export function scrollToUnit(shown: ShownDocument, unit: number, when: "always" | "if hidden" = "always"): void {
  const last = Math.max(shown.text.length - 1, 0);
  // Parts of a long document get their layout when they come near: look again until it stands.
  for (let tries = 0; tries < 3; tries++) {
    const box = shown.boxAt(Math.min(unit, last));
    scrollSideways(shown.root.parentElement, box);
    const [top, bottom] = [freeTop() + EDGE, freeBottom() - EDGE];
    const isSeen = box.top >= top && box.bottom <= bottom;
    if (isSeen && (when === "if hidden" || tries > 0)) return;
    scrollBy({ top: box.top - top - (bottom - top) * NEAR_TOP, behavior: "instant" });
  }
}

/** Where the bars over the text end, and where those below it begin (on a narrow window). */
function freeTop(): number {
  return document.querySelector("main .head")?.getBoundingClientRect().bottom ?? 0;
}

function freeBottom(): number {
  const tools = document.querySelector("main .tools")?.getBoundingClientRect();
  return tools && tools.top > innerHeight / 2 ? tools.top : innerHeight;
}

/** A wide table may reach beyond the column of the text. */
function scrollSideways(column: HTMLElement | null, box: DOMRect): void {
  if (!column) return;
  const { left, right } = column.getBoundingClientRect();
  if (box.right > right) column.scrollLeft += box.right - right + SIDE;
  else if (box.left < left) column.scrollLeft -= left - box.left + SIDE;
}

/** How long a passage is lit that was jumped to, in milliseconds. */
const LIT_FOR = 1_600;
let timer = 0;

/** Jump to a passage, which lights up for a moment. */
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

/** Show a mark at the best entry point, beside the text rather than in it. */
export function entryMark(work: Assessment, layer: HTMLElement): void {
  const mark = element("div", { class: "entry", "aria-hidden": "true", hidden: "" }, "best entry point");
  layer.append(mark);
  const place = (): void => {
    const { bep } = work.view;
    mark.hidden = bep === null;
    work.painter.paint("entry", bep === null ? [] : [[bep, bep + 1]]);
    if (bep === null) return;
    const { top } = work.shown.boxAt(work.shown.points.unit(bep));
    mark.style.setProperty("top", `${top - layer.getBoundingClientRect().top}px`);
  };
  work.watch(place);
  new ResizeObserver(place).observe(work.shown.root);
}
