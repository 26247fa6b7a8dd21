// Tables with rows or columns for runs: only the chosen ones are shown.

import { all, numberIn } from "../shared/dom";
import { lazily } from "./lazy";
import type { Page } from "./page";

/** The leaderboard has its own way. */
const OWN = "table#leaderboard, table.leaderboard";

export function followingTables(page: Page): void {
  for (const table of all<HTMLTableElement>("main table")) {
    if (!table.matches(OWN) && table.querySelector("[data-run]")) follow(page, table);
  }
}

/** Only what belongs to runs that were chosen or left since the last time is touched. */
function follow(page: Page, table: HTMLTableElement): void {
  const byRun = new Map<number, HTMLElement[]>();
  for (const cell of all("[data-run]", table)) {
    const run = numberIn(cell, "data-run");
    const cells = byRun.get(run);
    if (cells) cells.push(cell);
    else byRun.set(run, [cell]);
  }
  const refresh = lazily(table, () => {
    for (const [run, cells] of byRun) {
      const isHidden = !page.chosen.has(run);
      if (cells[0]!.hidden !== isHidden) for (const cell of cells) cell.hidden = isHidden;
    }
  });
  page.onChosen(refresh);
}
