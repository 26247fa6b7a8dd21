// Figures by Vega: drawn when they come into view, and drawn anew when something changes.

import { changeset, Error as ErrorsOnly, type Loader, parse, type Spec, View, type ViewOptions } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { element } from "../../shared/dom";
import type { Value } from "../data";
import { lazily } from "../lazy";
import type { Page } from "../page";
import { Nearest } from "./nearest";
import { expectedHeight, fitted, forVega, fromVega, hasParameter, takesChosenRows, withoutTitle } from "./specs";
import { figureConfig, isPrinting, onTheme, palette, themeState } from "./theme";

export type Row = Record<string, Value>;
/** Figures with more rows than these are painted instead of built from elements: that is quicker. */
const MOST_ELEMENTS = 400;

const plots: Plot[] = [];
const resized = new Map<Element, () => void>();
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) resized.get(entry.target)?.();
});

/** Nothing is ever loaded: neither data nor images nor links. */
function noLoader(): Loader {
  const refuse = (): Promise<never> => Promise.reject(new Error("reports load nothing"));
  return { load: refuse, sanitize: refuse, http: refuse, file: refuse };
}

/** What draws a specification, whose rows are still to come. */
function viewOf(spec: Record<string, unknown>, config: Record<string, unknown>, options: ViewOptions): View {
  const whole = { ...forVega(spec), data: { name: "rows" }, config };
  const compiled = compile(whole as unknown as TopLevelSpec).spec as Spec;
  return new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    loader: noLoader(),
    logLevel: ErrorsOnly, // a figure without any run is worth no warning
    ...options,
  } as ViewOptions);
}

/** A place on the page with a figure in it. */
export class Plot {
  /** Draw the figure if it is out of date, as soon as it is in view. */
  readonly refresh: () => void;
  /** What Vega draws in. Its words are for nobody: those of the place around it say what it shows. */
  readonly #inner = element("div", { "aria-hidden": "true" });
  #view: View | null = null;
  #drawnFor = "";
  #chosen = "";
  #nearest: Nearest | null = null;
  /** The rows of the figure by run, as far as Vega has them, if only those of chosen runs matter. */
  #byRun: Map<Value, Row[]> | null = null;

