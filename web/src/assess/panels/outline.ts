// The outline of the document: its sections, each with the share of it that is highlighted.

import type { Span } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { item } from "../../shared/lists";
import { covered } from "../../shared/spans";
import { brief, percent } from "../../shared/words";
import type { ShownDocument } from "../document/document";
import { isInline } from "../document/elements";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";

export interface Section {
  row: number;
  title: string;
  level: number;
  /** In code points. */
  span: Span;
}

/** The sections of a document: what its headings stand over; without headings, its largest parts. */
export function sectionsOf(shown: ShownDocument): Section[] {
  const headings: number[] = [];
  for (let row = 0; row < shown.rows; row++) if (shown.role(row).startsWith("heading")) headings.push(row);
  const sections = headings.map((row) => sectionOf(shown, row)).filter(({ title }) => title !== "");
  return sections.length ? ended(sections) : parts(shown);
}

export function outline(work: Assessment): HTMLElement {
  const sections = sectionsOf(work.shown);
  const list = element("ol", { class: "outline" });
  const rows = sections.map((section) => {
    const share = element("span", { class: "share" });
    const made = button(
      { class: "jump" },
      () => {
        work.choose(section.row);
        jumpTo(work, [section.span[0], Math.min(section.span[1], section.span[0] + 200)]);
      },
      element("span", { class: "title" }, section.title),
      share,
    );
    made.style.setProperty("--level", String(Math.min(section.level, 5)));
    list.append(element("li", {}, made));
    return { section, made, share };
  });
  let before: Span[] | null = null;
  work.watch(() => {
    const { highlights } = work.view;
    if (highlights === before) return;
    before = highlights;
    for (const { section, made, share } of rows) {
      const [start, end] = section.span;
      const part = end > start ? covered(highlights, section.span) / (end - start) : 0;
      const words = part > 0 ? percent(part) : "";
      if (share.textContent === words) continue;
      share.textContent = words;
      share.title = words ? `${words} of this section is highlighted` : "";
      made.style.setProperty("--share", String(part));
    }
  });
  return element("section", { class: "panel", id: "outline" }, element("h2", {}, "Outline"), list);
}

function sectionOf(shown: ShownDocument, heading: number): Section {
  const parent = Math.max(item(shown.parents, heading), 0);
  const title = brief(shown.text.slice(shown.starts[heading], shown.ends[heading]), 90);
  const span: Span = [shown.points.point(item(shown.starts, heading)), shown.points.point(item(shown.ends, parent))];
  return { row: parent, title, level: Number(shown.role(heading).slice(-1)), span };
}

/** Two headings of the same element divide it. */
function ended(sections: Section[]): Section[] {
  const nextOf = new Map<number, number>();
  const divided: Section[] = [];
  for (const section of [...sections].reverse()) {
    const [start, end] = section.span;
    divided.push({ ...section, span: [start, nextOf.get(section.row) ?? end] });
    nextOf.set(section.row, start);
  }
  const lowest = sections.reduce((least, { level }) => Math.min(least, level), Infinity);
  return divided.reverse().map((section) => ({ ...section, level: section.level - lowest }));
}

function parts(shown: ShownDocument): Section[] {
  let row = 0;
  let children = shown.children(row);
  while (children.length === 1) {
    row = item(children, 0);
    children = shown.children(row);
  }
  return children
    .filter((child) => !isInline(shown.role(child)))
    .slice(0, 500)
    .map((child) => ({
      row: child,
      title: `${shown.tag(child)}: ${brief(shown.readable(item(shown.starts, child), item(shown.ends, child), 201), 50)}`,
      level: 0,
      span: [shown.points.point(item(shown.starts, child)), shown.points.point(item(shown.ends, child))] as Span,
    }));
}
