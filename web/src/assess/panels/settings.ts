// What an assessor sets for themselves: kept in this browser, for each user that signs in with it.

import { button, element } from "../../shared/dom";
import { within } from "../../shared/spans";
import type { Assessment } from "../judgment/assessment";
import { dialog } from "./dialogs";
import { announce } from "./messages";

const KEY = "doxeval-settings ";
/** Sizes of the text, in percent. */
const SIZES = [80, 90, 100, 115, 130, 150, 175, 200];

interface Values {
  /** Text is highlighted as soon as the mouse that selects it is released. */
  highlightsOnRelease: boolean;
  textSize: number;
}

export class Settings {
  readonly #values: Values;
  readonly #watchers: (() => void)[] = [];

  constructor(private readonly user: string) {
    this.#values = { highlightsOnRelease: false, textSize: 100, ...stored(KEY + user) };
  }

  get highlightsOnRelease(): boolean {
    return this.#values.highlightsOnRelease;
  }

  get textSize(): number {
    return this.#values.textSize;
  }

  /** Call something whenever a setting changes, and now. */
  watch(watcher: () => void): void {
    this.#watchers.push(watcher);
    watcher();
  }

  set(changes: Partial<Values>): void {
    Object.assign(this.#values, changes);
    try {
      localStorage.setItem(KEY + this.user, JSON.stringify(this.#values));
    } catch {
      // then it holds as long as the page
    }
    for (const watcher of this.#watchers) watcher();
  }

  toggleRelease(): void {
    this.set({ highlightsOnRelease: !this.highlightsOnRelease });
    announce(`Highlighting when the mouse is released is ${this.highlightsOnRelease ? "on" : "off"}.`);
  }

  /** Show the text in the next size: larger by 1, smaller by -1. */
  resize(step: 1 | -1): void {
    const at = SIZES.indexOf(this.textSize);
    const size = SIZES[Math.min(Math.max(at + step, 0), SIZES.length - 1)] ?? 100;
    this.set({ textSize: size });
    announce(`Text size ${size} percent.`);
  }
}

function stored(key: string): Partial<Values> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    const { highlightsOnRelease, textSize } = kept as Record<string, unknown>;
    const values: Partial<Values> = {};
    if (typeof highlightsOnRelease === "boolean") values.highlightsOnRelease = highlightsOnRelease;
    if (typeof textSize === "number" && SIZES.includes(textSize)) values.textSize = textSize;
    return values;
  } catch {
    return {};
  }
}

export function showSettings(work: Assessment, settings: Settings): void {
  const box = element("input", { type: "checkbox" });
  box.checked = settings.highlightsOnRelease;
  box.addEventListener("change", () => settings.set({ highlightsOnRelease: box.checked }));
  const size = element("select", {});
  for (const percent of SIZES) size.append(element("option", { value: String(percent) }, `${percent} %`));
  size.value = String(settings.textSize);
  size.addEventListener("change", () => settings.set({ textSize: Number(size.value) }));
  const shown = dialog(
    "Settings",
    element("p", { class: "note" }, "They are kept in this browser, for you alone."),
    work.hasHighlights
      ? element("p", {}, element("label", { class: "check" }, box, " Highlight when the mouse is released (r)"))
      : null,
    element("p", {}, element("label", {}, "Size of the text (+ and −) ", size)),
    element(
      "div",
      { class: "buttons" },
      button({ class: "primary" }, () => shown.close(), "Close"),
    ),
  );
}

/** A double click may become a triple one: how long to wait for the next click, in milliseconds. */
const NEXT_CLICK = 300;

/**
 * Highlight what the mouse selects as soon as it is released, if that is set. What is highlighted
 * already stays selected, so that `u` can remove it.
 */
export function highlightOnRelease(work: Assessment, settings: Settings): void {
  let isDown = false;
  let timer = 0;
  const highlight = (): void => {
    const spans = work.selected();
    const isNew = ([start, end]: [number, number]): boolean =>
      within(work.view.highlights, [start, end]).reduce((sum, part) => sum + part[1] - part[0], 0) < end - start;
    if (spans.some(isNew)) work.highlight(spans);
  };
  document.addEventListener("mousedown", (event) => {
    clearTimeout(timer);
    isDown = event.button === 0 && event.target instanceof Node && work.shown.root.contains(event.target);
  });
  document.addEventListener("mouseup", (event) => {
    if (!isDown || event.button !== 0) return;
    isDown = false;
    if (!settings.highlightsOnRelease || !work.hasHighlights || work.isReadOnly) return;
    // The selection of a click settles only after the button is up.
    timer = setTimeout(highlight, event.detail > 1 ? NEXT_CLICK : 0);
  });
}
