// One judgment of one document, in the browser: what the parts of the page see and do.

import type {
  ArticleData,
  JudgmentData,
  OperationData,
  OperationKind,
  OperationsReply,
  Snap,
  Span,
} from "../../shared/api-types";
import { item } from "../../shared/lists";
import { spanAt, within, without } from "../../shared/spans";
import { brief, counted } from "../../shared/words";
import { Boundaries } from "../document/boundaries";
import { ShownDocument } from "../document/document";
import { Painter } from "../document/paint";
import { focusPoint, selectedSpans } from "../document/selection";
import { conflictDialog } from "../panels/dialogs";
import { announce, tell } from "../panels/messages";
import { articlePage, type Failure, hasJudgment, isReachable, queuePage, type Subject, send } from "./api";
import { type Sorted, sorted } from "./conflict";
import type { Side } from "./differences";
import * as operations from "./operations";
import { type Gesture, type View, viewOf } from "./operations";
import { HELD, Queue } from "./queue";
import { type Listener, type Obstacle, Sync } from "./sync";

export class Assessment implements Listener {
  readonly shown: ShownDocument;
  readonly boundaries: Boundaries;
  readonly painter: Painter;
  readonly sync: Sync;
  /** Gestures that clash with another version; their user is yet to decide. */
  readonly held: Queue;
  judgment: JudgmentData;
  view: View;
  snap: Snap;
  /** The passage that the list points at, if any. */
  current: Span | null = null;
  /** The element that is chosen for grading, as a row. */
  chosen = 0;
  /** The next document opens as soon as the server agrees. */
  #isFinishing = false;
  readonly #watchers: (() => void)[] = [];

