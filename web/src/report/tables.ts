// Tables with rows or columns for runs: only the chosen ones are shown.

import { all, numberIn } from "./dom";
import type { Page } from "./page";

/** The leaderboard has its own way. */
const OWN = "table#leaderboard, table.leaderboard";

export function followingTables(page: Page): void {
  const cells = all("main table [data-run]").filter((cell) => !cell.closest(OWN));
  if (!cells.length) return;
  const refresh = (): void => {
    for (const cell of cells) cell.hidden = !page.chosen.has(numberIn(cell, "data-run"));
  };
  page.onChosen(refresh);
  refresh();
}
