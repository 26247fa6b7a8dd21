// Vega-Lite specifications, adapted to the page; the given ones are never changed.

type Spec = Record<string, unknown>;

function isSpec(value: unknown): value is Spec {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a specification has a top-level parameter. */
export function hasParameter(spec: Spec, name: string): boolean {
  const parameters = spec.params;
  return Array.isArray(parameters) && parameters.some((each) => isSpec(each) && each.name === name);
}

/** What every object of JavaScript has under these names, Vega finds in its tables, and fails. */
const TAKEN = new Set(Object.getOwnPropertyNames(Object.prototype));
/** A word joiner: it shows nothing. */
const JOINER = "\u2060";

/** A row or a specification for Vega, with a mark before names that it cannot stand. */
export function forVega<Thing>(value: Thing): Thing {
  if (typeof value === "string") return (TAKEN.has(value) ? JOINER + value : value) as Thing;
  if (Array.isArray(value)) return value.map(forVega) as Thing;
  if (!isSpec(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, forVega(each)])) as Thing;
}

/** A name as it was before `forVega`. */
export function fromVega(name: string): string {
  return name.startsWith(JOINER) && TAKEN.has(name.slice(1)) ? name.slice(1) : name;
}

const CHOSEN = { filter: "indexof(chosen, datum.run) >= 0" };

/**
 * Whether a specification begins by dropping the rows of other runs, and asks no more about them.
 * Then the page can give it the rows of the chosen runs only, which is much quicker.
 */
export function takesChosenRows(spec: Spec): boolean {
  const transforms = spec.transform;
  const parameters = spec.params;
  if (!Array.isArray(transforms) || !Array.isArray(parameters)) return false;
  const rest = {
    ...spec,
    transform: transforms.slice(1),
    params: parameters.filter((each) => !isSpec(each) || each.name !== "chosen"),
  };
  return JSON.stringify(transforms[0]) === JSON.stringify(CHOSEN) && !/\bchosen\b/.test(JSON.stringify(rest));
}

/** What a specification says about its place on the page. */
function meta(spec: Spec, name: string): unknown {
  return isSpec(spec.usermeta) ? spec.usermeta[name] : undefined;
}

/** Whether a figure is to have the whole width. */
export function isWide(spec: Spec): boolean {
  return meta(spec, "wide") === true;
}

/** The specification without its title: the page has its own above the figure. */
export function withoutTitle({ title: _title, ...rest }: Spec): Spec {
  return rest;
}

/** What a figure states, as its specification has it, in one line. */
export function titleOf(spec: Spec): string {
  const lines = isSpec(spec.title) ? spec.title.text : null;
  return Array.isArray(lines) ? lines.join(" ") : "";
}

/** About how wide a letter of a title and of the sentence below it is, in pixels. */
const [TITLE_LETTER, SOURCE_LETTER] = [8, 6.4];

/** The title of a figure that is saved, in lines that fit its width, with a sentence of source below. */
export function titled(title: string, source: string, width: number): Spec {
  return {
    text: linesOf(title, width / TITLE_LETTER),
    subtitle: linesOf(source, width / SOURCE_LETTER),
    anchor: "start",
    frame: "group",
    fontSize: 15,
    subtitleFontSize: 12,
    subtitlePadding: 5,
    offset: 12,
  };
}

function linesOf(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

/** Whether a figure has several panels, or as many columns as it likes. */
export function hasOwnWidth(spec: Spec): boolean {
  return typeof spec.width !== "number";
}

/** Room for the axis at the left of panels, and between them. */
const AXIS = 64;
const GAP = 20;

/** The lowest and the highest figure. */
const [LOWEST, HIGHEST] = [220, 400];

/** Panels that fill the width, in as many columns as there is room for. */
function panels(spec: Spec, panel: Spec, width: number): Spec {
  const least = typeof panel.width === "number" ? panel.width : 200;
  const given = meta(spec, "axis");
  const axis = typeof given === "number" ? given : AXIS;
  const columns = Math.max(1, Math.floor((width - axis + GAP) / (least + GAP)));
  const each = Math.floor((width - axis - (columns - 1) * GAP) / columns);
  return { ...spec, columns, spacing: GAP, spec: { ...panel, width: each } };
}

/** The specification in the width of its place. */
export function fitted(spec: Spec, width: number): Spec {
  const panel = spec.spec;
  if (isSpec(panel) && "columns" in spec) return panels(spec, panel, width);
  const params = Array.isArray(spec.params) ? spec.params.map((each) => withRoom(each, width)) : spec.params;
  const encoding = spec.encoding;
  const isFaceted = isSpec(encoding) && ["row", "column", "facet"].some((each) => each in encoding);
  if (typeof spec.width !== "number" || isFaceted) return spec;
  const autosize = { type: "fit-x", contains: "padding" };
  return { ...spec, ...(params ? { params } : {}), width, ...heightFor(spec, width), autosize };
}

/** Names beside a figure take two fifths of its width at most. */
function withRoom(parameter: unknown, width: number): unknown {
  if (!isSpec(parameter) || parameter.name !== "room" || typeof parameter.value !== "number") return parameter;
  return { ...parameter, value: Math.min(parameter.value, Math.round(width * 0.4)) };
}

/** The height of a figure as wide as this: in its own proportions, but neither flat nor a wall. */
function heightFor({ width: own, height }: Spec, width: number): { height?: number } {
  if (typeof own !== "number" || typeof height !== "number") return {};
  return { height: Math.round(Math.min(Math.max((width * height) / own, LOWEST), HIGHEST)) };
}

/** About how high a figure will be, with so many panels if it has panels. */
export function expectedHeight(spec: Spec, width: number, panelCount: number): number {
  const panel = spec.spec;
  const height = isSpec(panel) ? panel.height : fitted(spec, width).height;
  const panelHeight = typeof height === "number" ? height : 200;
  if (!isSpec(panel)) return panelHeight + 50;
  const columns = fitted(spec, width).columns;
  return Math.ceil(panelCount / (typeof columns === "number" ? columns : 1)) * (panelHeight + 42) + 60;
}
