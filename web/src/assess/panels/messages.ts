// Words for those who listen to the page, and a line for everybody.

import { button, element } from "../../shared/dom";

const SHOWN_FOR = 8_000;
let timer = 0;
let announcer: HTMLElement | null = null;
let message: { box: HTMLElement; line: HTMLElement } | null = null;

/** Say something to screen readers only. */
export function announce(words: string): void {
  announcer ??= document.querySelector<HTMLElement>("#announcer") ?? appended(announcerElement());
  // The same words twice in a row would not be read again.
  announcer.textContent = announcer.textContent === words ? `${words}\u00a0` : words;
}

/** Show a line of words, and say it. An alert stays until it is closed or something else is said. */
export function tell(words: string, kind: "notice" | "alert" = "notice"): void {
  clearTimeout(timer);
  message ??= messageBox();
  message.box.className = `message ${kind}`;
  message.box.setAttribute("role", kind === "alert" ? "alert" : "status");
  message.line.textContent = words;
  message.box.hidden = false;
  if (kind === "notice") timer = setTimeout(hush, SHOWN_FOR);
}

function hush(): void {
  if (message) message.box.hidden = true;
}

function messageBox(): { box: HTMLElement; line: HTMLElement } {
  const line = element("p", {});
  const close = button({ "aria-label": "Close this message" }, hush, "×");
  return { box: appended(element("div", { class: "message", hidden: "" }, line, close)), line };
}

function announcerElement(): HTMLElement {
  return element("div", { id: "announcer", class: "visually-hidden", role: "status", "aria-live": "polite" });
}

function appended(made: HTMLElement): HTMLElement {
  document.body.append(made);
  return made;
}