  constructor(
    private readonly page: Page,
    private readonly place: HTMLElement,
    private spec: Record<string, unknown>,
    private rows: () => Row[],
  ) {
    place.replaceChildren(this.#inner);
    this.#reserve();
    this.refresh = lazily(place, () => this.#update());
    plots.push(this);
    resized.set(place, this.refresh);
    sizes.observe(place);
  }

  /** Show something else in the same place. */
  show(spec: Record<string, unknown>, rows: () => Row[]): void {
    [this.spec, this.rows, this.#drawnFor] = [spec, rows, ""];
    this.refresh();
  }

  #update(): void {
    const width = Math.floor(this.place.clientWidth);
    if (!width) return;
    const state = `${width} ${themeState()}`;
    if (this.#view === null || this.#drawnFor !== state) {
      this.#drawnFor = state;
      this.#draw(width);
    }
    this.#follow();
  }

  /** Let the figure show the chosen runs. */
  #follow(): void {
    const names = this.page.chosenNames;
    const chosen = names.join("\n");
    if (chosen === this.#chosen || !this.#view) return;
    this.#chosen = chosen;
    if (this.#byRun) this.#exchange(this.#view, this.#byRun, new Set(names));
    else if (hasParameter(this.spec, "chosen")) this.#view.signal("chosen", forVega(names)).run();
  }

  /** Give Vega the rows of runs that have been chosen since, and take those of the others away. */
  #exchange(view: View, has: Map<Value, Row[]>, names: Set<Value>): void {
    const gone = [...has.keys()].filter((name) => !names.has(name));
    const missing = new Set([...names].filter((name) => !has.has(name)));
    if (!gone.length && !missing.size) return;
    const changes = changeset().remove(gone.flatMap((name) => has.get(name) ?? []));
    for (const name of gone) has.delete(name);
    for (const [name, rows] of this.#rowsOf(missing)) {
      has.set(name, rows);
      changes.insert(rows);
    }
    view.change("rows", changes).run();
  }

  #rowsOf(names: Set<Value>): Map<Value, Row[]> {
    const byRun = new Map<Value, Row[]>([...names].map((name) => [name, []]));
    if (names.size) for (const row of this.rows()) byRun.get(row.run ?? null)?.push(forVega(row));
    return byRun;
  }

  #draw(width: number): void {
    this.#nearest?.end();
    this.#nearest = null;
    this.#view?.finalize();
    this.#byRun = takesChosenRows(this.spec) ? this.#rowsOf(new Set(this.page.chosenNames)) : null;
    const rows = this.#byRun ? [...this.#byRun.values()].flat() : this.rows().map(forVega);
    const canLift = hasParameter(this.spec, "lifted");
    this.#view = viewOf(fitted(withoutTitle(this.spec), width), figureConfig(width), {
      renderer: rows.length > MOST_ELEMENTS && !isPrinting() ? "canvas" : "svg",
      container: this.#inner,
      hover: true,
      tooltip: canLift ? () => {} : tooltip,
    });
    this.#view.addEventListener("click", (_event, item) => this.#clicked(item?.datum as Row | undefined));
    this.#chosen = "";
    this.place.style.minHeight = "";
    const names = this.page.data.runs.map((run) => run.name);
    if (this.#byRun) this.#view.signal("chosen", forVega(names));
    if (hasParameter(this.spec, "pale")) this.#view.signal("pale", palette().pale);
    this.#view.insert("rows", rows).run();
    void this.#view.runAsync().then(() => this.#keepReachable());
    if (canLift) this.#nearest = new Nearest(this.#view, this.spec, () => [...(this.#byRun?.values() ?? [])], pointed);
  }

  /** Lift the line of a run, if it is there to be seen; an empty name lowers it again. */
  lift(run: string): void {
    const { top, bottom } = this.place.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) return;
    this.#nearest?.lift(this.#byRun?.has(run) ? forVega(run) : "");
  }

  /** The figure for a paper: with its title, in its own size and the colours of paper. */
  async file(kind: "svg" | "png"): Promise<Blob> {
    const view = viewOf(this.spec, figureConfig(Infinity, true), { renderer: "none" });
    if (hasParameter(this.spec, "chosen")) view.signal("chosen", forVega(this.page.chosenNames));
    view.background(kind === "png" ? "white" : "transparent").padding(8);
    await view.insert("rows", this.rows().map(forVega)).runAsync();
    try {
      if (kind === "svg") return new Blob([await view.toSVG()], { type: "image/svg+xml" });
      const canvas = (await view.toCanvas(2)) as HTMLCanvasElement;
      return await new Promise((done, failed) =>
        canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the figure is too large for a PNG")))),
      );
    } finally {
      view.finalize();
    }
  }

  /** A figure that is wider than its place is scrolled by keys, too. */
  #keepReachable(): void {
    if (this.place.scrollWidth > this.place.clientWidth) this.place.tabIndex = 0;
    else this.place.removeAttribute("tabindex");
  }

  #clicked(datum: Row | undefined): void {
    const id = datum?.topic;
    if (id === undefined || id === null) return;
    this.page.openTopic(this.page.data.topics.findIndex((topic) => topic.id === fromVega(String(id))));
  }

  /** Keep about as much room as the figure will take, so that the page does not jump. */
  #reserve(): void {
    const width = this.place.clientWidth || 800;
    this.place.style.minHeight = `${expectedHeight(this.spec, width, this.page.chosen.size)}px`;
  }
}

/** Lift the line of a run in all figures that are in view; an empty name lowers it again. */
export function lift(run: string): void {
  for (const plot of plots) plot.lift(run);
}

function pointed(run: string, event: PointerEvent, values: Record<string, string> | null): void {
  lift(fromVega(run));
  tooltip(null, event, null, values);
}

/** Keep all figures in step with the chosen runs and the colours of the page. */
export function keepFresh(page: Page): void {
  const refresh = (): void => plots.forEach((plot) => plot.refresh());
  page.onChosen(refresh);
  onTheme(refresh);
}

// The box beside the pointer with the values of a mark: text and nothing else.

const box = element("div", { id: "tooltip", role: "tooltip", hidden: "" });

/** Show the values of a mark near the pointer, or hide the box if there are none. */
export function tooltip(_handler: unknown, event: MouseEvent, _item: unknown, value: unknown): void {
  if (value === null || value === undefined || value === "") {
    box.hidden = true;
    return;
  }
  box.replaceChildren(...lines(value));
  if (!box.isConnected) document.body.append(box);
  box.hidden = false;
  place(event.clientX, event.clientY);
}

function lines(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [element("span", {}, fromVega(String(value)))];
  const rows = Object.entries(value as Record<string, unknown>).filter(([, each]) => String(each) !== "");
  return [
    element(
      "dl",
      {},
      ...rows.flatMap(([name, each]) => [element("dt", {}, fromVega(name)), element("dd", {}, fromVega(String(each)))]),
    ),
  ];
}

function place(x: number, y: number): void {
  const { width, height } = box.getBoundingClientRect();
  const left = x + 14 + width > innerWidth ? x - width - 14 : x + 14;
  const top = y + 14 + height > innerHeight ? y - height - 10 : y + 14;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Escape hides the box, as does leaving the page. */
export function dismissable(): void {
  const hide = (): void => {
    box.hidden = true;
  };
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });
}
