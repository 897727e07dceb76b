/**
 * The settings that were given and are not among those that were taken over, as paths such as `safety.socket`. What lists
 * hold is not looked at. Pure.
 */
export function ignoredSettings(given: unknown, taken: unknown): string[] {
  if (!isPlain(given) || !isPlain(taken)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(taken, name)) return [name];
    return ignoredSettings(value, taken[name]).map(below => `${name}.${below}`);
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
