// The layer of what the systems returned, if the organiser allows assessors to see it.

import { element } from "../shared/dom";
import { announce, tell } from "./announce";
import type { Assessment } from "./assessment";

export interface Pooled {
  control: HTMLElement | null;
  toggle(): void;
}

export function pooled(work: Assessment): Pooled {
  const spans = work.data.pooled;
  if (spans === null) {
    return { control: null, toggle: () => tell("The organiser does not show what the systems returned.") };
  }
  const box = element("input", { type: "checkbox" });
  const set = (on: boolean): void => {
    box.checked = on;
    work.painter.paint("pooled", on ? spans : []);
    announce(`Pooled elements ${on ? "shown" : "hidden"}.`);
  };
  box.addEventListener("change", () => set(box.checked));
  return {
    control: element("label", { class: "check pooled" }, box, " pooled elements (o)"),
    toggle: () => set(!box.checked),
  };
}
