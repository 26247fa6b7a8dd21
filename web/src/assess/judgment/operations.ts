// Gestures as operations that the server can check: what, where, and the text that stands there.

import type { Points } from "../../shared/points";
import { united, within, without } from "../../shared/spans";
import type { Grade, Kind, OperationData, Span, StateData } from "../data";
import { hashed } from "../document/verify";

/** Longer quotes, in bytes of UTF-8, are sent as length and hash. */
const LONGEST_QUOTE = 4096;
/** A best entry point quotes this many characters after it. */
const AFTER_ENTRY = 32;

type Quote = Pick<OperationData, "quote" | "quote_length" | "quote_sha256">;

export type Gesture = { kind: Kind } & Partial<Pick<OperationData, "start" | "end" | "path" | "value"> & Quote>;

export function highlight(points: Points, span: Span): Gesture {
  return { kind: "highlight", start: span[0], end: span[1], ...quoted(points.slice(...span)) };
}

export function unhighlight(points: Points, span: Span): Gesture {
  return { kind: "unhighlight", start: span[0], end: span[1], ...quoted(points.slice(...span)) };
}

export function entryPoint(points: Points, at: number): Gesture {
  const after = points.slice(at, Math.min(at + AFTER_ENTRY, points.length));
  return { kind: "bep", start: at, ...quoted(after) };
}

export function grade(path: string, value: unknown): Gesture {
  return { kind: "grade", path, value };
}

/** A gesture that only has a kind, or a kind and a value. */
export function plain(kind: Kind, value: unknown = null): Gesture {
  return { kind, value };
}

/** The operation that sends a gesture made upon a version. */
export function operation(gesture: Gesture, baseVersion: number): OperationData {
  return {
    op_id: randomId(),
    base_version: baseVersion,
    start: null,
    end: null,
    quote: null,
    quote_length: null,
    quote_sha256: null,
    path: null,
    value: null,
    ...gesture,
    client_time: new Date().toISOString(),
  };
}

export function quoted(text: string): Quote {
  // No text of this many units is longer in UTF-8.
  if (text.length * 3 <= LONGEST_QUOTE || new TextEncoder().encode(text).length <= LONGEST_QUOTE) {
    return { quote: text, quote_length: null, quote_sha256: null };
  }
  return { quote: null, quote_length: codePoints(text), quote_sha256: hashed(text) };
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);
}

/** A random id; crypto.randomUUID is missing on plain HTTP. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What the page shows before the server has answered: its last word, and the gestures since.

export interface View {
  /** What will be highlighted if the server takes the waiting gestures. */
  highlights: Span[];
  /** Parts of it that the server has not yet confirmed. */
  pending: Span[];
  /** What the server has and the waiting gestures remove. */
  removing: Span[];
  bep: number | null;
  grades: Record<string, Grade>;
  problem: boolean;
  note: string;
}

export function viewOf(state: StateData, waiting: readonly OperationData[]): View {
  const view: View = {
    highlights: state.highlights,
    pending: [],
    removing: [],
    bep: state.bep,
    grades: state.grades,
    problem: state.problem,
    note: state.note,
  };
  for (const operation of waiting) apply(operation, view);
  return view;
}

function apply({ kind, start, end, path, value }: OperationData, view: View): void {
  if (kind === "highlight" && start !== null && end !== null) {
    view.highlights = united(view.highlights, [start, end]);
    view.pending = united(view.pending, [start, end]);
    view.removing = without(view.removing, [start, end]);
  } else if (kind === "unhighlight" && start !== null && end !== null) {
    view.removing = [...view.removing, ...within(view.highlights, [start, end])];
    view.highlights = without(view.highlights, [start, end]);
    view.pending = without(view.pending, [start, end]);
  } else if (kind === "bep") {
    view.bep = start;
  } else if (kind === "clear-bep") {
    view.bep = null;
  } else if (kind === "grade" && path !== null) {
    const { [path]: _, ...others } = view.grades;
    view.grades = value === null ? others : { ...others, [path]: value as Grade };
  } else if (kind === "problem") {
    view.problem = value === true;
  } else if (kind === "note") {
    view.note = String(value);
  }
}
