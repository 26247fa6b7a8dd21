// The differences of two runs, topic by topic.

import type { Page } from "./page";

/** With more topics than these, the axis counts them and can be zoomed. */
const MANY = 120;

export interface Difference {
  topic: number;
  first: number;
  second: number;
  difference: number;
}

/** The topics for which both runs have scores, the first run's greatest gain first. */
export function differences(page: Page, measure: number, first: number, second: number): Difference[] {
  const [one, two] = [page.data.scores[measure]![first]!, page.data.scores[measure]![second]!];
  const found = page.data.topics.flatMap((_topic, topic): Difference[] => {
    const [a, b] = [one[topic] ?? null, two[topic] ?? null];
    return a === null || b === null ? [] : [{ topic, first: a, second: b, difference: a - b }];
  });
  const sign = page.data.measures[measure]!.higherIsBetter ? 1 : -1;
  return found.sort((x, y) => sign * (y.difference - x.difference) || x.topic - y.topic);
}

/** A bar for each topic, sorted; the sign decides the colour. */
export function differenceSpec(page: Page, measure: number, topics: number, names: string[]): Record<string, unknown> {
  const { label, higherIsBetter } = page.data.measures[measure]!;
  const shown = (field: string, title: string, format = ""): Record<string, unknown> => ({
    field, title, type: format ? "quantitative" : "nominal", ...(format ? { format } : {}),
  });
  const order = { field: "place", type: "quantitative", title: "topics, sorted" };
  const zoom = { name: "zoom", select: { type: "interval", encodings: ["x"] }, bind: "scales" };
  return {
    width: 700,
    height: 220,
    params: topics > MANY ? [zoom] : [],
    mark: { type: "bar", cursor: "pointer", clip: true },
    encoding: {
      x:
        topics > MANY
          ? { ...order, bin: false, scale: { domain: [0, topics + 1], nice: false }, axis: { grid: false, tickMinStep: 1 } }
          : {
              field: "topic", type: "nominal", sort: { field: "place" }, title: null,
              axis: { labelAngle: -90, labelOverlap: topics > 60, grid: false, labelLimit: 90 },
            },
      y: { field: "difference", type: "quantitative", title: `difference in ${label}` },
      color: {
        condition: { test: `datum.difference ${higherIsBetter ? ">" : "<"} 0`, value: "#4c7fc0" },
        value: "#e8811a",
      },
      tooltip: [
        shown("topic", "topic"),
        shown("title", "title"),
        shown("first", names[0]!, ".4f"),
        shown("second", names[1]!, ".4f"),
        shown("difference", "difference", "+.4f"),
      ],
    },
  };
}
