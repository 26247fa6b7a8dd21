// The mark at the best entry point, beside the text rather than in it.

import { element } from "../shared/dom";
import type { Assessment } from "./assessment";

export function entryMark(work: Assessment, layer: HTMLElement): void {
  const mark = element("div", { class: "entry", "aria-hidden": "true", hidden: "" }, "▸ start");
  layer.append(mark);
  const place = (): void => {
    const { bep } = work.view;
    mark.hidden = bep === null;
    work.painter.paint("entry", bep === null ? [] : [[bep, bep + 1]]);
    if (bep === null) return;
    const { node, offset } = work.shown.placeOf(work.shown.points.unit(bep));
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 1, node.length));
    const box = range.getClientRects()[0] ?? node.parentElement!.getBoundingClientRect();
    mark.style.setProperty("top", `${box.top - layer.getBoundingClientRect().top}px`);
  };
  work.watch(place);
  new ResizeObserver(place).observe(work.shown.root);
}
