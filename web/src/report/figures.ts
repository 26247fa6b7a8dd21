// The figures that the page has places for, each with its legend of runs and its data.

import { dataButton } from "./csv";
import type { Figure } from "./data";
import { rowsOf } from "./data";
import { all } from "../shared/dom";
import { legend } from "./legend";
import type { Page } from "./page";
import { Plot } from "./plots";
import { hasOwnWidth, showsRuns } from "./specs";

export function figures(page: Page): void {
  const byId = new Map(page.data.figures.map((figure) => [figure.id, figure]));
  for (const place of all("figure[data-figure]")) {
    const figure = byId.get(place.dataset["figure"] ?? "");
    if (figure) prepare(page, place, figure);
  }
}

function prepare(page: Page, place: HTMLElement, figure: Figure): void {
  const plot = place.querySelector<HTMLElement>(".plot");
  if (!plot) return;
  describe(place, plot, figure);
  place.classList.toggle("wide", hasOwnWidth(figure.spec) || "topic" in figure.columns);
  place.prepend(dataButton(figure.title, () => figure.id, () => Object.entries(figure.columns)));
  let refreshed = (): void => {};
  if (showsRuns(figure.spec)) {
    const runs = legend(page, figure);
    plot.before(runs.list);
    refreshed = runs.refresh;
  }
  new Plot(page, plot, figure.spec, () => rowsOf(figure.columns), refreshed);
}

/** Let those who cannot see a figure hear what it shows. */
function describe(place: HTMLElement, plot: HTMLElement, figure: Figure): void {
  const words = place.querySelector(".alt");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", figure.title);
  if (!words) return;
  words.id = `alt-${figure.id}`;
  plot.setAttribute("aria-describedby", words.id);
}
