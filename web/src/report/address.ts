// What the page shows is in its address, after the "#": the section, and what was chosen. A link, a
// reload and the way back show the same again.

import { all } from "../shared/dom";
import { decoded, type Fragment, readFragment, written } from "./fragment";
import { hold, isHeld } from "./landing";

/** Something that the address keeps, as words; null if it is as when the page is first opened. */
export interface Kept {
  words: () => string[] | null;
  show: (words: string[] | null) => void;
}

/** How long nothing must change until the address is written, in milliseconds. */
const QUIET = 200;

export class Address {
  readonly #kept = new Map<string, Kept>();
  #section = "";
  #timer = 0;
  #isShowing = false;
  #hasScrolled = false;

  keep(name: string, kept: Kept): void {
    this.#kept.set(name, kept);
  }

  /** Something that the address keeps has changed, or the reader has gone elsewhere. */
  changed(): void {
    if (this.#isShowing) return;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#write("replaceState"), QUIET);
  }

  /** Write down where the reader is, before the page goes elsewhere at their wish. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#write("replaceState");
  }

  /** Bring a place of the page into view; the way back leads to where the reader was. */
  visit(place: Element): void {
    const section = place.closest("section[id]") ?? place;
    this.#section = place.id && place !== section && place.closest("details") ? place.id : section.id;
    hold(place);
    this.#write("pushState");
  }

  /** Show what the address says, now and whenever the reader goes back or forth. */
  follow(): void {
    const show = (): void => {
      clearTimeout(this.#timer);
      this.#show(readFragment(location.hash));
    };
    if (location.hash) show();
    addEventListener("popstate", show);
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    document.addEventListener("click", (event) => this.#clicked(event));
    try {
      history.scrollRestoration = "manual";
    } catch {
      // a page in a frame may have no history of its own
    }
  }

  #show({ section, fields }: Fragment): void {
    this.#isShowing = true;
    for (const [name, kept] of this.#kept) {
      try {
        kept.show(fields.get(name) ?? null);
      } catch (error) {
        console.error(error); // the others are shown without this one
      }
    }
    this.#isShowing = false;
    const place = document.getElementById(section);
    this.#section = place ? section : "";
    const offset: unknown = history.state?.offset;
    if (place) hold(place, typeof offset === "number" ? offset : null);
    else scrollTo({ top: typeof offset === "number" ? offset : 0, behavior: "instant" });
  }

  /** The section that is being read is that of the address, too. */
  #scrolled(): void {
    if (isHeld()) return;
    this.#hasScrolled = true;
    this.changed();
  }

  #clicked(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#']");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = document.getElementById(decoded(link.hash.slice(1)) ?? "");
    if (!place) return;
    event.preventDefault();
    this.leave();
    this.visit(place);
    if (place.tabIndex < 0) place.focus({ preventScroll: true });
  }

  #sectionInView(): string {
    const height = innerHeight * 0.4;
    const passed = all("main > section[id]").filter((section) => section.getBoundingClientRect().top < height);
    return scrollY < height ? "" : (passed.at(-1)?.id ?? "");
  }

  #write(how: "pushState" | "replaceState"): void {
    if (this.#hasScrolled && how === "replaceState") this.#section = this.#sectionInView();
    this.#hasScrolled = false;
    const fields = new Map<string, string[]>();
    for (const [name, { words }] of this.#kept) {
      const known = words();
      if (known) fields.set(name, known);
    }
    const place = document.getElementById(this.#section);
    const offset = Math.round(place ? -place.getBoundingClientRect().top : scrollY);
    const address = location.href.replace(/#.*$/s, "") + written({ section: this.#section, fields });
    try {
      history[how]({ offset }, "", address);
    } catch {
      // a page in a frame may have no address of its own
    }
  }
}
