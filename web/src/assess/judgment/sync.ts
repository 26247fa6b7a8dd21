// Saving: every gesture is sent at once, in order; what cannot be sent waits and is sent again.

import type { Failure, Judgment, OperationData, Reply } from "../data";
import { ServerError, type Subject, send, Unreachable } from "./api";
import { type Gesture, operation } from "./operations";
import { Queue } from "./queue";

/** Why gestures wait: until the server can be reached, or until the user has decided something. */
export type Obstacle = "offline" | "signed-out" | "conflict" | "text" | "user" | "closed" | "forbidden";

/** What the page wants to know. */
export interface Listener {
  /** What the server says now about the judgment. */
  judged(judgment: Judgment): void;
  /** Gestures were made, sent or dropped, or an obstacle came or went. */
  changed(): void;
  refused(operation: OperationData, message: string): void;
  stopped(obstacle: Obstacle, answer: Failure | null): void;
}

const MOST_AT_ONCE = 100;
const MOST_CHARACTERS = 250_000;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

export class Sync {
  readonly queue: Queue;
  obstacle: Obstacle | null = null;
  isSending = false;
  private wait = FIRST_WAIT;
  private timer = 0;
  /** How many gestures are sent at once. */
  private most = MOST_AT_ONCE;
  private readonly outcomes = new Map<string, (reply: Reply | null) => void>();

  constructor(
    private readonly subject: Subject,
    private readonly user: string,
    private version: number,
    private readonly listener: Listener,
  ) {
    this.queue = new Queue(subject, user);
    addEventListener("online", () => this.retry());
  }

  /** Send a gesture. The promise gives the server's reply, or null if it did not take the gesture. */
  submit(gesture: Gesture): Promise<Reply | null> {
    const last = this.queue.operations.at(-1);
    const made = operation(gesture, last ? last.base_version + 1 : this.version);
    this.queue.add(made);
    const outcome = new Promise<Reply | null>((resolve) => this.outcomes.set(made.op_id, resolve));
    this.listener.changed();
    this.retry();
    return outcome;
  }

  /** Try again now, if nothing but the way to the server is the obstacle. */
  retry(): void {
    if (this.obstacle !== null && this.obstacle !== "offline") return;
    clearTimeout(this.timer);
    void this.flush();
  }

  /** The user has dealt with the obstacle: signed in again, or chosen a version. */
  resume(): void {
    this.obstacle = null;
    this.wait = FIRST_WAIT;
    this.listener.changed();
    this.retry();
  }

  /** Put the waiting gestures on top of what the server has now, and send them. */
  reapply(version: number): void {
    this.version = version;
    this.queue.renumber(version);
    this.resume();
  }

  /** Forget the waiting gestures; the server's version stands. */
  discard(version: number): void {
    this.version = version;
    for (const { op_id } of this.queue.operations) this.settle(op_id, null);
    this.queue.clear();
    this.resume();
  }

  private async flush(): Promise<void> {
    if (this.isSending || this.queue.length === 0) return;
    this.isSending = true;
    this.listener.changed();
    try {
      while (this.queue.length > 0 && (await this.sendSome())) this.obstacle = null;
    } finally {
      this.isSending = false;
      if (this.queue.length === 0) this.most = MOST_AT_ONCE;
      this.listener.changed();
    }
  }

  /** Send the first gestures; whether to go on. */
  private async sendSome(): Promise<boolean> {
    const batch = firstOf(this.queue.operations, this.most);
    try {
      const reply = await send(this.subject, this.user, batch);
      this.wait = FIRST_WAIT;
      this.taken(batch, reply);
      return true;
    } catch (error) {
      if (error instanceof Unreachable) this.later("offline", null);
      else if (error instanceof ServerError) return this.failed(batch, error);
      else throw error;
      return false;
    }
  }

  private taken(batch: OperationData[], reply: Reply, isNews = true): void {
    this.queue.dropFirst(batch.length);
    if (isNews) this.adopt(reply);
    for (const { op_id } of batch) this.settle(op_id, reply);
  }

  private failed(batch: OperationData[], { status, answer, retryAfter }: ServerError): boolean {
    const applied = batch.slice(0, answer.applied ?? 0);
    // In a conflict the page keeps showing what its user saw; the answer holds the other version.
    if (isReply(answer)) this.taken(applied, answer, status !== 409);
    switch (status) {
      case 400:
      case 413:
        if (batch.length > 1 && answer.applied === undefined) {
          this.most = 1; // one of them spoils all: find out which
          return true;
        }
        this.drop(batch[applied.length]!, answer);
        return true;
      case 422:
        this.drop(batch[applied.length]!, answer);
        return true;
      case 401:
        return this.stop("signed-out", answer);
      case 409:
        return this.stop(answer.code === "quote" ? "text" : answer.code === "user" ? "user" : "conflict", answer);
      case 423:
        return this.stop("closed", answer);
      case 403:
      case 404:
        return this.stop("forbidden", answer);
      default: // overloaded or failing
        this.later("offline", retryAfter);
        return false;
    }
  }

  /** A gesture that the rules refuse; those after it move up. */
  private drop(refused: OperationData, answer: Failure): void {
    this.queue.dropFirst(1);
    this.queue.renumber(this.version);
    this.listener.refused(refused, answer.error);
    this.settle(refused.op_id, null);
  }

  private stop(obstacle: Obstacle, answer: Failure): boolean {
    this.obstacle = obstacle;
    this.listener.stopped(obstacle, answer);
    return false;
  }

  private later(obstacle: Obstacle, seconds: number | null): void {
    const first = this.obstacle === null;
    this.obstacle = obstacle;
    this.timer = setTimeout(() => this.retry(), seconds === null ? this.wait : seconds * 1000);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    if (first) this.listener.stopped(obstacle, null);
  }

  private adopt(reply: Reply): void {
    this.version = reply.version;
    this.listener.judged(reply);
  }

  private settle(id: string, reply: Reply | null): void {
    this.outcomes.get(id)?.(reply);
    this.outcomes.delete(id);
  }
}

function isReply(answer: Failure): answer is Failure & Reply {
  return answer.state !== undefined && answer.version !== undefined;
}

/** As many of the first operations as fit into one request. */
function firstOf(operations: readonly OperationData[], most: number): OperationData[] {
  const batch: OperationData[] = [];
  let characters = 0;
  for (const each of operations.slice(0, most)) {
    characters += JSON.stringify(each).length;
    if (batch.length && characters > MOST_CHARACTERS) break;
    batch.push(each);
  }
  return batch;
}
