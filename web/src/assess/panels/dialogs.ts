// Dialogs of the page: the help that `?` opens, and the choice between two versions.

import type { JudgmentData, Mode, OperationData, OperationKind, Span } from "../../shared/api-types";
import { button, type Child, element } from "../../shared/dom";
import { brief, counted } from "../../shared/words";
import type { Assessment } from "../judgment/assessment";

/** Show a dialog with a title; it is removed when it closes. */
export function dialog(title: string, ...children: Child[]): HTMLDialogElement {
  const heading = element("h2", { id: "dialog-title" }, title);
  const made = element("dialog", { "aria-labelledby": "dialog-title" }, heading, ...children);
  document.querySelector("dialog[open]")?.remove();
  document.body.append(made);
  made.addEventListener("close", () => made.remove());
  made.showModal();
  return made;
}

export function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

interface KeyHelp {
  keys: string[];
  does: string;
  /** The modes in which it means something; all if missing. */
  modes?: Mode[];
}

/** What the help says. */
const HELP: KeyHelp[] = [
  { keys: ["h"], does: "highlight the selected text", modes: ["2006", "2005"] },
  {
    keys: ["u"],
    does: "remove the highlight of the selection, or of the passage at the cursor",
    modes: ["2006", "2005"],
  },
  { keys: ["b"], does: "set the best entry point: where the selection begins, or at the cursor", modes: ["2006"] },
  { keys: ["Shift+B"], does: "clear the best entry point", modes: ["2006"] },
  { keys: ["m"], does: "comment on the selection, or on the passage at the cursor" },
  { keys: ["n"], does: "done: go to the next document" },
  { keys: ["x"], does: "nothing is relevant: go to the next document" },
  { keys: ["s"], does: "skip the document for now" },
  { keys: ["p"], does: "go to the previous document" },
  { keys: ["k"], does: "show or hide the colours of keywords" },
  { keys: [".", ","], does: "go to the next keyword, or to the one before" },
  { keys: ["f"], does: "find words in the document; Enter and Shift+Enter go on, Escape selects what was found" },
  { keys: ["+", "-"], does: "larger or smaller text" },
  { keys: ["r"], does: "highlight when the mouse is released: on or off", modes: ["2006", "2005"] },
  { keys: ["o"], does: "show or hide what the systems returned, if the organiser allows it" },
  { keys: ["Ctrl+Z"], does: "undo" },
  { keys: ["Ctrl+Shift+Z"], does: "redo" },
  { keys: ["c"], does: "show or hide the text cursor, which the arrow keys move" },
  {
    keys: ["1", "2", "3", "4"],
    does: "the left and right arrows move the text cursor by characters, words, sentences, paragraphs",
  },
  { keys: ["Shift+arrows"], does: "select from the text cursor" },
  { keys: ["Ctrl+←", "Ctrl+→"], does: "move the text cursor by words" },
  { keys: ["Ctrl+↑", "Ctrl+↓"], does: "move the text cursor by paragraphs" },
  {
    keys: ["Home", "End"],
    does: "move the text cursor to the beginning or the end of the line; with Ctrl, of the document",
  },
  { keys: ["Delete"], does: "in the list of passages: remove the passage" },
  { keys: ["?"], does: "this help" },
];

const HELP_TO_ADJUDICATE: KeyHelp[] = [
  { keys: ["a", "d"], does: "take all that the first assessor said, or the second" },
  { keys: ["w"], does: "take what any of them highlighted (union)", modes: ["2006", "2005"] },
  { keys: ["e"], does: "take nothing of them, and begin your own" },
];

const RULES: Record<Mode, string> = {
  "2006":
    "Highlight all and only relevant text, then set the best entry point: where a reader should begin. " +
    "A document with highlights needs one; a document without highlights must not have one.",
  "2005":
    "Highlight all and only relevant text, then grade the elements that it touches: 2 highly exhaustive, " +
    "1 partly exhaustive, ? too small to say.",
  "2003":
    "Grade elements: exhaustivity (how much of the topic it covers) and specificity (how much of it is about the topic), 0 to 3 each.",
};

export function showHelp(mode: Mode, isAdjudicating: boolean): void {
  const list = element("dl", { class: "keys" });
  for (const { keys, does, modes } of isAdjudicating ? [...HELP, ...HELP_TO_ADJUDICATE] : HELP) {
    if (modes && !modes.includes(mode)) continue;
    const names = keys.flatMap((key, at) => [at ? " " : "", element("kbd", {}, key)]);
    list.append(element("div", {}, element("dt", {}, ...names), element("dd", {}, does)));
  }
  const shown = dialog(
    "Keys and rules",
    element(
      "p",
      {},
      RULES[mode],
      " Every change is saved at once, and whatever you change in a document that was done opens it again.",
    ),
    list,
    element("p", {}, element("a", { href: "/help" }, "More about assessing")),
    element(
      "div",
      { class: "buttons" },
      button({ class: "primary" }, () => shown.close(), "Close"),
    ),
  );
}

