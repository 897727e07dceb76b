import type { CatalogImage } from './catalog.js';

/** Of what an image was made; the same digest needs no other build. */
export const DIGEST_LABEL = 'code-sandbox.digest';
/** The `--base` that was asked for when it was built. */
export const BASE_LABEL = 'code-sandbox.base';
/** Marks stages of a build that go when it is over. */
export const STAGE_LABEL = 'code-sandbox.stage';

/** All labels of an image that is built. */
export function labelsOf({ manifest }: CatalogImage, digest: string, base: string): Record<string, string> {
  return {
    'org.opencontainers.image.title': manifest.name,
    'org.opencontainers.image.version': manifest.version,
    'org.opencontainers.image.description': manifest.description,
    ...manifest.labels,
    [DIGEST_LABEL]: digest,
    [BASE_LABEL]: base,
  };
}
