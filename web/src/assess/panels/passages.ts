// What is still missing before the document can be validated.

import { LONGEST_NOTE, type Span } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { brief, counted } from "../../shared/words";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";
import * as operations from "../judgment/operations";
import { writeComment } from "./comments";

export function checks(work: Assessment): HTMLElement {
  const list = element("ul", {});
  const place = element("section", { class: "panel", id: "checks" }, element("h2", {}, "Before it is done"), list);
  let shown = "";
  work.watch(() => {
    const { problems } = work.judgment;
    place.hidden = problems.length === 0 || work.isReadOnly;
    const state = problems.join("\n");
    if (state === shown) return;
    shown = state;
    list.replaceChildren(...problems.map((problem) => element("li", {}, problem)));
  });
  return place;
}

// The list of highlighted passages: jump to one, remove one.

/** More passages than this are listed on demand only. */
const AT_FIRST = 200;

export function passages(work: Assessment): HTMLElement {
  const count = element("p", { class: "count", role: "status" });
  const list = element("ol", { class: "passages", "aria-label": "Highlighted passages" });
  const entry = element("p", { class: "entry-line" });
  let most = AT_FIRST;
  const more = button({ class: "link" }, () => {
    most = Infinity;
    refresh();
  });
  const rows = new Map<string, HTMLLIElement>();
  let shown: Span[] | null = null;

  function refresh(): void {
    const { highlights, bep } = work.view;
    entryLine(work, entry, bep);
    if (highlights === shown && more.hidden !== highlights.length > most) return;
    shown = highlights;
    const characters = highlights.reduce((sum, [start, end]) => sum + end - start, 0);
    setText(
      count,
      highlights.length
        ? `${counted(highlights.length, "passage")}, ${counted(characters, "character")}`
        : "Nothing is highlighted.",
    );
    more.hidden = highlights.length <= most;
    more.textContent = `Show all ${highlights.length.toLocaleString("en")}`;
    listRows(highlights.slice(0, most));
  }

  function listRows(spans: Span[]): void {
    const [focused, focusedRow] = [...rows].find(([, row]) => row.contains(document.activeElement)) ?? [];
    const at = focusedRow ? [...list.children].indexOf(focusedRow) : -1;
    const keys = new Set(spans.map(String));
    for (const [key, row] of rows) {
      if (keys.has(key)) continue;
      row.remove();
      rows.delete(key);
    }
    spans.forEach((span, place) => {
      const key = String(span);
      const row = rows.get(key) ?? passageRow(work, span);
      rows.set(key, row);
      if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
    });
    if (focused && !rows.has(focused)) focusRow(list, Math.min(at, list.children.length - 1), count);
  }

  list.addEventListener("keydown", (event) => {
    const at = [...list.children].findIndex((row) => row.contains(document.activeElement));
    if (event.key === "ArrowDown") focusRow(list, at + 1);
    else if (event.key === "ArrowUp") focusRow(list, at - 1);
    else return;
    event.preventDefault();
  });
  count.tabIndex = -1;
  work.watch(refresh);
  return element(
    "section",
    { class: "panel", id: "passages" },
    element("h2", {}, "Passages"),
    count,
    list,
    more,
    entry,
  );
}

function passageRow(work: Assessment, span: Span): HTMLLIElement {
  const words = work.brief(span, 140) || "(white space)";
  const jump = button(
    { class: "jump", "aria-label": `Passage: ${words}. Delete removes it.` },
    () => jumpTo(work, span),
    words,
  );
  const remove = button(
    { class: "remove", "aria-label": `Remove the passage ${brief(words, 40)}` },
    () => work.unhighlight([span]),
    "×",
  );
  const remark = button(
    { class: "remark", "aria-label": `Comment on the passage ${brief(words, 40)}`, title: "Comment (m)" },
    () => writeComment(work, span),
    "✎",
  );
  jump.addEventListener("focus", () => (work.current = span));
  jump.addEventListener("blur", () => (work.current = null));
  const row = element("li", { "data-arrows": "" }, jump, remark, remove);
  row.addEventListener("keydown", (event) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    work.unhighlight([span]);
  });
  return row;
}

function entryLine(work: Assessment, line: HTMLElement, bep: number | null): void {
  line.hidden = work.data.mode !== "2006";
  const key = String(bep);
  if (line.dataset.bep === key) return;
  line.dataset.bep = key;
  if (bep === null) {
    line.replaceChildren("No best entry point yet.");
    return;
  }
  const words = work.briefFrom(bep, 50);
  line.replaceChildren(
    "Best entry point: ",
    button({ class: "link" }, () => jumpTo(work, [bep, bep + 1]), words || "(white space)"),
  );
}

function focusRow(list: HTMLElement, at: number, otherwise: HTMLElement | null = null): void {
  const jump = list.children[at]?.querySelector<HTMLElement>(".jump");
  (jump ?? otherwise)?.focus();
}

function setText(node: HTMLElement, words: string): void {
  if (node.textContent !== words) node.textContent = words;
}

// A note about the document, and the flag that something is wrong with it.

/** A note is saved this long after the last key. */
const PAUSE = 1_000;

export function notes(work: Assessment): HTMLElement {
  const note = element("textarea", { rows: "3", maxlength: String(LONGEST_NOTE) });
  const flag = element("input", { type: "checkbox" });
  note.disabled = flag.disabled = work.isReadOnly;
  let timer = 0;
  const save = (): void => {
    clearTimeout(timer);
    // The server counts characters; the field counts UTF-16 units, which are never fewer.
    if (note.value !== work.view.note) void work.submit(operations.plain("note", note.value));
  };
  note.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE);
  });
  note.addEventListener("change", save);
  addEventListener("pagehide", save);
  flag.addEventListener("change", () => void work.submit(operations.plain("problem", flag.checked)));
  work.watch(() => {
    flag.checked = work.view.problem;
    if (document.activeElement !== note) note.value = work.view.note;
  });
  return element(
    "section",
    { class: "panel", id: "notes" },
    element("h2", {}, "Notes"),
    element("label", { class: "check" }, flag, " There is a problem with this document"),
    element("label", {}, "Note to the organiser", note),
  );
}
