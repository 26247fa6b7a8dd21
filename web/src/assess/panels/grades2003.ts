// Exhaustivity and specificity of elements, 0 to 3 each: choose an element, then grade it.

import type { WireGrade } from "../../shared/api-types";
import { button, element } from "../../shared/dom";
import { item } from "../../shared/lists";
import { counted } from "../../shared/words";
import { jumpTo } from "../document/scrolling";
import type { Assessment } from "../judgment/assessment";
import * as operations from "../judgment/operations";
import { choices, elementButton, elementLabel, elementSpan } from "./elements";
import { announce } from "./messages";

const LEVELS = [0, 1, 2, 3] as const;
const EXHAUSTIVE = ["not", "marginally", "fairly", "highly"];
const MAX_LISTED = 300;
type Pair = [number, number];

export function gradesPanel(work: Assessment): HTMLElement {
  const place = element("nav", { class: "lineage", "aria-label": "The chosen element and those around it" });
  const moves = element("div", { class: "buttons moves" });
  const marks = element("div", { class: "marks" });
  const inconsistent = element("ul", { class: "inconsistencies" });
  const count = element("p", { class: "count", role: "status" });
  const graded = element("ol", { class: "grades" });
  /** One half of a grade that has no other half yet. */
  let half: { row: number; e: number | null; s: number | null } = { row: -1, e: null, s: null };
  let drawn = "";

  function grade(value: Pair | null): void {
    if (work.refusesEdits()) return;
    const path = work.shown.path(work.chosen);
    void work.submit(operations.grade(path, value));
    announce(value ? `${path}: exhaustivity ${value[0]}, specificity ${value[1]}` : `${path}: no grade`);
  }

  function given(part: "e" | "s", level: number): void {
    const pair = pairOf(work.view.grades[work.shown.path(work.chosen)]);
    if (half.row !== work.chosen) half = { row: work.chosen, e: pair?.[0] ?? null, s: pair?.[1] ?? null };
    half[part] = level;
    const other = part === "e" ? "s" : "e";
    if (level === 0)
      half[other] = 0; // nothing is one without the other
    else if (half[other] === 0) half[other] = null;
    if (half.e !== null && half.s !== null) {
      const value: Pair = [half.e, half.s];
      half = { row: -1, e: null, s: null };
      grade(value);
    } else refresh();
  }

  function refresh(): void {
    const state = JSON.stringify([
      work.chosen,
      half,
      work.view.grades,
      work.judgment.state.inferred,
      work.judgment.inconsistencies,
    ]);
    if (state === drawn) return;
    drawn = state;
    const focus = focusedIn(marks);
    // The whole document is chosen at first; that needs no colour.
    work.painter.paint("element", work.chosen === 0 ? [] : [elementSpan(work, work.chosen)]);
    place.replaceChildren(...work.shown.lineage(work.chosen).map((row) => crumb(work, row)));
    moves.replaceChildren(...neighbours(work));
    marks.replaceChildren(...form());
    if (focus) marks.querySelector<HTMLElement>(focus)?.focus();
    listGraded();
  }

  function form(): HTMLElement[] {
    const path = work.shown.path(work.chosen);
    const pair = half.row === work.chosen ? null : pairOf(work.view.grades[path]);
    const e = half.row === work.chosen ? half.e : (pair?.[0] ?? null);
    const s = half.row === work.chosen ? half.s : (pair?.[1] ?? null);
    const options = LEVELS.map((level) => ({
      value: level,
      label: String(level),
      title: item(EXHAUSTIVE, level),
      isAllowed: !work.isReadOnly,
    }));
    const isInferred = work.judgment.state.inferred.includes(path);
    const clear = button({ class: "link" }, () => grade(null), "Clear the grade");
    clear.hidden = pair === null;
    return [
      choices(
        "Exhaustivity: how much of the topic it covers",
        "e",
        options,
        (level) => level === e,
        (level) => given("e", level),
      ),
      choices(
        "Specificity: how much of it is about the topic",
        "s",
        options,
        (level) => level === s,
        (level) => given("s", level),
      ),
      element(
        "p",
        { class: "note" },
        isInferred ? "This grade was inferred from others." : half.row === work.chosen ? "Now the other one." : "",
      ),
      clear,
    ];
  }

  function listGraded(): void {
    const rows = rowsByPath(work);
    const all = Object.entries(work.view.grades);
    const inferred = new Set(work.judgment.state.inferred);
    count.textContent = `${counted(all.length, "element")} graded${inferred.size ? `, ${inferred.size} of them inferred` : ""}`;
    inconsistent.replaceChildren(
      ...work.judgment.inconsistencies.map(([path, message]) => element("li", { class: "bad" }, `${path}: ${message}`)),
    );
    const listed = all.map(([path, value]) => ({ path, row: rows.get(path) ?? -1, value: pairOf(value) }));
    listed.sort((a, b) => a.row - b.row);
    graded.replaceChildren(
      ...listed
        .filter(({ row }) => row >= 0)
        .slice(0, MAX_LISTED)
        .map(({ path, row, value }) =>
          element(
            "li",
            {},
            elementButton(work, row, elementLabel(work, row, 40)),
            element(
              "span",
              {
                class: inferred.has(path) ? "value inferred" : "value",
                title: inferred.has(path) ? "inferred" : "given",
              },
              value ? `E${value[0]} S${value[1]}${inferred.has(path) ? " inferred" : ""}` : "",
            ),
          ),
        ),
    );
  }

  work.shown.root.addEventListener("click", (event) => {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed) return;
    work.choose(work.shown.rowAt(event.target as Node));
  });
  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const focus = selection?.focusNode ?? null;
    if (document.activeElement === work.shown.root && focus) work.choose(work.shown.rowAt(focus));
  });
  work.watch(refresh);
  return element(
    "section",
    { class: "panel", id: "grades" },
    element("h2", {}, "Grades"),
    element("p", { class: "note" }, "Choose an element by a click in the text, in the outline or here."),
    place,
    moves,
    marks,
    inconsistent,
    count,
    graded,
  );
}

