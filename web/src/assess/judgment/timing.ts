// How long somebody works on a document: seconds in which the page is seen and something happens.

import { MAX_SECONDS } from "../../shared/api-types";
import { reportTime, type Subject } from "./api";

/** Without a key, a movement or a scroll for this long, nobody is working. */
const IDLE_AFTER = 60_000;
const REPORT_EVERY = 30;

export function keepTime(subject: Subject, user: string): void {
  let active = Date.now();
  let seconds = 0;
  const touched = (): void => {
    active = Date.now();
  };
  for (const event of ["keydown", "pointermove", "pointerdown", "scroll", "selectionchange"]) {
    document.addEventListener(event, touched, { passive: true, capture: true });
  }
  const report = (): void => {
    const spent = Math.min(seconds, MAX_SECONDS);
    if (spent < 1) return;
    seconds -= spent;
    reportTime(subject, user, spent).catch(() => {
      seconds += spent; // reported later
    });
  };
  setInterval(() => {
    if (document.visibilityState !== "visible" || Date.now() - active > IDLE_AFTER) return;
    seconds += 1;
    if (seconds >= REPORT_EVERY && seconds % REPORT_EVERY === 0) report();
  }, 1_000);
  addEventListener("pagehide", report);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") report();
  });
}
