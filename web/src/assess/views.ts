// On a narrow window the text, the topic and the judgment take turns.

import { button, element } from "../shared/dom";

const VIEWS = [
  ["text", "Text"],
  ["topic", "Topic"],
  ["judgment", "Judgment"],
] as const;

export function views(): HTMLElement {
  const { body } = document;
  const place = element("div", { class: "views", role: "group", "aria-label": "What to see" });
  const buttons = VIEWS.map(([view, name]) => button({}, () => set(view), name));
  const set = (view: string): void => {
    body.dataset["view"] = view;
    VIEWS.forEach(([name], at) => buttons[at]!.setAttribute("aria-pressed", String(name === view)));
  };
  addEventListener("viewchange", () => set(body.dataset["view"] ?? "text"));
  place.append(...buttons);
  set("text");
  return place;
}
