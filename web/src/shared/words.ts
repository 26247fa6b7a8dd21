// Numbers and texts as people read them.

/** "1 passage", "2 passages". */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A word at the beginning of a sentence. */
export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** A text on one line, with an ellipsis where it is cut off. */
export function brief(text: string, most = 80): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const isCut = characters.length > most || text.length > most * 4;
  return isCut ? `${characters.slice(0, most).join("").trimEnd()}…` : line;
}

/** A share in percent; only 0 is shown as 0% and only 1 as 100%. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return ">99%";
  return `${Math.round(share * 100)}%`;
}

export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toFixed(4);
}

/** With its sign, by a true minus. */
export function signed(value: number): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return `${sign}${Math.abs(value).toFixed(4)}`;
}

/** A p-value with about two digits, never as zero. */
export function probability(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p < 0.001 ? p.toFixed(4) : p.toPrecision(2)}`;
}

/** Words as part of a regular expression that finds them literally. */
export function literally(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
