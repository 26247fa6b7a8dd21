// Data of figures and tables as CSV files, made in the page.

import { button } from "../shared/dom";
import type { Value } from "./data";

/** A field as RFC 4180 has it. */
function field(value: Value | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(columns: Record<string, (Value | undefined)[]>): string {
  const names = Object.keys(columns);
  const length = Math.max(0, ...names.map((name) => columns[name]!.length));
  const lines = [names.map(field).join(",")];
  for (let row = 0; row < length; row++)
    lines.push(names.map((name) => field(columns[name]![row])).join(","));
  return lines.join("\n") + "\n";
}

/** A button that saves data as a file; they are only made when it is pressed. */
export function dataButton(
  what: string,
  file: () => string,
  columns: () => Record<string, (Value | undefined)[]>,
): HTMLButtonElement {
  return button({ class: "data", "aria-label": `Data of ${what} as CSV` }, () => {
    const name = file().replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80);
    save(`${name}.csv`, csv(columns()));
  }, "data");
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
