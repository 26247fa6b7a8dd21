// The figures that the page has places for, each with its data and itself as files.

import { all, button, drawn, element } from "../../shared/dom";
import type { ReportFigure, ReportRun } from "../../shared/report-types";
import { rowsOf } from "../data";
import type { Page } from "../page";
import { dataButton, saveFile } from "../tables/csv";
import { lift, Plot } from "./plots";
import { hasOwnWidth, isWide, titleOf } from "./specs";

export function figures(page: Page): void {
  const byId = new Map(page.data.figures.map((figure) => [figure.id, figure]));
  for (const place of all("figure[data-figure]")) {
    const figure = byId.get(place.dataset.figure ?? "");
    if (figure) prepare(page, place, figure);
  }
  liftedByName(page);
}

function prepare(page: Page, place: HTMLElement, figure: ReportFigure): void {
  const box = place.querySelector<HTMLElement>(".plot");
  if (!box) return;
  describe(place, box, figure);
  place.classList.toggle("wide", hasOwnWidth(figure.spec) || isWide(figure.spec) || "topic" in figure.columns);
  const plot = new Plot(page, box, figure.spec, () => rowsOf(figure.columns));
  const name = (): string => `${page.data.title.slice(0, 50)}-${figure.id}`;
  const data = dataButton(page, titleOf(figure.spec), name, () => Object.entries(figure.columns));
  place.prepend(element("div", { class: "saves" }, ...saveButtons(plot, titleOf(figure.spec), name), data));
}

/** Buttons that save a figure as it is, with its title, in the size for a paper. */
export function saveButtons(plot: Plot, what: string, file: () => string): HTMLElement[] {
  return (["svg", "png"] as const).map((kind) =>
    button(
      { class: "data", "aria-label": `Save ${what} as ${kind.toUpperCase()}` },
      () => void plot.file(kind).then((content) => saveFile(file(), kind, content)),
      kind.toUpperCase(),
    ),
  );
}

/** A run in the list of runs that is pointed at, or has the focus, is lifted in all figures in view. */
function liftedByName(page: Page): void {
  const list = document.getElementById("run-chooser");
  const point = (event: Event): void => {
    const row = (event.target as Element).closest("li")?.querySelector<HTMLElement>("[data-run]");
    lift(row ? page.run(Number(row.dataset.run)).name : "");
  };
  for (const kind of ["pointerover", "focusin"]) list?.addEventListener(kind, point);
  for (const kind of ["pointerleave", "focusout"]) list?.addEventListener(kind, () => lift(""));
}

/** Let those who cannot see a figure hear what it shows. */
function describe(place: HTMLElement, plot: HTMLElement, figure: ReportFigure): void {
  const words = place.querySelector(".alt");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", titleOf(figure.spec));
  if (!words) return;
  words.id = `alt-${figure.id}`;
  plot.setAttribute("aria-describedby", words.id);
}

/** A short line in the colour that a run has in figures. */
export function swatch({ colour }: Pick<ReportRun, "colour">): SVGElement {
  const line = drawn("line", { x1: 0, y1: 4, x2: 16, y2: 4, stroke: colour, "stroke-width": 4 });
  return drawn("svg", { class: "swatch", viewBox: "0 0 16 8", "aria-hidden": "true" }, line);
}
