// Parts of the page that are in view are worked on at once, the others when there is time.

import { isPrinting } from "./figures/theme";

interface Part {
  isSeen: boolean;
  isStale: boolean;
  work: () => void;
}

const parts = new Map<Element, Part>();
const waiting = new Set<Part>();
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const part = parts.get(target);
      if (!part) continue;
      part.isSeen = isIntersecting;
      if (isIntersecting) carryOut(part);
    }
  },
  { rootMargin: "100px 0px" },
);

function carryOut(part: Part): void {
  waiting.delete(part);
  if (!part.isStale) return;
  part.isStale = false;
  part.work();
}

const whenIdle: (work: () => void) => void =
  "requestIdleCallback" in window
    ? (work) => requestIdleCallback(work, { timeout: 2000 })
    : (work) => setTimeout(work, 100);

/** Whether there are parts of the page that have still to be worked on. */
export function isWaiting(): boolean {
  return waiting.size > 0;
}

/** One part at a time, so that whoever presses something need not wait. */
function putOff(part: Part): void {
  if (!waiting.size) whenIdle(next);
  waiting.add(part);
}

function next(): void {
  const [part] = waiting;
  if (part) carryOut(part);
  if (waiting.size) whenIdle(next);
}

/**
 * Work on a part of the page: at once when it comes into view, otherwise when there is time.
 * The function returned asks for the work to be done again.
 */
export function lazily(place: Element, work: () => void): () => void {
  const part: Part = { isSeen: false, isStale: true, work };
  parts.set(place, part);
  seen.observe(place);
  putOff(part);
  return () => {
    part.isStale = true;
    if (part.isSeen || isPrinting()) carryOut(part);
    else putOff(part);
  };
}
