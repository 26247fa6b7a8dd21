// Keys of the page. They mean nothing while somebody types into a field, or in a dialog.

import { type Cursor, STEPS } from "./document/cursor";
import type { Assessment } from "./judgment/assessment";
import { isDialogOpen } from "./panels/dialogs";

export interface KeyActions {
  work: Assessment;
  cursor: Cursor;
  toggleKeywords(): void;
  togglePooled(): void;
  help(): void;
}

export interface KeyHelp {
  keys: string[];
  does: string;
  /** The modes in which it means something; all if missing. */
  modes?: string[];
}

/** What the help says. */
export const HELP: KeyHelp[] = [
  { keys: ["h"], does: "highlight the selected text", modes: ["2006", "2005"] },
  {
    keys: ["u"],
    does: "remove the highlight of the selection, or of the passage at the cursor",
    modes: ["2006", "2005"],
  },
  { keys: ["b"], does: "set the best entry point: where the selection begins, or at the cursor", modes: ["2006"] },
  { keys: ["Shift+B"], does: "clear the best entry point", modes: ["2006"] },
  { keys: ["n"], does: "validate the document and go to the next one" },
  { keys: ["x"], does: "mark the document as not relevant and go to the next one" },
  { keys: ["s"], does: "skip the document for now" },
  { keys: ["p"], does: "go to the previous document" },
  { keys: ["k"], does: "show or hide the colours of keywords" },
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

export function listenToKeys(actions: KeyActions): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || isDialogOpen() || isTyping(event.target)) return;
    if (pressed(event, actions)) event.preventDefault();
  });
}

/** Do what a key means; whether it means anything. */
function pressed(event: KeyboardEvent, { work, cursor, ...page }: KeyActions): boolean {
  if (belongsToControl(event)) return false;
  if (cursor.handle(event)) return true;
  const key = latin(event);
  if (event.ctrlKey || event.metaKey) {
    if (event.altKey) return false;
    if (key === "z") return done(event.shiftKey ? work.redo() : work.undo());
    if (key === "y" && !event.shiftKey) return done(work.redo());
    return false;
  }
  if (event.altKey) return false;
  if (key === "?") return done(page.help());
  if (event.shiftKey) return key === "b" ? done(work.clearEntry()) : false;
  switch (key) {
    case "h":
      return done(work.highlight());
    case "u":
      return done(work.unhighlight());
    case "b":
      return done(work.setEntry());
    case "n":
      return done(event.repeat || work.finish("validate"));
    case "x":
      return done(event.repeat || work.finish("not-relevant"));
    case "s":
      return done(event.repeat || work.finish("skip"));
    case "p":
      return done(event.repeat || work.previous());
    case "k":
      return done(page.toggleKeywords());
    case "o":
      return done(page.togglePooled());
    case "c":
      return done(cursor.toggle());
    case "1":
    case "2":
    case "3":
    case "4":
      return done(cursor.setStep(STEPS[Number(key) - 1]!));
    default:
      return false;
  }
}

function done(_result: unknown): true {
  return true;
}

/** The letter of a key, also on a keyboard with another alphabet. */
function latin(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const isForeignLetter = key.length === 1 && key > "\u007f";
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  return isForeignLetter && letter ? letter.toLowerCase() : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox", "button"].includes(target.type);
}

/** Whether an arrow or a digit is for the control that has the focus. */
function belongsToControl({ key, target }: KeyboardEvent): boolean {
  if (!/^(Arrow.*|Home|End|\d)$/.test(key) || !(target instanceof HTMLElement)) return false;
  return target.closest("input[type=radio], [data-arrows]") !== null;
}
