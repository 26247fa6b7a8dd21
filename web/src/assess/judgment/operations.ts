// Gestures as operations that the server can check: what, where, and the text that stands there. And what
// the page shows before the server has answered: its last word, and the gestures since.

import {
  BEP_QUOTE,
  type Comment,
  LONGEST_QUOTE,
  type OperationData,
  type OperationKind,
  type Span,
  type StateData,
  type WireGrade,
} from "../../shared/api-types";
import { Points } from "../../shared/points";
import { united, within, without } from "../../shared/spans";
import { hashed } from "../document/verify";

/** What an assessor does, before it is known upon which version. */
export type Gesture = Omit<OperationData, "op_id" | "base_version" | "client_time">;

export function highlight(points: Points, [start, end]: Span): Gesture {
  return { kind: "highlight", start, end, ...quoted(points.slice(start, end)) };
}

export function unhighlight(points: Points, [start, end]: Span): Gesture {
  return { kind: "unhighlight", start, end, ...quoted(points.slice(start, end)) };
}

export function entryPoint(points: Points, at: number): Gesture {
  return { kind: "bep", start: at, ...quoted(points.slice(at, at + BEP_QUOTE)) };
}

export function comment(points: Points, [start, end]: Span, value: string): Gesture {
  return { kind: "comment", start, end, value, ...quoted(points.slice(start, end)) };
}

export function grade(path: string, value: WireGrade | null): Gesture {
  return { kind: "grade", path, value };
}

/** A gesture that only has a kind, or a kind and a value. */
export function plain(kind: OperationKind, value: unknown = null): Gesture {
  return { kind, value };
}

/** The operation that sends a gesture made upon a version. */
export function operation(gesture: Gesture, baseVersion: number): OperationData {
  return { ...gesture, op_id: randomId(), base_version: baseVersion, client_time: new Date().toISOString() };
}

function quoted(text: string): Pick<OperationData, "quote" | "quote_length" | "quote_sha256"> {
  // No text of this many units is longer in UTF-8.
  if (text.length * 3 <= LONGEST_QUOTE || new TextEncoder().encode(text).length <= LONGEST_QUOTE)
    return { quote: text };
  return { quote_length: new Points(text).length, quote_sha256: hashed(text) };
}

/** A random id; crypto.randomUUID is missing on plain HTTP. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface View {
  /** What will be highlighted if the server takes the waiting gestures. */
  highlights: Span[];
  /** Parts of it that the server has not yet confirmed. */
  pending: Span[];
  /** What the server has and the waiting gestures remove. */
  removing: Span[];
  bep: number | null;
  grades: Record<string, WireGrade>;
  problem: boolean;
  note: string;
  comments: Comment[];
}

/** A state of the server with the operations that wait for it. */
export function viewOf(state: StateData, waiting: readonly OperationData[]): View {
  const { highlights, bep, grades, problem, note, comments } = state;
  const view: View = { highlights, pending: [], removing: [], bep, grades, problem, note, comments };
  for (const operation of waiting) apply(operation, view);
  return view;
}

function apply({ kind, start = null, end = null, path, value }: OperationData, view: View): void {
  const span: Span | null = start === null || end === null ? null : [start, end];
  if (kind === "highlight" && span) {
    view.highlights = united(view.highlights, span);
    view.pending = united(view.pending, span);
    view.removing = without(view.removing, span);
  } else if (kind === "unhighlight" && span) {
    view.removing = [...view.removing, ...within(view.highlights, span)];
    view.highlights = without(view.highlights, span);
    view.pending = without(view.pending, span);
  } else if (kind === "bep") {
    view.bep = start;
  } else if (kind === "clear-bep") {
    view.bep = null;
  } else if (kind === "grade" && path) {
    const { [path]: _, ...others } = view.grades;
    view.grades = value === null ? others : { ...others, [path]: value as WireGrade };
  } else if (kind === "problem") {
    view.problem = value === true;
  } else if (kind === "note") {
    view.note = String(value);
  } else if (kind === "comment" && span) {
    const others = view.comments.filter(([first, last]) => first !== start || last !== end);
    const words = String(value).trim();
    const made: Comment[] = words ? [...others, [...span, words]] : others;
    view.comments = made.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  }
}
