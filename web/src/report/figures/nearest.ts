// Lines under the pointer: the nearest one is lifted, and its values at the nearest point are shown.

import type { View } from "vega";
import type { Row } from "./plots";

type Spec = Record<string, unknown>;

/** A line of the box: the field, what it is called, and the format of its numbers. */
interface Tip {
  field: string;
  title: string;
  format?: string;
}

interface Point {
  row: Row;
  x: number;
  y: number;
}

/** No point is near that is further away, in pixels. */
const FURTHEST = 60;

export class Nearest {
  readonly #box: HTMLElement;
  readonly #tips: Tip[];
  #asked = 0;
  #lifted = "";

  constructor(
    private readonly view: View,
    spec: Spec,
    private readonly lines: () => Row[][],
    /** What is told of the run under the pointer, or of none, and of its values there. */
    private readonly pointed: (run: string, event: PointerEvent, values: Record<string, string> | null) => void,
  ) {
    this.#tips = tipsOf(spec);
    this.#box = view.container() as HTMLElement;
    for (const kind of ["pointermove", "pointerdown"]) this.#box.addEventListener(kind, this.#moved);
    this.#box.addEventListener("pointerleave", this.#left);
  }

  end(): void {
    for (const kind of ["pointermove", "pointerdown"])
      this.#box.removeEventListener(kind, this.#moved as EventListener);
    this.#box.removeEventListener("pointerleave", this.#left);
    cancelAnimationFrame(this.#asked);
  }

  /** Lift a line, or none, without a point on it. */
  lift(run: string): void {
    if (run !== this.#lifted) this.#show(run, null);
  }

  #show(run: string, near: Row | null): void {
    if (run === this.#lifted && near === this.view.signal("near")) return;
    this.#lifted = run;
    this.view.signal("lifted", run).signal("near", near).run();
  }

  readonly #moved = (event: Event): void => {
    cancelAnimationFrame(this.#asked);
    this.#asked = requestAnimationFrame(() => this.#point(event as PointerEvent));
  };

  readonly #left = (event: Event): void => {
    cancelAnimationFrame(this.#asked);
    this.pointed("", event as PointerEvent, null);
  };

  #point(event: PointerEvent): void {
    const at = this.#nearest(event);
    if (!at) {
      if (this.#lifted) this.#left(event);
      return;
    }
    const run = String(at.row.run);
    this.#show(run, at.row);
    this.pointed(run, event, this.#words(at.row));
  }

  #nearest(event: PointerEvent): Point | null {
    const { left, top } = this.#box.getBoundingClientRect();
    const [dx = 0, dy = 0] = this.view.origin();
    const [px, py] = [event.clientX - left - dx, event.clientY - top - dy];
    const [x, y] = [this.view.scale("x"), this.view.scale("y")];
    let best: Point | null = null;
    let least = FURTHEST ** 2;
    for (const line of this.lines())
      for (const row of line) {
        const point = { row, x: x(row.x), y: y(row.y) };
        const distance = (point.x - px) ** 2 + (point.y - py) ** 2;
        if (distance < least) [best, least] = [point, distance];
      }
    return best;
  }

  #words(row: Row): Record<string, string> {
    const locale = this.view.locale();
    return Object.fromEntries(
      this.#tips.map(({ field, title, format }) => {
        const value = row[field];
        return [title, format ? locale.format(format)(Number(value)) : String(value)];
      }),
    );
  }
}

/** What the layer called "near" says about its rows. */
function tipsOf(spec: Spec): Tip[] {
  const layers = (Array.isArray(spec.layer) ? spec.layer : []) as { name?: string; encoding?: { tooltip?: Tip[] } }[];
  return layers.find(({ name }) => name === "near")?.encoding?.tooltip ?? [];
}
