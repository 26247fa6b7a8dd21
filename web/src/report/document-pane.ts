// One run in one document: the text, scrolling by itself, with the results in its margin.

import { Margin } from "./document-margin";
import type { Grade, Placed, Places, Result } from "./document-places";
import { Text } from "./document-text";
import { element, named } from "../shared/dom";
import type { Run } from "./data";

/** Where in a pane a place is brought to, as a share of its height. */
const NEAR_TOP = 0.2;

export class Pane {
  readonly root: HTMLElement;
  readonly scroller: HTMLElement;
  /** All results of the run in this document, best first. */
  readonly results: Result[];
  private readonly text: Text;
  private readonly left: Margin<Result>;
  private readonly right: Margin<Grade>;
  private readonly said = element("span", { class: "dv-count" });
  private shown: Result[] = [];
  private readonly resized: ResizeObserver;
  private emphasised: HTMLElement | null = null;
  current: Result | null = null;

  constructor(
    private readonly places: Places,
    readonly run: number,
    { name, colour }: Run,
    cut: { characters: number; results: number },
  ) {
    const { shown, hidden } = places.results(run);
    this.results = shown;
    this.text = new Text(places, places.chunks(run));
    this.left = new Margin<Result>("left", this.text, (result) => this.show(result));
    this.right = new Margin<Grade>("right", this.text);
    this.text.column.append(this.left.layer, this.right.layer);
    if (places.grades.length) this.text.column.classList.add("dv-graded");
    this.scroller = element(
      "div",
      { class: "dv-text", tabindex: "0", role: "region", "aria-label": `Text, with what ${name} returns` },
      this.text.column,
    );
    if (cut.characters) {
      const more = `The last ${cut.characters.toLocaleString("en")} characters are left out of this page.`;
      this.scroller.append(element("p", { class: "dv-note" }, more));
    }
    const notes = [
      hidden ? `${hidden} more in the part that is left out` : "",
      cut.results ? `${cut.results} more are left out` : "",
    ];
    const head = element("p", { class: "dv-head" }, element("i", { class: "dv-swatch" }), named(name), " ", this.said);
    this.root = element("div", { class: "dv-pane" }, head, this.scroller);
    this.root.style.setProperty("--run", colour);
    this.rest = notes.filter(Boolean).join("; ");
    this.resized = new ResizeObserver(() => this.place());
    this.resized.observe(this.scroller);
    this.right.draw(
      places.grades.map((grade) => ({ thing: grade, label: grade.label, title: `${grade.label} ${grade.path}` })),
    );
  }

  private readonly rest: string;

  /** Draw the results among the first k of the list, as far as they are read until a budget (-1: all). */
  draw(k: number, budget = -1): void {
    const read = budget < 0 ? this.results : this.places.read(this.run, budget);
    this.shown = read.filter((result) => result.rank <= k);
    this.text.draw(this.shown);
    this.left.draw(
      this.shown.map((result) => ({
        thing: result,
        label: String(result.rank),
        title: `rank ${result.rank}${result.whole ? ", read up to the budget" : ""}`,
      })),
    );
    const count = `${this.shown.length}${budget < 0 ? "" : " within the budget"} of ${this.results.length}`;
    const here = this.results.length
      ? `${this.shown.length === this.results.length ? this.results.length : count} ${this.results.length === 1 ? "result" : "results"} here`
      : "nothing returned here";
    this.said.textContent = this.rest ? `${here}; ${this.rest}` : here;
    if (this.current && !this.shown.includes(this.current)) this.show(null);
  }

  place(): void {
    this.left.place();
    this.right.place();
  }

  /** Make a result the current one, and scroll to it. */
  show(result: Result | null): void {
    this.current = result;
    this.left.mark(result);
    if (result) this.jump(result);
  }

  /** The results that are drawn, best first. */
  get drawn(): Result[] {
    return this.shown;
  }

  /** The place of the text that is near the top of the pane. */
  get here(): Placed | null {
    const own = this.scroller.getBoundingClientRect();
    return this.text.at(own.top + own.height * NEAR_TOP);
  }

  /** Bring a place of the text near the top of the pane, and outline where it begins. */
  jump(place: Placed): void {
    this.scrollTo(place);
    this.emphasise(place);
  }

  /** Bring a place of the text near the top of the pane; the page itself does not move. */
  scrollTo(place: Placed): void {
    const found = this.text.find(place);
    if (!found) return;
    const rect = found.first.getClientRects()[0] ?? found.first.getBoundingClientRect();
    const own = this.scroller.getBoundingClientRect();
    this.scroller.scrollTop += rect.top - own.top - own.height * NEAR_TOP;
  }

  private emphasise(place: Placed): void {
    this.emphasised?.classList.remove("dv-here");
    this.emphasised = this.text.find(place)?.first ?? null;
    this.emphasised?.classList.add("dv-here");
  }

  remove(): void {
    this.resized.disconnect();
    this.root.remove();
  }
}
