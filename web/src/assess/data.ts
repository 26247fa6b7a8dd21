// What the server sends and takes. Positions are code points of the document's text.

export type Mode = "2006" | "2005" | "2003";
export type Snap = "characters" | "words" | "sentences";
export type Role = "heading" | "list" | "item" | "table" | "row" | "cell" | "inline" | "figure" | "maths" | "block";
/** Start and end, in code points, the end not included. */
export type Span = [number, number];
/** 2005: 2, 1 or "?"; 2003: exhaustivity and specificity. */
export type Grade = 2 | 1 | "?" | 0 | [number, number];

export interface StateData {
  highlights: Span[];
  bep: number | null;
  grades: Record<string, Grade>;
  inferred: string[];
  status: "open" | "validated";
  skipped: boolean;
  problem: boolean;
  note: string;
}

export interface TopicData {
  id: string;
  title?: string | null;
  castitle?: string | null;
  description?: string | null;
  narrative?: string | null;
  keywords?: string | null;
}

/** A row of the document's elements, and the values it may get. */
export type Gradable = [number, Grade[]];

export interface Said {
  who: string;
  state: StateData;
}

/** What every answer about a judgment says. */
export interface Judgment {
  state: StateData;
  version: number;
  canUndo: boolean;
  canRedo: boolean;
  problems: string[];
  inconsistencies: [string, string][];
  gradable?: Gradable[];
}

/** Rows in document order; the path of a row is made of the tags and ordinals of its ancestors. */
export interface ElementRows {
  start: number[];
  end: number[];
  parent: number[];
  tag: number[];
  ordinal: number[];
}

export interface ArticleData extends Judgment {
  user: string;
  topic: TopicData;
  doc: string;
  mode: Mode;
  closed: boolean;
  adjudicating: boolean;
  readonly: boolean;
  text: string;
  length: number;
  sha256: string;
  elements: ElementRows;
  tags: string[];
  roles: Record<string, Role>;
  /** Null if the organiser does not show what the systems returned. */
  pooled: Span[] | null;
  keywords: string[];
  snap: Snap;
  others?: Said[];
  queue: {
    position: number;
    total: number;
    done: number;
    previous: string | null;
    next: string | null;
    offPool: boolean;
  };
}

export interface Reply extends Judgment {
  applied: number;
  total: number;
  next: string | null;
}

export interface Failure extends Partial<Reply> {
  error: string;
  code?: string;
}

export type Kind =
  | "highlight"
  | "unhighlight"
  | "bep"
  | "clear-bep"
  | "grade"
  | "validate"
  | "not-relevant"
  | "reopen"
  | "note"
  | "problem"
  | "skip"
  | "undo"
  | "redo";

export interface OperationData {
  op_id: string;
  base_version: number;
  kind: Kind;
  start: number | null;
  end: number | null;
  quote: string | null;
  quote_length: number | null;
  quote_sha256: string | null;
  path: string | null;
  value: unknown;
  client_time: string;
}

export interface FoundDocument {
  doc: string;
  title: string;
  snippet: string;
  inPool: boolean;
  /** In the pool, or added to the queue by the assessor. */
  inQueue?: boolean;
  judged: boolean;
}

export interface FindData {
  documents: FoundDocument[];
  /** How it was searched, in words. */
  how?: string;
}
