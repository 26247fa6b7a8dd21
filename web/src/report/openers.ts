// Buttons of topics and documents anywhere on the page open what they name.

import type { Page } from "./page";

export function openers(page: Page): void {
  document.addEventListener("click", (event) => {
    const pressed = (event.target as Element).closest<HTMLElement>("button");
    if (pressed?.matches(".topic[data-topic]")) page.openTopic(Number(pressed.dataset["topic"]));
    if (pressed?.matches(".document[data-document]"))
      page.openDocument(Number(pressed.dataset["document"]));
  });
}
