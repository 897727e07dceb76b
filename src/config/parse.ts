import { z } from 'zod';
import { InvalidRequest } from '../sandbox/errors.js';
import { type Config, configSchema } from './schema.js';

/**
 * Fills in the defaults. Unknown keys are dropped, since a host may hand over settings of a newer or older version.
 * @throws InvalidRequest that names every setting that does not fit.
 */
export function parseConfig(input: unknown): Config {
  const parsed = configSchema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(`The configuration of the code sandbox does not fit:\n${z.prettifyError(parsed.error)}`);
}
