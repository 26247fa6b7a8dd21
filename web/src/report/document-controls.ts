// Buttons and keys to move about in documents, and what the drawing means.

import { button, element } from "../shared/dom";

/** A way to the next and the previous of something: by buttons, and by keys in this part of the page. */
export interface Move {
  what: string;
  next: string;
  back: string;
  go: (by: 1 | -1) => void;
}

export function moveButtons({ what, next, back, go }: Move): HTMLElement {
  const one = (name: string, key: string, by: 1 | -1, sign: string) =>
    button({ "aria-label": name, "aria-keyshortcuts": key, title: `${name} (${key})` }, () => go(by), sign);
  return element(
    "span",
    { class: "dv-move", role: "group", "aria-label": what },
    one(`previous ${what}`, back, -1, "‹"),
    element("span", {}, what),
    one(`next ${what}`, next, 1, "›"),
  );
}

export function legend(moves: Move[], hasHighlights: boolean, hasGrades: boolean, hasChunks: boolean): HTMLElement {
  return element(
    "p",
    { class: "dv-legend" },
    hasHighlights ? element("mark", {}, "highlighted by the assessor") : null,
    key("dv-key-returned", "returned by the run, with its rank in the margin; lines show where each result begins and ends"),
    hasChunks ? key("dv-key-cut", "border of a chunk") : null,
    hasGrades ? key("dv-key-graded", "graded element, with its grade at the right") : null,
    element("span", {}, "Keys: ", ...moves.flatMap(keysOf)),
  );
}

function key(kind: string, words: string): HTMLElement {
  return element("span", {}, element("i", { class: kind }), words);
}

function keysOf({ what, next, back }: Move, at: number): (Node | string)[] {
  return [at ? "; " : "", element("kbd", {}, next), " ", element("kbd", {}, back), ` next, previous ${what}`];
}
