// Tables with a column for each run: only the chosen ones are shown.

import { all, numberIn } from "./dom";
import type { Page } from "./page";

export function followingColumns(page: Page): void {
  const cells = all("table#topics [data-run]");
  if (!cells.length) return;
  const refresh = (): void => {
    for (const cell of cells) cell.hidden = !page.chosen.has(numberIn(cell, "data-run"));
  };
  page.onChosen(refresh);
  refresh();
}
