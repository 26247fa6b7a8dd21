// What a report shows: the data that the page carries.

import type { DocumentView } from "./document-data";

export interface Run {
  name: string;
  colour: string;
  dash: number[];
  /** Whether it is chosen at first: the best ten, and the baseline. */
  shown: boolean;
}

export interface Topic {
  id: string;
  title?: string;
  query?: string;
  description?: string;
}

export interface Measure {
  label: string;
  canonical: string;
  title: string;
  user?: string;
  formula?: string;
  range: string;
  lowest: number;
  highest: number | null;
  higherIsBetter: boolean;
  page?: string;
}

export interface Cell {
  mean: number | null;
  low: number | null;
  high: number | null;
  letters: string;
  topics: number;
  undefined: number;
  best: boolean;
}

/** Run a, run b, mean difference a − b, p, p after Holm's correction. */
export type TestedPair = [number, number, number | null, number | null, number | null];

export interface Comparison {
  measure: number;
  test: string;
  alpha: number;
  pairs: TestedPair[];
}

export type Value = string | number | null;

export interface Figure {
  id: string;
  section: string;
  title: string;
  note: string;
  alt: string;
  columns: Record<string, Value[]>;
  /** Vega-Lite without data. */
  spec: Record<string, unknown>;
}

export interface ReportData {
  title: string;
  /** By the reference measure, best first. */
  runs: Run[];
  topics: Topic[];
  /** The first one is the reference measure. */
  measures: Measure[];
  baseline: number;
  baselineGiven: boolean;
  /** By measure, run and topic; null where the measure is undefined. */
  scores: (number | null)[][][];
  /** By measure and run. */
  cells: Cell[][];
  comparisons: Comparison[];
  figures: Figure[];
  documents: DocumentView[];
}

/** The data that the page carries. */
export function carried(): ReportData {
  const island = document.getElementById("report-data");
  const data = JSON.parse(island?.textContent ?? "") as ReportData;
  for (const view of data.documents) {
    if (view.textOf !== undefined) view.text = data.documents[view.textOf]!.text;
  }
  return data;
}

/** The rows of a figure, from its columns. */
export function rowsOf(columns: Record<string, Value[]>): Record<string, Value>[] {
  const names = Object.keys(columns);
  const length = names.length ? (columns[names[0]!]?.length ?? 0) : 0;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.[row] ?? null])),
  );
}
