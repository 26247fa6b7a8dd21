// Dialogs of the page.

import { element, type Child } from "../shared/dom";

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
