// Small questions about lists that the language leaves open.

/** The item at a position that must exist: an error names a position that does not. */
export function item<Item>(list: ArrayLike<Item>, position: number): Item {
  const item = list[position];
  if (item === undefined) throw new RangeError(`no item ${position} of ${list.length}`);
  return item;
}

/** The first number below `count` from which on something holds; `count` if it never does. */
export function firstWhere(count: number, holds: (number: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The sum of a figure of each item. */
export function sum<Item>(items: Iterable<Item>, figure: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += figure(item);
  return total;
}

/** The distinct numbers among some, smallest first. */
export function distinct(numbers: Iterable<number>): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
