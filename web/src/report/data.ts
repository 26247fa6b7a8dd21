// What a report shows: the data that the page carries, with the text of every document.

import { item } from "../shared/lists";
import type * as wire from "../shared/report-types";

/** A value of a figure or a table. */
export type Value = string | number | null;

export interface DocumentView extends wire.ReportDocument {
  text: string;
}

export interface ReportData extends wire.ReportData {
  documents: DocumentView[];
}

/** The data that the page carries. */
export function carried(): ReportData {
  const place = document.getElementById("report-data");
  const data = JSON.parse(place?.textContent ?? "") as wire.ReportData;
  const textOf = ({ text, textOf }: wire.ReportDocument): string =>
    text ?? (textOf === undefined ? "" : (item(data.documents, textOf).text ?? ""));
  const withNames = (figure: wire.ReportFigure): wire.ReportFigure => {
    const runs = figure.columns.run?.map((run) => item(data.runs, Number(run)).name);
    return runs ? { ...figure, columns: { ...figure.columns, run: runs } } : figure;
  };
  const figures = data.figures.map(withNames);
  return { ...data, figures, documents: data.documents.map((view) => ({ ...view, text: textOf(view) })) };
}

/** The rows of a figure, from its columns. */
export function rowsOf(columns: Record<string, Value[]>): Record<string, Value>[] {
  const names = Object.keys(columns);
  const length = names.length ? (columns[item(names, 0)]?.length ?? 0) : 0;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.[row] ?? null])),
  );
}