function crumb(work: Assessment, row: number): HTMLElement {
  const made = button(
    { class: "crumb" },
    () => {
      work.choose(row);
      jumpTo(work, elementSpan(work, row));
    },
    work.shown.step(row),
  );
  if (row === work.chosen) made.setAttribute("aria-current", "true");
  return made;
}

/** Ways to the elements around the chosen one. */
function neighbours(work: Assessment): HTMLElement[] {
  const { shown, chosen } = work;
  const parent = item(shown.parents, chosen);
  const siblings = parent < 0 ? [chosen] : shown.children(parent);
  const at = siblings.indexOf(chosen);
  const ways: [string, string, number | undefined][] = [
    ["Parent", "↑", parent < 0 ? undefined : parent],
    ["First child", "↓", shown.children(chosen)[0]],
    ["Previous sibling", "←", siblings[at - 1]],
    ["Next sibling", "→", siblings[at + 1]],
  ];
  return ways.map(([name, sign, row]) => {
    const made = button(
      { "aria-label": name, title: name, "data-way": sign },
      () => {
        if (row === undefined) return;
        work.choose(row);
        jumpTo(work, elementSpan(work, row));
        // The buttons are made anew: the focus stays on the same way.
        document.querySelector<HTMLElement>(`#grades [data-way="${sign}"]`)?.focus();
      },
      sign,
    );
    made.disabled = row === undefined;
    return made;
  });
}

function pairOf(value: WireGrade | undefined): Pair | null {
  return Array.isArray(value) ? value : null;
}

const rowsOf = new WeakMap<Assessment, Map<string, number>>();

function rowsByPath(work: Assessment): Map<string, number> {
  let rows = rowsOf.get(work);
  if (!rows) {
    rows = new Map();
    for (let row = 0; row < work.shown.rows; row++) rows.set(work.shown.path(row), row);
    rowsOf.set(work, rows);
  }
  return rows;
}

/** How to find the radio button again that has the focus. */
function focusedIn(place: HTMLElement): string | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLInputElement) || !place.contains(active)) return null;
  const at = [...place.querySelectorAll(`input[name=${active.name}]`)].indexOf(active);
  return `fieldset:nth-of-type(${active.name === "e" ? 1 : 2}) label:nth-of-type(${at + 1}) input`;
}
