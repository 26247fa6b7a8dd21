// What is still missing before the document can be validated.

import { element } from "../shared/dom";
import type { Assessment } from "./assessment";

export function checks(work: Assessment): HTMLElement {
  const list = element("ul", {});
  const place = element("section", { class: "panel", id: "checks" }, element("h2", {}, "Before you validate"), list);
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
