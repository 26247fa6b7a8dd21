// The figures that the page has places for, each with its legend of runs and its data.

import { all, button, drawn, element, named } from "../../shared/dom";
import type { ReportFigure, ReportRun } from "../../shared/report-types";
import { capital } from "../../shared/words";
import { rowsOf } from "../data";
import type { Page } from "../page";
import { dataButton } from "../tables/csv";
import { Plot } from "./plots";
import { coloursOfRuns, hasOwnWidth, isWide } from "./specs";

export function figures(page: Page): void {
  const byId = new Map(page.data.figures.map((figure) => [figure.id, figure]));
  for (const place of all("figure[data-figure]")) {
    const figure = byId.get(place.dataset.figure ?? "");
    if (figure) prepare(page, place, figure);
  }
}

function prepare(page: Page, place: HTMLElement, figure: ReportFigure): void {
  const plot = place.querySelector<HTMLElement>(".plot");
  if (!plot) return;
  describe(place, plot, figure);
  place.classList.toggle("wide", hasOwnWidth(figure.spec) || isWide(figure.spec) || "topic" in figure.columns);
  place.prepend(
    dataButton(
      page,
      figure.title,
      () => figure.id,
      () => Object.entries(figure.columns),
    ),
  );
  let refreshed = (): void => {};
  if (coloursOfRuns(figure.spec).size) {
    const runs = legend(page, figure);
    plot.before(runs.list);
    refreshed = runs.refresh;
  }
  new Plot(page, plot, figure.spec, () => rowsOf(figure.columns), refreshed);
}

/** Let those who cannot see a figure hear what it shows. */
function describe(place: HTMLElement, plot: HTMLElement, figure: ReportFigure): void {
  const words = place.querySelector(".alt");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", figure.title);
  if (!words) return;
  words.id = `alt-${figure.id}`;
  plot.setAttribute("aria-describedby", words.id);
}

// The runs of a figure: pressing one hides it, or shows it again, everywhere.

/** A short line in the colour and dashes of a run. */
export function swatch(run: Pick<ReportRun, "colour" | "dash">): SVGElement {
  return drawn(
    "svg",
    { class: "swatch", viewBox: "0 0 24 8", "aria-hidden": "true" },
    drawn("line", {
      x1: 0,
      y1: 4,
      x2: 24,
      y2: 4,
      stroke: run.colour,
      "stroke-width": 3,
      "stroke-dasharray": run.dash.some((gap, at) => at % 2 && gap) ? run.dash.join(" ") : "none",
    }),
  );
}

/** The legend of a figure: the runs that it has, as far as they are or were at first chosen. */
export function legend(page: Page, figure: ReportFigure): { list: HTMLElement; refresh: () => void } {
  const list = element("ul", {
    class: "legend",
    "aria-label": `${capital(page.data.subject.run)}s in ${figure.title}`,
  });
  const has = new Set(figure.columns.run ?? []);
  const colours = coloursOfRuns(figure.spec);
  let listed = "";
  const refresh = (): void => {
    const runs = [...page.data.runs.keys()].filter((at) => {
      const run = page.run(at);
      return has.has(run.name) && (run.shown || page.chosen.has(at));
    });
    if (runs.join() !== listed) {
      listed = runs.join();
      list.replaceChildren(...runs.map((at) => entry(page, at, colours)));
    }
    for (const each of list.querySelectorAll("button"))
      each.setAttribute("aria-pressed", String(page.chosen.has(Number(each.dataset.run))));
  };
  refresh();
  return { list, refresh };
}

function entry(page: Page, at: number, colours: Map<string, string>): HTMLElement {
  const run = page.run(at);
  const colour = colours.get(run.name);
  const line = swatch(colour ? { colour, dash: [1, 0] } : run);
  const title = run.what ? `${run.full}: ${run.what}` : run.full;
  const toggle = button({ "data-run": String(at), title }, () => page.toggle(at), line, named(run.name));
  return element("li", {}, toggle);
}
