// What each assessor highlighted: layers over the text, and passages to take over.

import { button, element, named } from "../../shared/dom";
import { brief, counted } from "../../shared/words";
import type { Said, Span } from "../data";
import type { Layer } from "../document/paint";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";
import * as operations from "../judgment/operations";
import { announce } from "./messages";

const COLOURS = 6;
const AT_FIRST = 100;

export function adjudication(work: Assessment, others: Said[]): HTMLElement {
  const panel = element(
    "section",
    { class: "panel", id: "others" },
    element("h2", {}, "What the assessors said"),
    others.length ? null : element("p", { class: "note" }, "Nobody has judged this document yet."),
    element("p", { class: "note", id: "said-here", role: "status" }),
  );
  others.forEach((said, at) => panel.append(assessor(work, said, at % COLOURS)));
  whoSaidWhat(work, others, panel.querySelector("#said-here")!);
  return panel;
}

function assessor(work: Assessment, { who, state }: Said, colour: number): HTMLElement {
  const layer = `others${colour}` as Layer;
  const box = element("input", { type: "checkbox", checked: "" });
  const paint = (): void => work.painter.paint(layer, box.checked ? state.highlights : []);
  box.addEventListener("change", paint);
  paint();
  const list = element("ol", { class: "passages" });
  const fill = (most: number): void => {
    list.replaceChildren(...state.highlights.slice(0, most).map((span) => said(work, who, span)));
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

function said(work: Assessment, who: string, span: Span): HTMLElement {
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

function grades(work: Assessment, who: string, given: Record<string, unknown>): HTMLElement | null {
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
function whoSaidWhat(work: Assessment, others: Said[], line: Element): void {
  document.addEventListener("selectionchange", () => {
    const node = document.getSelection()?.focusNode;
    if (!node || !work.shown.root.contains(node)) return;
    const at = work.shown.points.point(work.shown.unitOf(node, document.getSelection()!.focusOffset));
    const who = others.filter(({ state }) => state.highlights.some(([start, end]) => start <= at && at < end));
    const words = who.length
      ? `At the cursor: highlighted by ${who.map((one) => one.who).join(", ")}.`
      : "At the cursor: highlighted by nobody.";
    if (line.textContent !== words) line.textContent = words;
  });
}
