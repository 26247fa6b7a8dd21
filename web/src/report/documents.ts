// The documents of the report.

import type { Page } from "./page";

export function documents(_page: Page): void {}
