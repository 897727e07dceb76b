import { expect, test, vi } from 'vitest';
import type { EngineClient } from '../../../src/engine/client.js';
import { ImageStore } from '../../../src/engine/images.js';

vi.mock('../../../src/engine/image.js', () => ({ inspectImage: async () => undefined }));

const store = new ImageStore({ label: 'Podman 4', facts: { kind: 'podman' } } as unknown as EngineClient);

test.each([
  ['pyhton', /no image pyhton.*catalog.*imageDirs.*`code-sandbox images build pyhton`/],
  ['docker.io/library/ruby:3', /no image docker.*`podman pull docker\.io\/library\/ruby:3` or build it\.$/],
  ['ruby:3', /`podman pull ruby:3`/],
])('an image that is not there is never pulled, and how to get it is said: %s', async (name, message) => {
  await expect(store.named(name)).rejects.toThrow(message);
});
