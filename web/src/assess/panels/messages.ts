// Words for those who listen to the page, and a line for everybody.

import { element } from "../../shared/dom";

const SHOWN_FOR = 8_000;
let timer = 0;
let hearing: HTMLElement | null = null;
let line: HTMLElement | null = null;

/** Say something to screen readers only. */
export function announce(words: string): void {
  hearing ??= document.querySelector<HTMLElement>("#announcer") ?? madeHearing();
  // The same words twice in a row would not be read again.
  hearing.textContent = hearing.textContent === words ? `${words}\u00a0` : words;
}

/** Show a line of words, and say it. An alert stays until it is closed or something else is said. */
export function tell(words: string, kind: "notice" | "alert" = "notice"): void {
  clearTimeout(timer);
  const shown = told();
  shown.className = `told ${kind}`;
  shown.setAttribute("role", kind === "alert" ? "alert" : "status");
  shown.firstElementChild!.textContent = words;
  shown.hidden = false;
  if (kind === "notice") timer = setTimeout(hush, SHOWN_FOR);
}

export function hush(): void {
  if (line) line.hidden = true;
}

function told(): HTMLElement {
  if (!line) {
    const close = element("button", { type: "button", "aria-label": "Close this message" }, "×");
    close.addEventListener("click", hush);
    line = element("div", { class: "told", hidden: "" }, element("p", {}), close);
    document.body.append(line);
  }
  return line;
}

function madeHearing(): HTMLElement {
  const made = element("div", { id: "announcer", class: "visually-hidden", role: "status", "aria-live": "polite" });
  document.body.append(made);
  return made;
}
