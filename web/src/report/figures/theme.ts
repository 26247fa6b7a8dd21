// The colours of figures: those of the page, light or dark.

export interface Palette {
  ink: string;
  quiet: string;
  grid: string;
  pale: string;
}

const ON_PAPER: Palette = { ink: "#1c1f24", quiet: "#555555", grid: "#e2e2e2", pale: "#cfd4db" };
let printing = false;

/** The colours of the page as it is, or of paper. */
export function palette(onPaper = printing): Palette {
  if (onPaper) return ON_PAPER;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { ink: colour("ink"), quiet: colour("quiet"), grid: colour("grid"), pale: colour("pale") };
}

/** Where a figure is narrower than this, its legend has two columns. */
const NARROW = 480;

/** Vega-Lite's settings for a figure of some width in the present colours of the page, or for paper. */
export function figureConfig(width: number, onPaper?: boolean): Record<string, unknown> {
  const { ink, quiet, grid } = palette(onPaper);
  const words = { labelColor: quiet, titleColor: ink, labelFontSize: 12, titleFontSize: 12 };
  return {
    aria: false, // the page itself says what a figure shows
    mark: { aria: false },
    background: "transparent",
    font: onPaper ? "sans-serif" : "system-ui, sans-serif",
    view: { stroke: null },
    axis: {
      ...words,
      titleFontWeight: "normal",
      gridColor: grid,
      domainColor: quiet,
      tickColor: quiet,
      labelLimit: 180,
    },
    legend: {
      ...words,
      labelColor: ink,
      labelLimit: 220,
      symbolStrokeWidth: 2,
      ...(width < NARROW ? { columns: 2 } : {}),
    },
    header: { ...words, labelFontWeight: 600, labelColor: ink, labelLimit: 260 },
    title: { color: ink, subtitleColor: quiet },
    text: { color: ink },
    rule: { color: quiet },
    selection: {},
  };
}

/** What the colours depend on: figures drawn under another state are out of date. */
export function themeState(): string {
  return JSON.stringify(palette());
}

/** Call a listener when the colours change: by the system's setting, and before and after printing. */
export function onTheme(listener: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  const set = (now: boolean) => () => {
    printing = now;
    listener();
  };
  addEventListener("beforeprint", set(true));
  addEventListener("afterprint", set(false));
}

/** Whether the page is being printed, so that everything has to be drawn at once. */
export function isPrinting(): boolean {
  return printing;
}
