// What measures mean, in a box beside the name that was pressed.

import { button, element, named } from "../../shared/dom";
import type { ReportMeasure } from "../../shared/report-types";
import type { Page } from "../page";

const box = element("div", { id: "explanation", class: "popover", popover: "auto", role: "dialog" });

/** A small button that explains a measure. */
export function explainer(page: Page, measure: number): HTMLButtonElement {
  const { label } = page.measure(measure);
  return element(
    "button",
    { type: "button", class: "measure mark link", "data-measure": String(measure), "aria-label": `About ${label}` },
    "?",
  );
}

/** Let every button of a measure explain it. */
export function explanations(page: Page): void {
  document.addEventListener("click", (event) => {
    const pressed = (event.target as Element).closest<HTMLElement>("button.measure[data-measure]");
    const measure = pressed && page.data.measures[Number(pressed.dataset.measure)];
    if (pressed && measure) explain(measure, pressed);
  });
}

function explain(measure: ReportMeasure, anchor: HTMLElement): void {
  box.setAttribute("aria-label", `About ${measure.label}`);
  box.replaceChildren(...words(measure));
  if (!box.isConnected) document.body.append(box);
  box.showPopover();
  place(anchor.getBoundingClientRect());
  box.querySelector("button")?.focus({ preventScroll: true });
  box.addEventListener(
    "toggle",
    (event) => {
      if ((event as ToggleEvent).newState === "closed") anchor.focus({ preventScroll: true });
    },
    { once: true },
  );
}

function words(measure: ReportMeasure): Node[] {
  const facts: [string, string | undefined][] = [
    ["formula", measure.formula],
    [
      "range",
      `${measure.lowest ?? "-∞"} to ${measure.highest ?? "∞"}${measure.higherIsBetter ? "" : "; lower is better"}`,
    ],
    ["in full", measure.canonical],
  ];
  const close = button({ class: "close", "aria-label": "Close" }, () => box.hidePopover(), "×");
  const list = element("dl", {});
  for (const [name, value] of facts)
    if (value) list.append(element("dt", {}, name), element("dd", {}, element("code", {}, value)));
  return [
    element("h3", {}, named(measure.label), close),
    element("p", {}, measure.title),
    ...(measure.user ? [element("p", { class: "user" }, measure.user)] : []),
    list,
  ];
}

function place(anchor: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const below = anchor.bottom + 6;
  const top = below + height > innerHeight ? anchor.top - height - 6 : below;
  box.style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - width - 8))}px`;
  box.style.top = `${Math.max(8, top)}px`;
}
