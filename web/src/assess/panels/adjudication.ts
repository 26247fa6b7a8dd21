// Where assessors differ, and what each of them said: layers over the text, and passages to take over.

import type { Comment, OtherJudgment, Span, WireGrade } from "../../shared/api-types";
import { button, element, named } from "../../shared/dom";
import { spanAt, without } from "../../shared/spans";
import { brief, counted } from "../../shared/words";
import { jumpTo } from "../document/scrolling";
import { focusPoint } from "../document/selection";
import type { Assessment } from "../judgment/assessment";
import {
  agreed,
  type Difference,
  differences,
  finished,
  isUnanimous,
  NOTHING,
  type Side,
  tied,
  union,
} from "../judgment/differences";
import * as operations from "../judgment/operations";
import { announce, tell } from "./messages";

const COLOURS = 6;
const AT_FIRST = 100;

export function adjudication(work: Assessment, others: OtherJudgment[]): HTMLElement {
  const here = element("p", { class: "note", id: "said-here", role: "status" });
  const panel = element(
    "section",
    { class: "panel", id: "others" },
    element("h2", {}, "What the assessors said"),
    others.length ? null : element("p", { class: "note" }, "Nobody has judged this document yet."),
  );
  const done = finished(others);
  if (done.length) panel.append(...decisions(work, done));
  panel.append(here);
  // Whoever adjudicates looks at what differs; the rest is there when it is wanted.
  const all = element("input", { type: "checkbox", id: "show-all" });
  all.checked = done.length < 2 || isUnanimous(done);
  const sections = others.map((passage, at) => assessor(work, passage, at % COLOURS, all, agreed(done)));
  const list = element("div", {}, ...sections);
  list.hidden = !all.checked;
  all.addEventListener("change", () => {
    list.hidden = !all.checked;
  });
  if (others.length) panel.append(element("label", { class: "check" }, all, "Show all that they said"), list);
  whoHighlighted(work, others, here);
  return panel;
}

/** What is to be decided, and the sides that can be taken as a whole. */
function decisions(work: Assessment, done: OtherJudgment[]): HTMLElement[] {
  if (done.length < 2) return [element("p", { class: "note" }, "Only one assessor has done this document.")];
  if (isUnanimous(done)) return [element("p", { class: "note" }, "All assessors say the same.")];
  const differing = differences(done).filter(({ span }) => work.brief(span) !== "");
  const buttons = sides(work).map(({ key, words, take }) =>
    button({}, take, words, element("span", { class: "key" }, ` (${key})`)),
  );
  return [
    element("p", { class: "note", id: "ties" }, verdict(done, differing)),
    element("p", { class: "buttons" }, ...buttons),
    ...(differing.length ? [listed(work, done, differing)] : []),
  ];
}

function verdict(done: OtherJudgment[], differing: Difference[]): string {
  const characters = tied(done);
  const passages = differing.length
    ? `The assessors differ about ${counted(differing.length, "passage")}.`
    : "The assessors differ about best entry points or grades, not about passages.";
  if (done.length === 2) return `${passages} Of two there is no majority: take one side, both, or begin your own.`;
  return characters
    ? `${passages} Exactly half of the ${done.length} highlighted ${counted(characters, "character")}: these are ties, which no majority decides.`
    : passages;
}

interface TakenSide {
  key: string;
  words: string;
  take: () => void;
}

/** The sides that an adjudicator may take as a whole, each with its key. */
export function sides(work: Assessment): TakenSide[] {
  const done = finished(work.data.others ?? []);
  const whole = (key: string, { who, state }: OtherJudgment): TakenSide => ({
    key,
    words: `Take all of ${who}`,
    take: () => work.take(state, `All of ${who}`),
  });
  const found = done.slice(0, 2).map((other, at) => whole(at ? "d" : "a", other));
  if (done.length > 1 && work.hasHighlights) {
    const both: Side = { ...union(done), grades: work.view.grades };
    const words = done.length === 2 ? "Take both (union)" : "Take all (union)";
    found.push({ key: "w", words, take: () => work.take(both, "The union") });
  }
  if (done.length) found.push({ key: "e", words: "Begin my own", take: () => work.take(NOTHING, "An empty judgment") });
  return found;
}

/** Take the side of a key; says so if there is none. */
export function takeSide(work: Assessment, key: string): void {
  const side = sides(work).find((each) => each.key === key);
  if (side) side.take();
  else tell("There is no such side to take.");
}

/** The passages about which assessors differ, to be taken or left out one by one. */
function listed(work: Assessment, done: OtherJudgment[], differing: Difference[]): HTMLElement {
  const list = element("ol", { class: "passages", id: "differences" });
  const row = ({ span, who }: Difference): HTMLElement => {
    const words = work.brief(span, 100);
    const take = (): void => {
      // What nobody disputes comes along with the first passage that is taken.
      const undisputed = work.view.highlights.length ? [] : agreed(done);
      work.highlight([...undisputed, span]);
    };
    return element(
      "li",
      {},
      button({ class: "jump" }, () => jumpTo(work, span), words),
      element("span", { class: "note" }, `only ${who.join(", ")}`),
      button({ class: "take", "aria-label": `Take: ${brief(words, 40)}` }, take, "Take"),
      button(
        { class: "take", "aria-label": `Leave out: ${brief(words, 40)}` },
        () => work.unhighlight([span]),
        "Leave out",
      ),
    );
  };
  const fill = (most: number): void => list.replaceChildren(...differing.slice(0, most).map(row));
  fill(AT_FIRST);
  const rest = button(
    { class: "link" },
    () => {
      fill(Infinity);
      rest.remove();
    },
    `Show all ${differing.length}`,
  );
  const heading = element("h3", {}, "Where they differ");
  return element("div", {}, heading, list, differing.length > AT_FIRST ? rest : null);
}

/** What an assessor said of passages. */
function remarks(work: Assessment, comments: Comment[]): HTMLElement | null {
  if (comments.length === 0) return null;
  const rows = comments.map(([start, end, words]) => {
    const jump = button({ class: "jump" }, () => jumpTo(work, [start, end]), work.brief([start, end], 80));
    return element("li", {}, jump, element("p", {}, words));
  });
  return element("ul", { class: "comments" }, ...rows);
}

function assessor(
  work: Assessment,
  { who, state }: OtherJudgment,
  colour: number,
  all: HTMLInputElement,
  undisputed: Span[],
): HTMLElement {
  const layer = `others${colour}` as const;
  const box = element("input", { type: "checkbox", checked: "" });
  const shown = (): Span[] => (all.checked ? state.highlights : undisputed.reduce<Span[]>(without, state.highlights));
  const paint = (): void => work.painter.paint(layer, box.checked ? shown() : []);
  box.addEventListener("change", paint);
  all.addEventListener("change", paint);
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
    remarks(work, state.comments),
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
