// Numbers as people read them.

export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toFixed(4);
}

/** With its sign, by a true minus. */
export function signed(value: number): string {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return `${sign}${Math.abs(value).toFixed(4)}`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** A p-value with about two digits, never as zero. */
export function probability(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p < 0.001 ? p.toFixed(4) : p.toPrecision(2)}`;
}
