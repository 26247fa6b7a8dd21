// A note about the document, and the flag that something is wrong with it.

import { element } from "../shared/dom";
import type { Assessment } from "./assessment";
import * as operations from "./operations";

const LONGEST = 10_000;
/** A note is saved this long after the last key. */
const PAUSE = 1_000;

export function notes(work: Assessment): HTMLElement {
  const note = element("textarea", { rows: "3", maxlength: String(LONGEST) });
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
