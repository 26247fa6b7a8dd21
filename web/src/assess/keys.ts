// Keys of the page. They mean nothing while somebody types into a field, or in a dialog.

import { item } from "../shared/lists";
import { type Cursor, STEPS } from "./document/cursor";
import type { Assessment } from "./judgment/assessment";
import { isDialogOpen } from "./panels/dialogs";

/** What keys and buttons do besides judging. */
export interface PageActions {
  toggleKeywords(): void;
  stepKeyword(isForward: boolean): void;
  togglePooled(): void;
  find(): void;
  toggleRelease(): void;
  resize(step: 1 | -1): void;
  settings(): void;
  /** Take a side as an adjudicator. */
  takeSide(key: string): void;
  help(): void;
  comment(): void;
}

export function listenToKeys(work: Assessment, cursor: Cursor, page: PageActions): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || isDialogOpen() || isTyping(event.target)) return;
    if (pressed(event, work, cursor, page)) event.preventDefault();
  });
}

/** Do what a key means; whether it means anything. */
function pressed(event: KeyboardEvent, work: Assessment, cursor: Cursor, page: PageActions): boolean {
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
  if (key === "+" || key === "=") return done(page.resize(1));
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
    case "m":
      return done(page.comment());
    case ".":
      return done(page.stepKeyword(true));
    case ",":
      return done(page.stepKeyword(false));
    case "o":
      return done(page.togglePooled());
    case "f":
      return done(page.find());
    case "r":
      return done(work.hasHighlights && page.toggleRelease());
    case "-":
      return done(page.resize(-1));
    case "a":
    case "d":
    case "w":
    case "e":
      return work.data.adjudicating ? done(event.repeat || page.takeSide(key)) : false;
    case "c":
      return done(cursor.toggle());
    case "1":
    case "2":
    case "3":
    case "4":
      return done(cursor.setStep(item(STEPS, Number(key) - 1)));
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
  const letter = { Period: ".", Comma: "," }[event.code] ?? /^Key([A-Z])$/.exec(event.code)?.[1];
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
