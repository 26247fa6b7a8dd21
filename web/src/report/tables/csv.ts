// Data of figures and tables as CSV files, made in the page.

import { button } from "../../shared/dom";
import type { ReportData, Value } from "../data";
import type { Page } from "../page";

/** A field as RFC 4180 has it. */
function field(value: Value | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns with their names, which may be any. */
export type Columns = [name: string, values: (Value | undefined)[]][];

/** Columns in the words of the page, with the full names of runs. */
export function inWordsOf({ runs, subject }: Pick<ReportData, "runs" | "subject">, columns: Columns): Columns {
  const full = new Map(runs.map((run) => [run.name, run.full]));
  return columns.map(([name, values]) => {
    if (name === "run") return [subject.run, values.map((value) => full.get(String(value)) ?? value)];
    return name === "topic" ? [subject.topic, values] : [name, values];
  });
}

export function csv(columns: Columns): string {
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([name]) => field(name)).join(",")];
  for (let row = 0; row < length; row++) lines.push(columns.map(([, values]) => field(values[row])).join(","));
  return `${lines.join("\n")}\n`;
}

/** A button that saves data as a file; they are only made when it is pressed. */
export function dataButton(page: Page, what: string, file: () => string, columns: () => Columns): HTMLButtonElement {
  return button(
    { class: "data", "aria-label": `Data of ${what} as CSV` },
    () => {
      const text = csv(inWordsOf(page.data, columns()));
      saveFile(file(), "csv", new Blob([text], { type: "text/csv;charset=utf-8" }));
    },
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
