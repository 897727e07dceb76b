import type { EngineClient } from '../engine/client.js';
import { type ImageFacts, inspectImage } from '../engine/image.js';
import type { Catalog, CatalogImage } from './catalog.js';
import { BASE_LABEL, DIGEST_LABEL } from './labels.js';

/** An image of the catalog, and whether an engine has it. */
export interface Listed {
  name: string;
  version: string;
  description: string;
  extends?: string;
  commands: string[];
  folder: string;
  reference: string;
  /** Where it is there. */
  id?: string;
  sizeBytes?: number;
  base?: string;
  digest?: string;
}

/** The whole catalog, as `images ls` shows it. */
export function listImages(client: EngineClient, catalog: Catalog): Promise<Listed[]> {
  return Promise.all(catalog.all.map(async image => listed(image, await inspectImage(client, image.reference))));
}

function listed({ manifest, folder, reference }: CatalogImage, facts: ImageFacts | undefined): Listed {
  const { name, version, description, interpreters } = manifest;
  return {
    name,
    version,
    description,
    ...(manifest.extends ? { extends: manifest.extends } : {}),
    commands: interpreters.map(({ command }) => command),
    folder,
    reference,
    ...(facts
      ? {
          id: facts.id,
          sizeBytes: facts.sizeBytes,
          ...(facts.labels[BASE_LABEL] ? { base: facts.labels[BASE_LABEL] } : {}),
          ...(facts.labels[DIGEST_LABEL] ? { digest: facts.labels[DIGEST_LABEL] } : {}),
        }
      : {}),
  };
}
