// A cursor in the text for those who select with the keyboard. Few browsers offer one of their own.

import { element } from "../../shared/dom";
import { brief } from "../../shared/words";
import type { Assessment } from "../judgment/assessment";
import { announce } from "../panels/messages";
import { scrollToUnit } from "./scrolling";
import { inDocument } from "./selection";

export const STEPS = ["character", "word", "sentence", "paragraph"] as const;
export type Step = (typeof STEPS)[number];
type Direction = "forward" | "backward";

const IN_WORDS = /[\p{L}\p{N}\p{S}\p{Extended_Pictographic}]/u;
const KEPT = "doxeval-cursor";

export class Cursor {
  isOn = false;
  step: Step = "character";
  #anchor = 0;
  #focus = 0;
  /** Where two paragraphs touch, the end of one is the beginning of the other: which is meant. */
  #isAtEnd = false;
  readonly #caret = element("div", { class: "caret", "aria-hidden": "true", hidden: "" });
  readonly #watchers: (() => void)[] = [];

  constructor(
    private readonly work: Assessment,
    private readonly layer: HTMLElement,
  ) {
    layer.append(this.#caret);
    document.addEventListener("selectionchange", () => this.#follow());
    new ResizeObserver(() => this.#draw()).observe(work.shown.root);
  }

  watch(watcher: () => void): void {
    this.#watchers.push(watcher);
    watcher();
  }

  /** Show the cursor if the user had it on the last page. */
  restore(): void {
    if (stored() === "on") this.toggle(true);
  }

  toggle(on = !this.isOn): void {
    this.isOn = on;
    remember(on ? "on" : "off");
    if (on) {
      this.#begin();
      announce(`Text cursor on. Arrow keys move it by ${this.step}s; with Shift they select.`);
    } else {
      this.#caret.hidden = true;
      announce("Text cursor off.");
    }
    this.#tellWatchers();
  }

  setStep(step: Step): void {
    this.step = step;
    if (!this.isOn) this.toggle(true);
    announce(`Left and right arrows move by ${step}s.`);
    this.#tellWatchers();
  }

  /** Move the cursor for a key; whether the key was for the cursor. */
  handle(event: KeyboardEvent): boolean {
    if (!this.isOn) return false;
    const isFar = event.ctrlKey || event.altKey || event.metaKey;
    const step: Step = isFar && this.step === "character" ? "word" : this.step;
    switch (event.key) {
      case "ArrowRight":
      case "ArrowLeft":
        this.#go(step, this.#direction(event.key, event.shiftKey), event.shiftKey);
        return true;
      case "ArrowDown":
      case "ArrowUp": {
        const direction = event.key === "ArrowDown" ? "forward" : "backward";
        if (isFar) this.#go("paragraph", direction, event.shiftKey);
        else this.#byNative("line", direction, event.shiftKey);
        return true;
      }
      case "Home":
      case "End": {
        const direction = event.key === "End" ? "forward" : "backward";
        if (isFar)
          this.put(direction === "forward" ? this.work.shown.text.length : 0, event.shiftKey, direction === "forward");
        else this.#byNative("lineboundary", direction, event.shiftKey);
        return true;
      }
      default:
        return false;
    }
  }

  /** Put the cursor at a position, in units. */
  put(unit: number, extend = false, isAtEnd = false): void {
    this.#focus = unit;
    this.#isAtEnd = isAtEnd;
    if (!extend) this.#anchor = unit;
    this.#select();
    scrollToUnit(this.work.shown, isAtEnd ? Math.max(unit - 1, 0) : unit, "if hidden");
    this.#draw();
    if (!extend) this.#read();
  }

  /** Where the selection ends that the user moves, in units; before the text if there is none in it. */
  position(): number {
    const { shown } = this.work;
    const selection = document.getSelection();
    const node = selection?.focusNode;
    return selection && node && shown.root.contains(node) ? shown.unitOf(node, selection.focusOffset) : -1;
  }

  /** Let the selection be at a position, where `b` and the arrow keys go on, without scrolling. */
  moveTo(start: number, end = start): void {
    const { shown } = this.work;
    const [from, to] = [shown.placeOf(start), shown.placeOf(end, end > start)];
    shown.root.focus({ preventScroll: true });
    document.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
  }

  /** Which way an arrow goes; from right to left in a paragraph that is written so. */
  #direction(key: "ArrowRight" | "ArrowLeft", extend: boolean): Direction {
    const { shown } = this.work;
    // What is being selected decides, else an arrow would turn round at the next paragraph.
    const at =
      extend && this.#anchor !== this.#focus
        ? Math.min(this.#anchor, this.#focus)
        : this.#focus - (this.#isAtEnd ? 1 : 0);
    const [start] = shown.runAround(Math.max(at, 0));
    const around = shown.placeOf(start).node.parentElement ?? shown.root;
    const isRightToLeft = getComputedStyle(around).direction === "rtl";
    return (key === "ArrowRight") !== isRightToLeft ? "forward" : "backward";
  }

  #go(step: Step, direction: Direction, extend: boolean): void {
    const isForward = direction === "forward";
    this.put(isForward ? this.#after(step) : this.#before(step), extend, isForward);
  }

  #after(step: Step): number {
    const { boundaries, shown } = this.work;
    let at = this.#focus;
    while (at < shown.text.length && boundaries.isFolded(at)) at++;
    if (step === "character") return at > this.#focus ? at : boundaries.character(at)[1];
    if (step !== "word") return at < shown.text.length ? boundaries[step](at)[1] : at;
    while (at < shown.text.length) {
      const [start, end] = boundaries.word(at);
      if (IN_WORDS.test(shown.text.slice(start, end))) return end;
      at = Math.max(end, at + 1);
    }
    return at;
  }

  #before(step: Step): number {
    const { boundaries, shown } = this.work;
    let at = this.#focus;
    while (at > 0 && boundaries.isFolded(at - 1)) at--;
    if (at === 0) return 0;
    if (step === "character") return at < this.#focus ? at : boundaries.character(at - 1)[0];
    if (step !== "word") return boundaries[step](at - 1)[0];
    while (at > 0) {
      const [start, end] = boundaries.word(at - 1);
      if (IN_WORDS.test(shown.text.slice(start, end))) return start;
      at = Math.min(start, at - 1);
    }
    return 0;
  }

  /** Lines are known to the browser alone. */
  #byNative(unit: string, direction: Direction, extend: boolean): void {
    const selection = document.getSelection();
    if (!selection) return;
    const { shown } = this.work;
    this.#select();
    selection.modify(extend ? "extend" : "move", direction, unit);
    const node = selection.focusNode;
    if (node === null || !shown.root.contains(node)) return this.put(this.#focus, extend, this.#isAtEnd);
    const { focusOffset } = selection;
    this.put(shown.unitOf(node, focusOffset), extend, isEndOf(node, focusOffset));
  }

  #select(): void {
    const { shown } = this.work;
    const isForward = this.#anchor <= this.#focus;
    const from = shown.placeOf(this.#anchor, !isForward);
    const isBefore = this.#anchor === this.#focus ? this.#isAtEnd : isForward;
    const to = shown.placeOf(this.#focus, isBefore && this.#focus > 0);
    const selection = document.getSelection();
    if (this.#anchor === this.#focus) selection?.collapse(to.node, to.offset);
    else selection?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
  }

  /** The mouse or the browser moved the selection: the cursor goes along. */
  #follow(): void {
    const selection = document.getSelection();
    if (!this.isOn || !selection?.focusNode || !selection.anchorNode) return;
    const { shown } = this.work;
    if (!shown.root.contains(selection.focusNode) || !shown.root.contains(selection.anchorNode)) return;
    this.#anchor = shown.unitOf(selection.anchorNode, selection.anchorOffset);
    this.#focus = shown.unitOf(selection.focusNode, selection.focusOffset);
    this.#isAtEnd = isEndOf(selection.focusNode, selection.focusOffset);
    this.#draw();
  }

  #begin(): void {
    const { shown } = this.work;
    shown.root.focus({ preventScroll: true });
    const selection = document.getSelection();
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null;
    if (range && shown.root.contains(range.startContainer)) {
      const edges = inDocument(range, shown);
      const at = shown.unitOf(range.startContainer, range.startOffset);
      [this.#anchor, this.#focus] = edges ?? [at, at];
    } else {
      this.#anchor = this.#focus = this.#firstVisible();
    }
    this.put(this.#focus, true);
  }

  #firstVisible(): number {
    const { shown, boundaries } = this.work;
    const box = shown.root.getBoundingClientRect();
    const top = Math.max(box.top, document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0) + 12;
    const place = box.top < top - 12 ? document.caretPositionFromPoint?.(box.left + 60, top) : null;
    let at = place && shown.root.contains(place.offsetNode) ? shown.unitOf(place.offsetNode, place.offset) : 0;
    while (at < shown.text.length - 1 && boundaries.isFolded(at)) at++;
    return at;
  }

  #draw(): void {
    if (!this.isOn) return;
    const { shown } = this.work;
    const place = shown.placeOf(this.#focus, this.#isAtEnd && this.#focus > 0);
    const range = document.createRange();
    range.setStart(place.node, place.offset);
    range.collapse(true);
    const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
    const layer = this.layer.getBoundingClientRect();
    this.#caret.hidden = box.height === 0;
    this.#caret.style.setProperty("transform", `translate(${box.left - layer.left}px, ${box.top - layer.top}px)`);
    this.#caret.style.setProperty("height", `${box.height}px`);
  }

  /** Say where the cursor stands, for those who do not see it. */
  #read(): void {
    const { shown, boundaries } = this.work;
    if (this.#focus >= shown.text.length) return announce("end of the document");
    const [start, end] = boundaries[this.step](this.#focus);
    announce(brief(shown.text.slice(start, end), 300) || "space");
  }

  #tellWatchers(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function isEndOf(node: Node, offset: number): boolean {
  return node.nodeType === Node.TEXT_NODE && offset > 0 && offset === (node as Text).length;
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function remember(value: string): void {
  try {
    localStorage.setItem(KEPT, value);
  } catch {
    // then it is not remembered
  }
}
