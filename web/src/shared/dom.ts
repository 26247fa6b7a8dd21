// Making parts of the page. Whatever comes from files only ever becomes text nodes.

export type Child = Node | string | null;

/** An element with its attributes and children; strings become text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** An element of a drawing. */
export function drawn(name: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** A button that does something. */
export function button(
  attributes: Record<string, string>,
  pressed: (event: MouseEvent) => void,
  ...children: Child[]
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", pressed);
  return made;
}

/** A name from a file, isolated from the writing direction around it. */
export function named(name: string): HTMLElement {
  return element("bdi", {}, name);
}

/** A list to choose one of; the values are the numbers of the options. */
export function choice(
  label: string,
  options: string[],
  chosen: number,
  changed: (option: number) => void,
): { label: HTMLLabelElement; select: HTMLSelectElement } {
  const select = element("select", {});
  options.forEach((option, at) => select.append(element("option", { value: String(at) }, option)));
  select.value = String(chosen);
  select.addEventListener("change", () => changed(Number(select.value)));
  return { label: element("label", {}, element("span", {}, label), select), select };
}

/** All elements that a selector finds. */
export function all<Found extends Element = HTMLElement>(selector: string, within: ParentNode = document): Found[] {
  return [...within.querySelectorAll<Found>(selector)];
}

/** The number in a data attribute, such as data-run. */
export function numberIn(node: Element, attribute: string): number {
  return Number(node.getAttribute(attribute) ?? NaN);
}
