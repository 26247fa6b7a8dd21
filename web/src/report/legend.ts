// The runs of a figure: pressing one hides it, or shows it again, everywhere.

import type { Figure, Run } from "./data";
import { button, drawn, element, named } from "../shared/dom";
import type { Page } from "./page";

/** A short line in the colour and dashes of a run. */
export function swatch(run: Run): SVGElement {
  return drawn(
    "svg",
    { class: "swatch", viewBox: "0 0 24 8", "aria-hidden": "true" },
    drawn("line", {
      x1: 0, y1: 4, x2: 24, y2: 4, stroke: run.colour, "stroke-width": 3,
      "stroke-dasharray": run.dash.some((gap, at) => at % 2 && gap) ? run.dash.join(" ") : "none",
    }),
  );
}

/** The legend of a figure: the runs that it has, as far as they are or were at first chosen. */
export function legend(page: Page, figure: Figure): { list: HTMLElement; refresh: () => void } {
  const list = element("ul", { class: "legend", "aria-label": `Runs in ${figure.title}` });
  const has = new Set(figure.columns["run"] ?? []);
  let listed = "";
  const refresh = (): void => {
    const runs = [...page.data.runs.keys()].filter((at) => {
      const run = page.data.runs[at]!;
      return has.has(run.name) && (run.shown || page.chosen.has(at));
    });
    if (runs.join() !== listed) {
      listed = runs.join();
      list.replaceChildren(...runs.map((at) => entry(page, at)));
    }
    for (const each of list.querySelectorAll("button"))
      each.setAttribute("aria-pressed", String(page.chosen.has(Number(each.dataset["run"]))));
  };
  refresh();
  return { list, refresh };
}

function entry(page: Page, at: number): HTMLElement {
  const run = page.data.runs[at]!;
  const toggle = button({ "data-run": String(at) }, () => page.toggle(at), swatch(run), named(run.name));
  return element("li", {}, toggle);
}
