// What each assessor highlighted: layers over the text, and passages to take over.

import type { OtherJudgment, Span, WireGrade } from "../../shared/api-types";
import { button, element, named } from "../../shared/dom";
import { spanAt } from "../../shared/spans";
import { brief, counted } from "../../shared/words";
import { jumpTo } from "../document/scrolling";
import { focusPoint } from "../document/selection";
import type { Assessment } from "../judgment/assessment";
import * as operations from "../judgment/operations";
import { announce } from "./messages";

const COLOURS = 6;
const AT_FIRST = 100;

export function adjudication(work: Assessment, others: OtherJudgment[]): HTMLElement {
  const here = element("p", { class: "note", id: "said-here", role: "status" });
  const panel = element(
    "section",
    { class: "panel", id: "others" },
    element("h2", {}, "What the assessors said"),
    others.length ? null : element("p", { class: "note" }, "Nobody has judged this document yet."),
    here,
  );
  others.forEach((passage, at) => panel.append(assessor(work, passage, at % COLOURS)));
  whoHighlighted(work, others, here);
  return panel;
}

function assessor(work: Assessment, { who, state }: OtherJudgment, colour: number): HTMLElement {
  const layer = `others${colour}` as const;
  const box = element("input", { type: "checkbox", checked: "" });
  const paint = (): void => work.painter.paint(layer, box.checked ? state.highlights : []);
  box.addEventListener("change", paint);
  paint();
  const list = element("ol", { class: "passages" });
  const fill = (most: number): void => {
    list.replaceChildren(...state.highlights.slice(0, most).map((span) => passage(work, who, span)));
  };
  fill(AT_FIRST);
  const more = button(
    { class: "link" },
    () => {
      fill(Infinity);
      more.remove();
    },
    `Show all ${state.highlights.length}`,
  );
  const verdict =
    state.status !== "validated"
      ? "not finished"
      : state.highlights.length || Object.keys(state.grades).length
        ? "relevant"
        : "not relevant";
  const takeAll = button({}, () => work.highlight(state.highlights), "Take all over");
  return element(
    "section",
    { class: "assessor" },
    element(
      "h3",
      {},
      element("label", { class: "check" }, box, element("span", { class: `swatch others${colour}` }), named(who)),
    ),
    element(
      "p",
      { class: "note" },
      `${verdict}; ${counted(state.highlights.length, "passage")}${state.problem ? "; problem" : ""}${state.note ? `; “${brief(state.note, 200)}”` : ""}`,
    ),
    state.highlights.length && work.hasHighlights ? takeAll : null,
    list,
    state.highlights.length > AT_FIRST ? more : null,
    entry(work, who, state.bep),
    grades(work, who, state.grades),
  );
}

function passage(work: Assessment, who: string, span: Span): HTMLElement {
  const words = work.brief(span, 100);
  const take = button(
    { class: "take", "aria-label": `Take over from ${who}: ${brief(words, 40)}` },
    () => work.highlight([span]),
    "Take over",
  );
  return element(
    "li",
    {},
    button({ class: "jump" }, () => jumpTo(work, span), words),
    take,
  );
}

function entry(work: Assessment, who: string, bep: number | null): HTMLElement | null {
  if (bep === null || work.data.mode !== "2006") return null;
  const words = work.briefFrom(bep, 40);
  return element(
    "p",
    { class: "entry-line" },
    "Best entry point: ",
    button({ class: "link" }, () => jumpTo(work, [bep, bep + 1]), words),
    " ",
    button(
      { class: "take", "aria-label": `Take over the best entry point of ${who}` },
      () => work.setEntry(bep),
      "Take over",
    ),
  );
}

function grades(work: Assessment, who: string, given: Record<string, WireGrade>): HTMLElement | null {
  const entries = Object.entries(given);
  if (entries.length === 0) return null;
  const list = element("ul", { class: "grades" });
  for (const [path, value] of entries.slice(0, AT_FIRST)) {
    const take = (): void => {
      if (work.refusesEdits()) return;
      void work.submit(operations.grade(path, value));
      announce(`${path} taken over.`);
    };
    const words = Array.isArray(value) ? `E${value[0]} S${value[1]}` : String(value);
    list.append(
      element(
        "li",
        {},
        element("code", {}, path),
        ` ${words} `,
        button({ class: "take", "aria-label": `Take over the grade of ${path} from ${who}` }, take, "Take over"),
      ),
    );
  }
  return element("details", {}, element("summary", {}, counted(entries.length, "grade")), list);
}

/** Say who highlighted the text at the cursor. */
function whoHighlighted(work: Assessment, others: OtherJudgment[], line: Element): void {
  document.addEventListener("selectionchange", () => {
    const at = focusPoint(work.shown, work.boundaries);
    if (at === null) return;
    const who = others.filter(({ state }) => spanAt(state.highlights, at));
    const words = who.length
      ? `At the cursor: highlighted by ${who.map((other) => other.who).join(", ")}.`
      : "At the cursor: highlighted by nobody.";
    if (line.textContent !== words) line.textContent = words;
  });
}
