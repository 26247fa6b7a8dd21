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
