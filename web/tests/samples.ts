// Small values that several tests use.

import type { OperationsReply, StateData } from "../src/shared/api-types";

export const SUBJECT = { topic: "7", doc: "a", judge: "" };

export function state(changes: Partial<StateData> = {}): StateData {
  return {
    highlights: [],
    bep: null,
    grades: {},
    inferred: [],
    status: "open",
    skipped: false,
    problem: false,
    note: "",
    comments: [],
    ...changes,
  };
}

export function reply(version: number, changes: Partial<OperationsReply> = {}): OperationsReply {
  const judgment = { state: state(), version, canUndo: true, canRedo: false, problems: [], inconsistencies: [] };
  return { ...judgment, ...changes };
}

/** What a browser keeps; `isFull` makes it refuse. */
export class Storage {
  isFull = false;
  readonly kept: Record<string, string> = {};

  constructor() {
    // As in a browser, the keys of a storage are those of what it keeps.
    for (const name of ["isFull", "kept"]) Object.defineProperty(this, name, { enumerable: false });
  }

  getItem(key: string): string | null {
    return this.kept[key] ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.isFull) throw new DOMException("full", "QuotaExceededError");
    this.kept[key] = value;
    Object.defineProperty(this, key, { enumerable: true, configurable: true, value });
  }

  removeItem(key: string): void {
    delete this.kept[key];
    Reflect.deleteProperty(this, key);
  }
}
