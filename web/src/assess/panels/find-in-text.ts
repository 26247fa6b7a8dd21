// Finding words in the document: a bar under the tools, with what it found painted on the text.

import type { Span } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { item } from "../../shared/lists";
import { brief, literally } from "../../shared/words";
import type { Cursor } from "../document/cursor";
import { scrollToUnit, showText } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";
import { announce } from "./messages";

/** More matches than this are neither counted nor painted. */
const MAX_MATCHES = 5_000;
/** The text is searched this long after the last key, in milliseconds. */
const PAUSE = 120;

/** Where words stand in a text, in UTF-16 units, in whatever case; a space is any white space. */
export function matches(text: string, words: string, most = MAX_MATCHES): Span[] {
  const given = words.trim();
  if (!given) return [];
  const pattern = new RegExp(given.split(/\s+/).map(literally).join("\\s+"), "giu");
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    spans.push([match.index, match.index + match[0].length]);
    if (spans.length >= most) break;
  }
  return spans;
}

export interface TextFinder {
  bar: HTMLElement;
  open(): void;
}

export function textFinder(work: Assessment, cursor: Cursor): TextFinder {
  const field = element("input", { type: "search", name: "find", autocomplete: "off", maxlength: "200" });
  const count = element("span", { class: "note", role: "status" });
  const bar = element(
    "div",
    { class: "find-in-text", role: "search", "aria-label": "Find in the document", hidden: "" },
    element("label", {}, "Find in the document ", field),
    count,
    button({ title: "Previous match" }, () => step(false), "Previous"),
    button({ title: "Next match" }, () => step(true), "Next"),
    button({ title: "Close; what was found stays selected" }, () => close(), "Close"),
  );
  let spans: Span[] = [];
  let at = -1;
  let from = 0;
  let timer = 0;

  function open(): void {
    showText();
    from = Math.max(cursor.position(), 0);
    bar.hidden = false;
    field.focus();
    field.select();
    search();
  }

  function close(): void {
    bar.hidden = true;
    clearTimeout(timer);
    const found = spans[at];
    show([], -1);
    if (!found) return work.shown.root.focus({ preventScroll: true });
    cursor.moveTo(...found);
    announce(`Selected: ${brief(work.shown.text.slice(...found))}`);
  }

  function search(): void {
    const found = matches(work.shown.text, field.value);
    const next = found.findIndex(([start]) => start >= from);
    show(found, found.length ? Math.max(next, 0) : -1);
  }

  function step(isForward: boolean): void {
    if (spans.length) show(spans, (at + (isForward ? 1 : spans.length - 1)) % spans.length);
  }

  function show(found: Span[], place: number): void {
    if (found !== spans) work.painter.paintUnits("match", found);
    [spans, at] = [found, place];
    const total = found.length >= MAX_MATCHES ? `${MAX_MATCHES}+` : String(found.length);
    count.textContent = field.value.trim() ? (found.length ? `${at + 1} of ${total}` : "not there") : "";
    if (at < 0) return work.painter.clear("here");
    const here = item(found, at);
    from = here[0];
    scrollToUnit(work.shown, here[0], "if hidden");
    work.painter.paintUnits("here", [here]);
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  });
  bar.addEventListener("keydown", (event) => {
    const isStep = event.key === "F3" || (event.key === "Enter" && event.target === field);
    if (event.key === "Escape") close();
    else if (isStep) step(!event.shiftKey);
    else return;
    event.preventDefault();
  });
  return { bar, open };
}