  constructor(
    readonly subject: Subject,
    readonly data: ArticleData,
  ) {
    this.shown = new ShownDocument(data);
    this.boundaries = new Boundaries(this.shown);
    this.painter = new Painter(this.shown);
    this.judgment = data;
    this.snap = data.snap;
    const queue = new Queue(subject, data.user);
    const sending = (operations: OperationData[]) => send(subject, data.user, operations);
    this.sync = new Sync(queue, data.version, sending, this, isReachable);
    this.held = new Queue(subject, data.user, HELD);
    this.view = viewOf(data.state, queue.operations);
    addEventListener("online", () => this.sync.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.sync.retry();
    });
  }

  /** Call something whenever the judgment or its saving changes, and now. */
  watch(watcher: () => void): void {
    this.#watchers.push(watcher);
    watcher();
  }

  get isReadOnly(): boolean {
    return this.data.readonly || this.data.closed;
  }

  get hasHighlights(): boolean {
    return this.data.mode !== "2003";
  }

  get canUndo(): boolean {
    return this.judgment.canUndo || this.sync.queue.length > 0;
  }

  get canRedo(): boolean {
    return this.judgment.canRedo || this.sync.queue.operations.at(-1)?.kind === "undo";
  }

  /** Choose an element for grading. */
  choose(row: number): void {
    if (row < 0 || row === this.chosen) return;
    this.chosen = row;
    this.changed();
  }

  /** What is selected, as the server would highlight it. */
  selected(): Span[] {
    return selectedSpans(this.shown, this.boundaries, this.snap);
  }

  /** How a passage reads, in a line. */
  brief([start, end]: Span, most = 80): string {
    const { points } = this.shown;
    return brief(this.shown.readable(points.unit(start), points.unit(end), most * 4 + 1), most);
  }

  /** How the text after a position reads. */
  briefFrom(start: number, most = 40): string {
    return this.brief([start, Math.min(start + most * 2, this.shown.points.length)], most);
  }

  // Gestures

  highlight(spans: Span[] = this.selected()): void {
    if (!this.#mayHighlight()) return;
    if (spans.length === 0) {
      tell("Select some text first; then press h.");
      return;
    }
    for (const span of spans) void this.submit(operations.highlight(this.shown.points, span));
    // The cursor stands where `b` would set the best entry point, and where `u` takes this back.
    document.getSelection()?.collapseToStart();
    announce(`Highlighted: ${this.brief(item(spans, 0))}`);
  }

  /** Remove highlights: of the selection, else of the passage at the cursor, else of the current one. */
  unhighlight(spans: Span[] = this.#toRemove()): void {
    if (!this.#mayHighlight()) return;
    const hit = spans.filter((span) => within(this.view.highlights, span).length > 0);
    if (hit.length === 0) {
      tell("Nothing is highlighted there. Select highlighted text, or put the cursor into a passage.");
      return;
    }
    for (const span of hit) void this.submit(operations.unhighlight(this.shown.points, span));
    announce(`Highlight removed: ${this.brief(item(hit, 0))}`);
  }

  /** Set the best entry point: where the selection begins, else at the cursor or the current passage. */
  setEntry(at: number | null = this.#entryHere()): void {
    if (this.data.mode !== "2006") return tell("Best entry points are not part of this campaign.");
    if (this.refusesEdits()) return;
    if (at === null) {
      tell("Click into the text where reading should begin, or select something there; then press b.");
      return;
    }
    void this.submit(operations.entryPoint(this.shown.points, at));
    announce(`Best entry point set before: ${this.briefFrom(at)}`);
  }

  clearEntry(): void {
    if (this.refusesEdits()) return;
    if (this.view.bep === null) return tell("There is no best entry point.");
    void this.submit(operations.plain("clear-bep"));
    announce("Best entry point cleared.");
  }

  /** Replace what is relevant by a side that somebody takes, as gestures that can be undone. */
  take(side: Side, whose: string): void {
    if (this.refusesEdits()) return;
    const { points } = this.shown;
    const gestures: Gesture[] = [];
    const extra = side.highlights.reduce<Span[]>(without, this.view.highlights);
    for (const span of extra) gestures.push(operations.unhighlight(points, span));
    const lacking = this.view.highlights.reduce<Span[]>(without, side.highlights);
    for (const span of lacking) gestures.push(operations.highlight(points, span));
    if (side.bep === null && this.view.bep !== null) gestures.push(operations.plain("clear-bep"));
    if (side.bep !== null && side.bep !== this.view.bep) gestures.push(operations.entryPoint(points, side.bep));
    for (const path of Object.keys(this.view.grades))
      if (!(path in side.grades)) gestures.push(operations.grade(path, null));
    // Elements come before those in them, as grades of the outer ones bound those of the inner ones.
    for (const path of Object.keys(side.grades).sort((a, b) => a.length - b.length))
      gestures.push(operations.grade(path, side.grades[path] ?? null));
    for (const gesture of gestures) void this.submit(gesture);
    announce(gestures.length ? `${whose} taken over.` : `It is like that already: ${whose}.`);
  }

  /** Comment on a passage; without words, take its comment back. */
  comment(span: Span, words: string): void {
    void this.submit(operations.comment(this.shown.points, span, words));
    announce(words.trim() ? `Commented on: ${this.brief(span)}` : "Comment removed.");
  }

  /** What is selected, else the passage at the cursor, else the one that the list points at. */
  passageHere(): Span | null {
    return this.#toRemove()[0] ?? null;
  }

  undo(): void {
    if (!this.refusesEdits()) this.#step("undo", this.canUndo, "There is nothing to undo.");
  }

  redo(): void {
    if (!this.refusesEdits()) this.#step("redo", this.canRedo, "There is nothing to redo.");
  }

  /** Judge the document as a whole and go on, once the server has agreed. */
  async finish(kind: "validate" | "not-relevant" | "skip"): Promise<void> {
    if (this.isReadOnly) return this.go(this.data.queue.next);
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    const reply = await this.submit(operations.plain(kind, kind === "skip" ? true : null));
    // Whoever had to wait for the server is still here, perhaps with other changes.
    if (reply && this.#isFinishing) this.go(reply.next ?? null);
    this.#isFinishing = false;
  }

  previous(): void {
    if (this.data.queue.previous === null) tell("This is the first document.");
    else this.go(this.data.queue.previous);
  }

  go(document: string | null): void {
    location.assign(document === null ? queuePage(this.subject) : articlePage(this.subject, document));
  }

  submit(gesture: Gesture): Promise<OperationsReply | null> {
    return this.sync.submit(gesture);
  }

  // Two versions

  /** The waiting gestures as they fit into a version that was saved elsewhere. */
  sortedFor(saved: JudgmentData): Sorted {
    const waiting = this.sync.queue.operations;
    // After a reload, the state that they were made upon is not known any more.
    const isBase = waiting[0]?.base_version === this.judgment.version;
    return sorted(waiting, isBase ? this.judgment.state : null, saved.state);
  }

  /** Make these gestures in the saved version, and keep others for their user to decide. */
  goOnFrom(saved: JudgmentData, made: readonly OperationData[], held: readonly OperationData[] = []): void {
    for (const operation of held) this.held.add(operation);
    this.judgment = saved;
    this.sync.reapply(saved.version, made);
  }

  /** Take a gesture from those that clash, to be made after all or forgotten. */
  release(operation: OperationData, isMade: boolean): void {
    this.held.replace(this.held.operations.filter(({ op_id }) => op_id !== operation.op_id));
    const { op_id: _id, base_version: _version, client_time: _time, ...gesture } = operation;
    if (isMade && !this.refusesEdits()) void this.submit(gesture);
    else this.changed();
  }

  /** Whether nothing may be changed; says so. */
  refusesEdits(): boolean {
    if (!this.isReadOnly) return false;
    tell(
      this.data.closed ? "The organiser closed this topic; nothing can be changed." : "You can only read here.",
      "alert",
    );
    return true;
  }

  // What the saving says

  judged(judgment: JudgmentData): void {
    this.judgment = judgment;
    this.changed();
  }

  changed(): void {
    this.view = viewOf(this.judgment.state, this.sync.queue.operations);
    for (const watcher of this.#watchers) watcher();
  }

  refused(operation: OperationData, message: string): void {
    tell(message, "alert");
    this.changed();
    if (operation.kind === "validate" || operation.kind === "not-relevant") announce(message);
  }

  stopped(obstacle: Obstacle, answer: Failure | null): void {
    this.#isFinishing = false;
    if (obstacle === "conflict" && answer && hasJudgment(answer)) {
      conflictDialog(this, answer);
    } else {
      tell(explained(obstacle, answer, this.sync.queue.length), obstacle === "offline" ? "notice" : "alert");
    }
    this.changed();
  }

  // Where things happen

  #mayHighlight(): boolean {
    if (!this.hasHighlights) {
      tell("In this campaign elements are graded; nothing is highlighted.");
      return false;
    }
    return !this.refusesEdits();
  }

  #toRemove(): Span[] {
    const selected = this.selected();
    if (selected.length) return selected;
    const at = focusPoint(this.shown, this.boundaries);
    const around = at === null ? null : spanAt(this.view.highlights, at);
    const passage = around ?? this.current;
    return passage ? [passage] : [];
  }

  #entryHere(): number | null {
    const [first] = this.selected();
    if (first) return first[0];
    if (this.current) return this.current[0];
    return focusPoint(this.shown, this.boundaries);
  }

  #step(kind: OperationKind, isPossible: boolean, otherwise: string): void {
    if (!isPossible) return tell(otherwise);
    void this.submit(operations.plain(kind)).then((reply) => {
      if (reply)
        announce(`${kind === "undo" ? "Undone" : "Redone"}: ${counted(reply.state.highlights.length, "passage")}.`);
    });
  }
}

function explained(obstacle: Obstacle, answer: Failure | null, waiting: number): string {
  const kept = `${counted(waiting, "change")} ${waiting === 1 ? "is" : "are"} kept in this browser.`;
  switch (obstacle) {
    case "offline":
      return `The server cannot be reached. ${kept} The page keeps trying.`;
    case "signed-out":
      return `Your session has ended. ${kept} Sign in again, then come back to this page.`;
    case "user":
      return `Somebody else has signed in with this browser. ${kept} Sign in again to save.`;
    case "text":
      return `${answer?.error ?? "The document has changed."} Reload the page before you go on.`;
    case "closed":
      return `${answer?.error ?? "This topic is closed."} ${kept}`;
    default:
      return `${answer?.error ?? "The server refuses this."} ${kept}`;
  }
}
