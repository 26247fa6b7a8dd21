// Exhaustivity of the elements that highlights touch: 2, 1 or ? for each.

import type { WireGrade } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { counted } from "../../shared/words";
import type { Assessment } from "../judgment/assessment";
import * as operations from "../judgment/operations";
import { choices, elementButton, elementLabel } from "./elements";
import { announce } from "./messages";

/** The row of an element, and the values that it may get. */
type Gradable = [number, WireGrade[]];

const AT_FIRST = 150;
const VALUES: { value: WireGrade; title: string }[] = [
  { value: 2, title: "highly exhaustive: it covers most aspects of the topic" },
  { value: 1, title: "partly exhaustive: it covers few aspects of the topic" },
  { value: "?", title: "too small to say" },
];

export function exhaustivityPanel(work: Assessment): HTMLElement {
  const count = element("p", { class: "count", role: "status" });
  const list = element("ol", { class: "grades" });
  const only = element("input", { type: "checkbox" });
  let most = AT_FIRST;
  const more = button({ class: "link" }, () => {
    most = Infinity;
    refresh();
  });
  only.addEventListener("change", () => refresh());
  let drawn = "";

  function refresh(): void {
    const gradable = work.judgment.gradable ?? [];
    const isMissing = ([row]: Gradable) => work.view.grades[work.shown.path(row)] === undefined;
    const missing = gradable.filter(isMissing);
    const words =
      gradable.length === 0
        ? "Highlight text first; then grade the elements that it touches."
        : missing.length
          ? `${counted(missing.length, "element")} of ${gradable.length} without a grade`
          : `All ${counted(gradable.length, "element")} graded`;
    if (count.textContent !== words) count.textContent = words;
    const listed = (only.checked ? missing : gradable).slice(0, most);
    more.hidden = (only.checked ? missing : gradable).length <= most;
    more.textContent = `Show all ${gradable.length}`;
    const state = JSON.stringify([listed, listed.map(([row]) => work.view.grades[work.shown.path(row)] ?? null)]);
    if (state === drawn) return;
    drawn = state;
    redraw(listed);
  }

  function redraw(listed: Gradable[]): void {
    const focused = document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
    const value = document.activeElement?.closest("label")?.textContent;
    list.replaceChildren(...listed.map(([row, allowed]) => gradeRow(work, row, allowed)));
    if (focused === undefined || list.contains(document.activeElement)) return;
    const inputs = [...list.querySelectorAll<HTMLInputElement>(`[data-row="${focused}"] input`)];
    (inputs.find((input) => input.closest("label")?.textContent === value) ?? inputs[0])?.focus();
  }

  work.watch(refresh);
  return element(
    "section",
    { class: "panel", id: "grades" },
    element("h2", {}, "Exhaustivity"),
    count,
    element("label", { class: "check" }, only, " only those without a grade"),
    list,
    more,
  );
}

function gradeRow(work: Assessment, row: number, allowed: WireGrade[]): HTMLElement {
  const path = work.shown.path(row);
  const current = work.view.grades[path];
  const set = (value: WireGrade | null): void => {
    if (work.refusesEdits()) return;
    void work.submit(operations.grade(path, value));
    announce(`${path}: ${value === null ? "no grade" : String(value)}`);
  };
  const options = VALUES.map(({ value, title }) => ({
    value,
    title,
    label: String(value),
    isAllowed: allowed.includes(value) && !work.isReadOnly,
  }));
  const made = element(
    "li",
    { "data-row": String(row) },
    elementButton(work, row, elementLabel(work, row, 40)),
    choices(path, `grade-${row}`, options, (value) => value === current, set),
  );
  if (current !== undefined) {
    made.append(button({ class: "remove", "aria-label": `Clear the grade of ${path}` }, () => set(null), "×"));
  }
  made.style.setProperty("--level", String(Math.min(work.shown.lineage(row).length - 1, 6)));
  return made;
}
