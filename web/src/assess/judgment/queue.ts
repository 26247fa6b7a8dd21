// Gestures that the server has not yet taken, kept in the browser until it has.
//
// They are kept by user, topic, document and judge, so they are only ever replayed for the user who
// made them. An operation that two tabs replay counts once: the server knows its id.

import { element, named } from "../../shared/dom";
import { counted } from "../../shared/words";
import type { OperationData } from "../data";
import { articlePage, type Subject } from "./api";

export class Queue {
  private readonly key: string;
  private waiting: OperationData[];
  /** Whether the browser keeps the queue when the page closes. */
  isKept = true;

  constructor({ topic, doc, judge }: Subject, user: string) {
    this.key = `doxeval-queue ${JSON.stringify([user, topic, doc, judge])}`;
    this.waiting = this.stored();
  }

  get operations(): readonly OperationData[] {
    return this.waiting;
  }

  get length(): number {
    return this.waiting.length;
  }

  add(operation: OperationData): void {
    this.waiting.push(operation);
    this.keep();
  }

  /** Forget the first operations: the server has taken or refused them. */
  dropFirst(count: number): void {
    const gone = new Set(this.waiting.slice(0, count).map((operation) => operation.op_id));
    this.waiting = this.waiting.slice(count);
    this.keep(gone);
  }

  clear(): void {
    this.dropFirst(this.waiting.length);
  }

  /** Number the operations as made upon a version, one after the other. */
  renumber(version: number): void {
    this.waiting = this.waiting.map((operation, at) => ({ ...operation, base_version: version + at }));
    this.keep();
  }

  /** Write the queue, together with what another tab of the same document has put there. */
  private keep(gone: ReadonlySet<string> = new Set()): void {
    const own = new Set(this.waiting.map((operation) => operation.op_id));
    const foreign = this.stored().filter(({ op_id }) => !own.has(op_id) && !gone.has(op_id));
    const kept = [...foreign, ...this.waiting];
    try {
      if (kept.length) localStorage.setItem(this.key, JSON.stringify(kept));
      else localStorage.removeItem(this.key);
      this.isKept = true;
    } catch {
      this.isKept = false; // storage is full or forbidden: the queue lives as long as the page
    }
  }

  private stored(): OperationData[] {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(this.key) ?? "[]");
      return Array.isArray(found) ? (found as OperationData[]) : [];
    } catch {
      return [];
    }
  }
}

// Changes that this browser keeps for the user, in documents that are not open.

const KEY = /^doxeval-queue (.*)$/;

/** List the documents with unsaved changes; opening one sends them. */
export function leftovers(user: string, main: HTMLElement): void {
  const list = element("ul", {});
  for (const [owner, topic, doc, judge, count] of kept()) {
    if (owner !== user) continue;
    const link = element("a", { href: articlePage({ topic, doc, judge }, doc) }, named(doc));
    list.append(element("li", {}, link, ` of topic ${topic}: ${counted(count, "change")}`));
  }
  if (list.childElementCount === 0) return;
  const words = "This browser keeps changes that are not saved yet. Open the documents to save them:";
  const notice = element("div", { class: "notice" }, element("p", {}, words), list);
  main.querySelector("h1")?.after(notice);
}

function kept(): [string, string, string, string, number][] {
  const found: [string, string, string, string, number][] = [];
  try {
    for (let at = 0; at < localStorage.length; at++) {
      const key = localStorage.key(at)!;
      const subject = KEY.exec(key)?.[1];
      if (!subject) continue;
      const [user, topic, doc, judge] = JSON.parse(subject) as [string, string, string, string];
      const count = (JSON.parse(localStorage.getItem(key) ?? "[]") as unknown[]).length;
      if (count) found.push([user, topic, doc, judge, count]);
    }
  } catch {
    // storage is forbidden, or not ours
  }
  return found;
}
