// Saving: every gesture is sent at once, in order; what cannot be sent waits and is sent again.
//
// While the server cannot be reached, a small question every second finds out when it is back, and
// then everything is sent at once. A server that answers, but fails, is left alone for longer and longer.

import { type JudgmentData, MAX_OPERATIONS, type OperationData, type OperationsReply } from "../../shared/api-types";
import { item } from "../../shared/lists";
import { type Failure, hasJudgment, ServerError, Unreachable } from "./api";
import { type Gesture, operation } from "./operations";
import type { Queue } from "./queue";

/** Why gestures wait: until the server can be reached, or until the user has decided something. */
export type Obstacle = "offline" | "signed-out" | "conflict" | "text" | "user" | "closed" | "forbidden";

/** What the page wants to know. */
export interface Listener {
  /** What the server says now about the judgment. */
  judged(judgment: JudgmentData): void;
  /** Gestures were made, sent or dropped, or an obstacle came or went. */
  changed(): void;
  refused(operation: OperationData, message: string): void;
  stopped(obstacle: Obstacle, answer: Failure | null): void;
}

/** Of the operations in one request; in UTF-8 they are within what the server takes. */
const MAX_CHARACTERS = 250_000;
const FIRST_WAIT = 1_000;
const PROBE_EVERY = 1_000;
const LONGEST_WAIT = 30_000;

export class Sync {
  obstacle: Obstacle | null = null;
  isSending = false;
  #wait = FIRST_WAIT;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many gestures are sent at once. */
  #limit = MAX_OPERATIONS;
  readonly #outcomes = new Map<string, (reply: OperationsReply | null) => void>();

  constructor(
    readonly queue: Queue,
    private version: number,
    private readonly send: (operations: OperationData[]) => Promise<OperationsReply>,
    private readonly listener: Listener,
    /** Whether the server answers at all. */
    private readonly isReachable: () => Promise<boolean>,
  ) {}

  /** Send a gesture. The promise gives the server's reply, or null if it did not take the gesture. */
  submit(gesture: Gesture): Promise<OperationsReply | null> {
    const last = this.queue.operations.at(-1);
    const made = operation(gesture, last ? last.base_version + 1 : this.version);
    this.queue.add(made);
    const outcome = new Promise<OperationsReply | null>((resolve) => this.#outcomes.set(made.op_id, resolve));
    this.listener.changed();
    this.retry();
    return outcome;
  }

  /** Try again now, if nothing but the way to the server is the obstacle. */
  retry(): void {
    if (this.obstacle !== null && this.obstacle !== "offline") return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#flush();
  }

  /** Put these of the waiting gestures on top of what the server has now, and send them. */
  reapply(version: number, operations: readonly OperationData[] = this.queue.operations): void {
    const kept = new Set(operations.map(({ op_id }) => op_id));
    for (const { op_id } of this.queue.operations) if (!kept.has(op_id)) this.#resolve(op_id, null);
    this.version = version;
    this.queue.replace(operations);
    this.queue.renumber(version);
    this.#resume();
  }

  /** Forget the waiting gestures; the server's version stands. */
  discard(version: number): void {
    this.reapply(version, []);
  }

  /** The user has dealt with the obstacle. */
  #resume(): void {
    this.obstacle = null;
    this.#wait = FIRST_WAIT;
    this.listener.changed();
    this.retry();
  }

  async #flush(): Promise<void> {
    if (this.isSending || this.queue.length === 0) return;
    this.isSending = true;
    this.listener.changed();
    try {
      while (this.queue.length > 0 && (await this.#sendSome())) this.obstacle = null;
    } finally {
      this.isSending = false;
      if (this.queue.length === 0) this.#limit = MAX_OPERATIONS;
      this.listener.changed();
    }
  }

  /** Send the first gestures; whether to go on. */
  async #sendSome(): Promise<boolean> {
    const batch = batchOf(this.queue.operations, this.#limit);
    try {
      const reply = await this.send(batch);
      this.#wait = FIRST_WAIT;
      this.#taken(batch, reply);
      return true;
    } catch (error) {
      if (error instanceof ServerError) return this.#failed(batch, error);
      if (!(error instanceof Unreachable)) throw error;
      return this.#later(null);
    }
  }

  #taken(batch: OperationData[], reply: OperationsReply, isNews = true): void {
    this.queue.dropFirst(batch.length);
    if (isNews) {
      this.version = reply.version;
      this.listener.judged(reply);
    }
    for (const { op_id } of batch) this.#resolve(op_id, reply);
  }

  #failed(batch: OperationData[], { status, answer, retryAfter }: ServerError): boolean {
    const applied = hasJudgment(answer) ? answer.applied : 0;
    // In a conflict the page keeps showing what its user saw; the answer holds the other version.
    if (hasJudgment(answer)) this.#taken(batch.slice(0, applied), answer, status !== 409);
    switch (status) {
      case 400:
      case 413:
        if (batch.length > 1 && !hasJudgment(answer)) {
          this.#limit = 1; // one of them spoils all: find out which
          return true;
        }
        return this.#drop(item(batch, applied), answer);
      case 422:
        return this.#drop(item(batch, applied), answer);
      case 401:
        return this.#stop("signed-out", answer);
      case 409:
        return this.#stop(answer.code === "quote" ? "text" : answer.code === "user" ? "user" : "conflict", answer);
      case 423:
        return this.#stop("closed", answer);
      case 403:
      case 404:
        return this.#stop("forbidden", answer);
      default: // overloaded or failing
        return this.#later(retryAfter);
    }
  }

  /** A gesture that the rules refuse; those after it move up. */
  #drop(refused: OperationData, answer: Failure): true {
    this.queue.dropFirst(1);
    this.queue.renumber(this.version);
    this.listener.refused(refused, answer.error);
    this.#resolve(refused.op_id, null);
    return true;
  }

  #stop(obstacle: Obstacle, answer: Failure): false {
    this.obstacle = obstacle;
    this.listener.stopped(obstacle, answer);
    return false;
  }

  /** Try again after some seconds, else when the server answers, but not before a time that doubles. */
  #later(seconds: number | null): false {
    const isNew = this.obstacle === null;
    this.obstacle = "offline";
    const wait = seconds === null ? this.#wait : seconds * 1000;
    this.#timer = setTimeout(() => void this.#probe(), wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    if (isNew) this.listener.stopped("offline", null);
    return false;
  }

  async #probe(): Promise<void> {
    const timer = this.#timer;
    const isBack = await this.isReachable();
    if (timer !== this.#timer) return; // somebody else tried meanwhile
    if (isBack) this.retry();
    else this.#timer = setTimeout(() => void this.#probe(), PROBE_EVERY);
  }

  #resolve(id: string, reply: OperationsReply | null): void {
    this.#outcomes.get(id)?.(reply);
    this.#outcomes.delete(id);
  }
}

/** As many of the first operations as fit into one request. */
function batchOf(operations: readonly OperationData[], limit: number): OperationData[] {
  const batch: OperationData[] = [];
  let characters = 0;
  for (const operation of operations.slice(0, limit)) {
    characters += JSON.stringify(operation).length;
    if (batch.length && characters > MAX_CHARACTERS) break;
    batch.push(operation);
  }
  return batch;
}
