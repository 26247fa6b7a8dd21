// What a report shows: the data that the page carries.

import { item } from "../shared/lists";
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
    if (view.textOf !== undefined) view.text = item(data.documents, view.textOf).text;
  }
  return data;
}

/** The rows of a figure, from its columns. */
export function rowsOf(columns: Record<string, Value[]>): Record<string, Value>[] {
  const names = Object.keys(columns);
  const length = names.length ? (columns[item(names, 0)]?.length ?? 0) : 0;
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.[row] ?? null])),
  );
}

// What the page carries about one document of a topic. Positions count code points.

export type Range = [start: number, end: number];

/** Start, end, rank. */
export type Unit = [start: number, end: number, rank: number];

export interface OutlineItem {
  depth: number;
  path: string;
  start: number;
  end: number;
  begins: string;
  /** How much of it is highlighted; null where nothing is highlighted at all. */
  share: number | null;
}

export interface GradedElement {
  path: string;
  start: number;
  end: number;
  /** As the assessors wrote it: 3E, (2,3). */
  label: string;
}

/** Hit at a rank; near, from a rank on, with a probability; or missed. */
export type Outcome = ["hit", number] | ["near", number, number] | ["miss"];

export interface RelevantUnit {
  unit: Range;
  label: string;
  share: number | null;
  byRun: Outcome[];
}

export interface DocumentView {
  topic: number;
  doc: string;
  text: string;
  /** As the page carries it: the document, by its number, that has the same text; then there is none here. */
  textOf?: number;
  blocks: [number, number, "title" | "text"][];
  highlights: Range[];
  grades: GradedElement[];
  bep: number | null;
  outline: OutlineItem[];
  /** How many elements the outline leaves out. */
  outlineCut: number;
  /**
   * `cut`: how many further ranges of the run are left out. `read`: for each budget, where readers
   * stop in each range.
   */
  results: { run: number; units: Unit[]; cut?: number; read?: number[][] }[];
  /** Budgets in words, such as "1,000 words", smallest first. */
  budgets?: string[];
  /** What runs could have returned: for each chunk, how far it begins after the one before, and its length. */
  cuts?: { runs: number[]; ranges: number[] }[];
  outcomes?: RelevantUnit[];
  outcomesCut?: number;
  /** The name of the model of navigation behind the outcomes. */
  navigation?: string;
  /** Why the document is shown. */
  why: string;
  /** How many characters at the end are left out. */
  cut: number;
}
