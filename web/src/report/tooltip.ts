// The box beside the pointer with the values of a mark: text and nothing else.

import { element } from "../shared/dom";
import { fromVega } from "./specs";

const box = element("div", { id: "tooltip", role: "tooltip", hidden: "" });

/** Show the values of a mark near the pointer, or hide the box if there are none. */
export function tooltip(_handler: unknown, event: MouseEvent, _item: unknown, value: unknown): void {
  if (value === null || value === undefined || value === "") {
    box.hidden = true;
    return;
  }
  box.replaceChildren(...lines(value));
  if (!box.isConnected) document.body.append(box);
  box.hidden = false;
  place(event.clientX, event.clientY);
}

function lines(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [element("span", {}, fromVega(String(value)))];
  const rows = Object.entries(value as Record<string, unknown>).filter(([, each]) => String(each) !== "");
  return [
    element(
      "dl",
      {},
      ...rows.flatMap(([name, each]) => [
        element("dt", {}, fromVega(name)),
        element("dd", {}, fromVega(String(each))),
      ]),
    ),
  ];
}

function place(x: number, y: number): void {
  const { width, height } = box.getBoundingClientRect();
  const left = x + 14 + width > innerWidth ? x - width - 14 : x + 14;
  const top = y + 14 + height > innerHeight ? y - height - 10 : y + 14;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Escape hides the box, as does leaving the page. */
export function dismissable(): void {
  const hide = (): void => {
    box.hidden = true;
  };
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });
}