/**
 * The same document was judged elsewhere in the meantime: show what is saved and what was done here, and
 * let the assessor choose. The first choice keeps both.
 */
export function conflictDialog(work: Assessment, answer: JudgmentData): void {
  const mine = work.view;
  const saved = answer.state;
  const { operations } = work.sync.queue;
  const { fitting, clashing } = work.sortedFor(answer);
  const waiting = counted(operations.length, "change");
  const way = (kind: string, words: string, made: readonly OperationData[], held: readonly OperationData[] = []) =>
    button(
      { class: kind },
      () => {
        open.close("chosen");
        work.goOnFrom(answer, made, held);
      },
      words,
    );
  const kept = clashing.map(({ operation }) => operation);
  const ways = [
    way("primary", clashing.length ? "Keep both, and decide what clashes later" : "Keep both", fitting, kept),
    ...(clashing.length ? [way("", `Make my ${waiting} over the saved version`, operations)] : []),
    way("", `Keep the saved version and drop my ${waiting}`, []),
  ];
  const clashes = clashing.map(({ operation, why }) => element("li", {}, `${described(operation)}: ${why}`));
  const open = dialog(
    "This document was changed elsewhere",
    element(
      "p",
      {},
      "Another tab or device saved a version that this page has not seen. Nothing is lost yet: please choose.",
    ),
    element(
      "div",
      { class: "versions" },
      version(work, "Saved", saved.highlights, saved.bep, saved.status === "validated" ? "done" : "not done"),
      version(work, "Here", mine.highlights, mine.bep, `${waiting} not saved`, operations),
    ),
    element(
      "p",
      {},
      clashing.length
        ? "Keep both makes your changes in the saved version, but for these, which clash with it and stay at hand:"
        : "Keep both makes your changes in the saved version; nothing clashes.",
    ),
    clashing.length ? element("ul", { class: "clashes" }, ...clashes) : null,
    element("div", { class: "buttons" }, ...ways),
  );
  open.classList.add("conflict");
  // Escape would leave the question open without a word.
  open.addEventListener("cancel", (event) => event.preventDefault());
}

/** What clashed with another version, until it is decided. */
export function heldChanges(work: Assessment): HTMLElement {
  const list = element("ul", {});
  const place = element(
    "section",
    { class: "panel", id: "held" },
    element("h2", {}, "Your changes that clashed"),
    element("p", {}, "The saved version says otherwise. Make them after all, or forget them."),
    list,
  );
  work.watch(() => {
    const { operations } = work.held;
    place.hidden = operations.length === 0;
    list.replaceChildren(
      ...operations.map((operation) => {
        const words = described(operation);
        const decide = (label: string, isMade: boolean) =>
          button({ class: "take", "aria-label": `${label}: ${words}` }, () => work.release(operation, isMade), label);
        return element("li", {}, `${words} `, decide("Make it", true), " ", decide("Forget it", false));
      }),
    );
  });
  return place;
}

function version(
  work: Assessment,
  title: string,
  highlights: Span[],
  bep: number | null,
  status: string,
  gestures: readonly OperationData[] = [],
): HTMLElement {
  const passages = element("ol", {});
  for (const span of highlights.slice(0, 50)) passages.append(element("li", {}, work.brief(span, 120)));
  if (highlights.length > 50) passages.append(element("li", {}, `and ${highlights.length - 50} more`));
  const entry = bep === null ? "no best entry point" : `best entry point before “${work.briefFrom(bep, 40)}”`;
  const about = work.data.mode === "2006" ? `${status}; ${entry}` : status;
  const made = element("ul", { class: "gestures" });
  for (const gesture of gestures) made.append(element("li", {}, described(gesture)));
  return element(
    "section",
    {},
    element("h3", {}, title),
    element("p", {}, about),
    highlights.length ? passages : element("p", {}, "Nothing is highlighted."),
    gestures.length ? made : null,
  );
}

/** How gestures are called; those with a text or a value say it besides. */
const GESTURES: Record<OperationKind, string> = {
  highlight: "highlight",
  unhighlight: "remove the highlight of",
  bep: "best entry point before",
  "clear-bep": "clear the best entry point",
  grade: "grade",
  validate: "done",
  "not-relevant": "not relevant",
  reopen: "reopen",
  note: "note",
  comment: "comment on",
  problem: "problem",
  skip: "skip",
  undo: "undo",
  redo: "redo",
};

function described({ kind, quote, start, end, path, value }: OperationData): string {
  const length = (end ?? 0) - (start ?? 0);
  const what = quote != null ? `“${brief(quote, 60)}”` : length > 0 ? counted(length, "character") : "";
  const flag = value === true ? "yes" : value === false ? "no" : "";
  const how = path != null ? `${path}: ${JSON.stringify(value)}` : typeof value === "string" ? brief(value, 60) : flag;
  return [GESTURES[kind], what, how].filter(Boolean).join(" ");
}
