/**
 * The value below which a share of the values lies: the nearest rank, so always one that was measured.
 * @param {readonly number[]} values at least one, in any order
 * @param {number} share from 0 to 1
 */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** @param {readonly number[]} values at least one */
export function median(values) {
  return percentile(values, 0.5);
}

/**
 * @typedef {object} Summary
 * @property {number} n how many were measured
 * @property {number} median
 * @property {number} p95
 * @property {number} p99
 */

/**
 * @param {readonly number[]} values at least one
 * @returns {Summary}
 */
export function summarize(values) {
  return { n: values.length, median: median(values), p95: percentile(values, 0.95), p99: percentile(values, 0.99) };
}

/**
 * What lies over a baseline, and how many times the baseline it is: from medians, since both are measured side by side.
 * @param {Summary} summary
 * @param {Summary} bare
 */
export function against(summary, bare) {
  return { over: summary.median - bare.median, ratio: summary.median / bare.median };
}

/**
 * The items in a new order, each as likely as any other, so that no contender always follows the same one.
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random from 0 to below 1
 * @returns {T[]}
 */
export function shuffled(items, random = Math.random) {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
