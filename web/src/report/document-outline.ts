// The outline of a document: its elements, how much of each is highlighted, and its grade.

import type { Placed, Places } from "./document-places";
import { button, element } from "../shared/dom";

/** The outline; a click on an element opens its text. */
export function outlineOf(places: Places, cut: number, open: (place: Placed) => void): HTMLDetailsElement {
  const grades = new Map(places.grades.map((grade) => [grade.path, grade.label]));
  const top = Math.min(...places.outline.map((row) => row.depth));
  const rows = places.outline.map((row) => {
    const grade = grades.get(row.path);
    const share = row.share === null ? null : percent(row.share);
    const heat = element("span", { class: "dv-heat" }, grade ?? share ?? "");
    if (!row.share && !grade) heat.classList.add("dv-cold");
    heat.style.setProperty("--share", String(row.share ?? 0));
    const step = row.path.slice(row.path.lastIndexOf("/") + 1);
    const told = `${row.path}${share === null ? "" : `: ${share} highlighted`}${grade ? `, graded ${grade}` : ""}`;
    const item = button(
      { class: "dv-row", title: told },
      () => open(row),
      heat,
      element("code", {}, step),
      element("span", { class: "dv-begins-with" }, row.begins),
    );
    item.style.setProperty("--depth", String(Math.min(row.depth - top, 7)));
    return element("li", {}, item);
  });
  const list = element("ol", { class: "dv-rows" }, ...rows);
  const more = cut
    ? element("p", { class: "dv-note" }, `${cut.toLocaleString("en")} more ${cut === 1 ? "element is" : "elements are"} not listed.`)
    : null;
  return element("details", { class: "dv-outline" }, element("summary", {}, "Outline"), list, more);
}

/** A share in percent; only 0 is shown as 0% and only 1 as 100%. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return ">99%";
  return `${Math.round(share * 100)}%`;
}
