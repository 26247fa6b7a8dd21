// A place of the page is kept in view while the page is still being drawn.

import { isWaiting } from "./lazy";

/** How long the page must be as high as it is until it counts as drawn, in milliseconds. */
const QUIET = 700;
const BY_READER = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let release: (() => void) | null = null;

export function isHeld(): boolean {
  return release !== null;
}

/**
 * Bring a place to the top of the window, or as far above it as an offset says, and keep it there until
 * the page is drawn or the reader goes elsewhere.
 */
export function hold(place: Element, offset: number | null = null): void {
  release?.();
  for (let at = place.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  let changed = performance.now();
  const reach = (): void => {
    if (offset === null) place.scrollIntoView({ block: "start", behavior: "instant" });
    else scrollBy({ top: place.getBoundingClientRect().top + offset, behavior: "instant" });
  };
  const sizes = new ResizeObserver(() => {
    changed = performance.now();
    reach();
  });
  const check = setInterval(() => {
    if (!isWaiting() && performance.now() - changed > QUIET) release?.();
  }, 100);
  const stop = (): void => {
    sizes.disconnect();
    clearInterval(check);
    for (const kind of BY_READER) removeEventListener(kind, stop);
    if (release === stop) release = null;
  };
  release = stop;
  for (const kind of BY_READER) addEventListener(kind, stop, { passive: true });
  reach();
  sizes.observe(document.body);
}
