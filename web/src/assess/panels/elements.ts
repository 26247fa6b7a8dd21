// Naming and showing elements for grading.

import type { Span } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { item } from "../../shared/lists";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";

/** An element in a few words: its tag, its number, and how it begins. */
export function elementLabel(work: Assessment, row: number, most = 60): string {
  const { shown } = work;
  const words = work.brief(elementSpan(work, row), most);
  return `${shown.step(row)} ${words || "(empty)"}`;
}

export function elementSpan(work: Assessment, row: number): Span {
  const { shown } = work;
  return [shown.points.point(item(shown.starts, row)), shown.points.point(item(shown.ends, row))];
}

/** A button that chooses an element and jumps to it. */
export function elementButton(work: Assessment, row: number, label = elementLabel(work, row)): HTMLButtonElement {
  return button(
    { class: "jump", title: work.shown.path(row) },
    () => {
      work.choose(row);
      jumpTo(work, elementSpan(work, row));
    },
    label,
  );
}

/** One of a few values to choose; the ones that are not allowed are disabled. */
export function choices<Value>(
  legend: string,
  name: string,
  options: { value: Value; label: string; title?: string; isAllowed: boolean }[],
  isChosen: (value: Value) => boolean,
  choose: (value: Value) => void,
): HTMLFieldSetElement {
  const made = element("fieldset", { class: "choices" }, element("legend", {}, legend));
  for (const { value, label, title, isAllowed } of options) {
    const input = element("input", { type: "radio", name });
    input.checked = isChosen(value);
    input.disabled = !isAllowed;
    input.addEventListener("change", () => choose(value));
    made.append(element("label", title ? { title } : {}, input, element("span", {}, label)));
  }
  return made;
}
