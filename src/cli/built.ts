import type { EngineClient } from '../engine/client.js';
import { type ImageFacts, inspectImage } from '../engine/image.js';
import type { Catalog } from '../images/catalog.js';
import { InvalidImage } from '../sandbox/errors.js';

/**
 * An image that the engine has, by its name in the catalog or its reference.
 * @throws InvalidImage that says how to get it
 */
export async function builtImage(
  client: EngineClient,
  catalog: Catalog,
  name: string,
): Promise<{ reference: string; facts: ImageFacts }> {
  const known = catalog.find(name);
  const reference = known?.reference ?? name;
  const facts = await inspectImage(client, reference);
  if (facts) return { reference, facts };
  const how = known ? `code-sandbox images build ${name}` : `code-sandbox images pull ${name}`;
  throw new InvalidImage(`${client.label} has no image ${reference}; "${how}" brings it.`);
}
