// What a report shows: the data that the page carries, with the text of every document.

import { item } from "../shared/lists";
import type * as wire from "../shared/report-types";

/** A value of a figure or a table. */
export type Value = string | number | null;

export interface DocumentView extends wire.ReportDocument {
  text: string;
}

/** A run by the name that there is room for everywhere; data that are saved have the full one. */
export interface ReportRun extends wire.ReportRun {
  full: string;
}

export interface ReportData extends wire.ReportData {
  runs: ReportRun[];
  documents: DocumentView[];
}

/** The data that the page carries. */
export function carried(): ReportData {
  const place = document.getElementById("report-data");
  const data = JSON.parse(place?.textContent ?? "") as wire.ReportData;
  const textOf = ({ text, textOf }: wire.ReportDocument): string =>
    text ?? (textOf === undefined ? "" : (item(data.documents, textOf).text ?? ""));
  const runs = data.runs.map((run) => ({ ...run, name: run.short ?? run.name, full: run.name }));
  const withNames = (figure: wire.ReportFigure): wire.ReportFigure => {
    const names = figure.columns.run?.map((run) => item(runs, Number(run)).name);
    return names ? { ...figure, columns: { ...figure.columns, run: names } } : figure;
  };
  const figures = data.figures.map(withNames);
  return { ...data, runs, figures, documents: data.documents.map((view) => ({ ...view, text: textOf(view) })) };
}

/** The rows of a figure, from its columns. */
export function rowsOf(columns: Record<string, Value[]>): Record<string, Value>[] {
  const names = Object.keys(columns);
  const length = names.length ? (columns[item(names, 0)]?.length ?? 0) : 0;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.[row] ?? null])),
  );
}
