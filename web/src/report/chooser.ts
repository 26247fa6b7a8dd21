// The list of runs: what is ticked here is shown in every figure and table.

import { button, element, named } from "../shared/dom";
import { capital } from "../shared/words";
import { swatch } from "./figures/figures";
import type { Page } from "./page";

/** With more runs than these, there is a field to find some by name. */
const MANY = 12;

export function chooser(page: Page): void {
  const place = document.getElementById("run-chooser");
  if (!place || page.data.runs.length < 2) return;
  const boxes = page.data.runs.map((_run, at) => box(page, at));
  const list = element("ul", { class: "choices" }, ...boxes.map((box) => box.row));
  const count = element("span", { class: "count" });
  const wide = matchMedia("(min-width: 60rem)");
  const folded = element(
    "details",
    {},
    element("summary", {}, element("h2", {}, capital(`${page.data.subject.run}s`)), count),
    whole(page),
    page.data.runs.length > MANY ? finder(page, boxes) : null,
    list,
    element("p", { class: "note" }, "What is chosen here is shown in every figure and table."),
  );
  folded.open = wide.matches;
  wide.addEventListener("change", () => (folded.open = wide.matches));
  place.replaceChildren(folded);
  place.closest("aside")?.removeAttribute("hidden");
  const refresh = (): void => {
    boxes.forEach((each, at) => (each.input.checked = page.chosen.has(at)));
    count.textContent = `${page.chosen.size} of ${page.data.runs.length}`;
  };
  page.onChosen(refresh);
  refresh();
}

interface Box {
  row: HTMLElement;
  input: HTMLInputElement;
}

function box(page: Page, at: number): Box {
  const run = page.run(at);
  const input = element("input", { type: "checkbox", "data-run": String(at) });
  input.addEventListener("change", () => page.toggle(at));
  const role = page.data.hasBaseline && at === page.data.baseline ? element("small", {}, " baseline") : null;
  const title = run.what ? `${run.full}: ${run.what}` : run.full;
  const name = element("span", { class: "name", title }, named(run.name), role);
  const only = button({ class: "only", "aria-label": `Only ${run.name}` }, () => page.choose([at]), "only");
  return { row: element("li", {}, element("label", {}, input, swatch(run), name), only), input };
}

/** Buttons that choose several runs at once. */
function whole(page: Page): HTMLElement {
  const everything = [...page.data.runs.keys()];
  const first = everything.filter((at) => page.run(at).shown);
  const some = first.length < everything.length;
  return element(
    "div",
    { class: "whole" },
    button({}, () => page.choose(everything), "all"),
    some ? button({}, () => page.choose(first), "the best") : null,
    button({}, () => page.choose([]), "none"),
  );
}

/** A field that shortens the list to the runs whose names contain something. */
function finder(page: Page, boxes: Box[]): HTMLElement {
  const word = page.data.subject.run;
  const input = element("input", {
    type: "search",
    placeholder: `find ${word}s`,
    "aria-label": `Find ${word}s by name or description`,
  });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase();
    boxes.forEach(({ row }, at) => {
      row.hidden = !`${page.run(at).full}\n${page.run(at).what ?? ""}`.toLowerCase().includes(words);
    });
  });
  return input;
}
