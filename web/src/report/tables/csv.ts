// Data of figures and tables as CSV files, made in the page.

import { button } from "../../shared/dom";
import type { Value } from "../data";

/** A field as RFC 4180 has it. */
function field(value: Value | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns with their names, which may be any. */
export type Columns = [name: string, values: (Value | undefined)[]][];

export function csv(columns: Columns): string {
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([name]) => field(name)).join(",")];
  for (let row = 0; row < length; row++) lines.push(columns.map(([, values]) => field(values[row])).join(","));
  return `${lines.join("\n")}\n`;
}

/** A button that saves data as a file; they are only made when it is pressed. */
export function dataButton(what: string, file: () => string, columns: () => Columns): HTMLButtonElement {
  return button(
    { class: "data", "aria-label": `Data of ${what} as CSV` },
    () => saveFile(file(), "csv", new Blob([csv(columns())], { type: "text/csv;charset=utf-8" })),
    "data",
  );
}

/** Save a file under a name that every system takes. */
export function saveFile(name: string, suffix: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80)}.${suffix}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
