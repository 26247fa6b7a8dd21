// Jumping to a place of the document, which lights up for a moment.

import type { Assessment } from "./assessment";
import type { Span } from "./data";
import { scrollToUnit } from "./scrolling";

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
  document.body.dataset["view"] = "text";
  dispatchEvent(new Event("viewchange"));
}
