// Gestures that the server has not yet taken, kept in the browser until it has.
//
// They are kept by user, topic, document and judge, so they are only ever replayed for the user who
// made them. An operation that two tabs replay counts once: the server knows its id.

import type { OperationData } from "../../shared/api-types";
import type { Subject } from "./api";

const WAITING = "doxeval-queue ";
/** Of gestures that clash with another version, until their user has decided. */
export const HELD = "doxeval-held ";

export class Queue {
  readonly #key: string;
  #waiting: OperationData[];
  /** Whether the browser keeps the queue when the page closes. */
  isKept = true;

  constructor({ topic, doc, judge, reading }: Subject, user: string, name = WAITING) {
    this.#key = name + JSON.stringify([user, topic, doc, reading ? `reading ${reading}` : judge]);
    this.#waiting = stored(this.#key);
  }

  get operations(): readonly OperationData[] {
    return this.#waiting;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(operation: OperationData): void {
    this.#waiting.push(operation);
    this.#keep();
  }

  /** Forget the first operations: the server has taken or refused them. */
  dropFirst(count: number): void {
    this.replace(this.#waiting.slice(count));
  }

  clear(): void {
    this.replace([]);
  }

  /** Have these operations wait instead of what is here. */
  replace(operations: readonly OperationData[]): void {
    const gone = new Set(this.#waiting.map((operation) => operation.op_id));
    this.#waiting = [...operations];
    this.#keep(gone);
  }

  /** Number the operations as made upon a version, one after the other. */
  renumber(version: number): void {
    this.#waiting = this.#waiting.map((operation, at) => ({ ...operation, base_version: version + at }));
    this.#keep();
  }

  /** Write the queue, together with what another tab of the same document has put there. */
  #keep(gone: ReadonlySet<string> = new Set()): void {
    const ours = new Set(this.#waiting.map((operation) => operation.op_id));
    const others = stored(this.#key).filter(({ op_id }) => !ours.has(op_id) && !gone.has(op_id));
    const kept = [...others, ...this.#waiting];
    try {
      if (kept.length) localStorage.setItem(this.#key, JSON.stringify(kept));
      else localStorage.removeItem(this.#key);
      this.isKept = true;
    } catch {
      this.isKept = false; // storage is full or forbidden: the queue lives as long as the page
    }
  }
}

function stored(key: string): OperationData[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** The documents for which this browser keeps gestures of a user, and how many. */
export function unsavedDocuments(user: string): { subject: Subject; count: number }[] {
  const unsaved = new Map<string, { subject: Subject; count: number }>();
  try {
    for (const key of Object.keys(localStorage)) {
      const name = [WAITING, HELD].find((each) => key.startsWith(each));
      if (name === undefined) continue;
      const whose = key.slice(name.length);
      const [owner, topic, doc, judge]: [string, string, string, string] = JSON.parse(whose);
      const count = stored(key).length + (unsaved.get(whose)?.count ?? 0);
      if (owner === user && count) unsaved.set(whose, { subject: { topic, doc, judge }, count });
    }
  } catch {
    // storage is forbidden, or not ours
  }
  return [...unsaved.values()];
}
