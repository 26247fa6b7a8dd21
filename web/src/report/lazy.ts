// Work for parts of the page that nobody sees yet is put off until they come into view.

import { isPrinting } from "./theme";

interface Part {
  isNear: boolean;
  isSeen: boolean;
  isStale: boolean;
  work: () => void;
}

const parts = new Map<Element, Part>();
const near = new IntersectionObserver((entries) => follow(entries, "isNear"), { rootMargin: "300px 0px" });
const seen = new IntersectionObserver((entries) => follow(entries, "isSeen"));

function follow(entries: IntersectionObserverEntry[], what: "isNear" | "isSeen"): void {
  for (const { target, isIntersecting } of entries) {
    const part = parts.get(target);
    if (!part) continue;
    part[what] = isIntersecting;
    if (isIntersecting) carryOut(part);
  }
}

function carryOut(part: Part): void {
  if (!part.isStale) return;
  part.isStale = false;
  part.work();
}

/**
 * Do some work on a part of the page when it is near the window. The function returned asks for it
 * again: at once for what is in the window, soon for what is near, and otherwise when it comes near.
 */
export function lazily(place: Element, work: () => void): () => void {
  const part: Part = { isNear: false, isSeen: false, isStale: true, work };
  parts.set(place, part);
  near.observe(place);
  seen.observe(place);
  return () => {
    part.isStale = true;
    if (part.isSeen || isPrinting()) carryOut(part);
    else if (part.isNear) setTimeout(() => carryOut(part), 50);
  };
}
