import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { inspectImage } from '../engine/image.js';
import { loadImages, pullImage, saveImages, tagImage } from '../engine/imagetransfer.js';
import { checkArchitecture } from '../images/base.js';
import { InvalidImage } from '../sandbox/errors.js';
import { openArchive } from './archive.js';
import { builtImage } from './built.js';
import { type ImagesOptions, imagesCommand, withImages } from './images-command.js';
import { print } from './report.js';

/** `images save`, `images load` and `images pull` */
export function addTransfer(images: Command): void {
  imagesCommand(images, 'save <names...>', 'write images to one archive, for a machine without a registry')
    .requiredOption('-o, --output <file>', 'archive to write; - is stdout')
    .action((names: string[], options: ImagesOptions & { output: string }) =>
      withImages(options, async ({ client, catalog }) => {
        const references = names.map(name => catalog.get(name).reference);
        for (const name of names) await builtImage(client, catalog, name);
        if (options.output === '-') return saveImages(client, references, process.stdout);
        await saveTo(options.output, into => saveImages(client, references, into));
        print(options, { output: options.output, references }, () => {
          return `${options.output} holds ${references.join(', ')}`;
        });
      }),
    );
  imagesCommand(images, 'load <file>', 'take in images from an archive; - is stdin').action(
    (file: string, options: ImagesOptions) =>
      withImages(options, async ({ client }) => {
        const loaded = await loadImages(client, await openArchive(file));
        print(options, loaded, () => loaded.map(reference => `${reference} loaded`).join('\n'));
      }),
  );
  imagesCommand(images, 'pull <reference>', 'bring an image from a registry')
    .option('--as <name>', 'image of the catalog that it is to stand for')
    .action((reference: string, options: ImagesOptions & { as?: string }) =>
      withImages(options, async ({ client, catalog }) => {
        const stands = options.as ? catalog.get(options.as).reference : undefined;
        await pullImage(client, reference, ({ id, status }) => {
          if (status && !/ing$/.test(status)) console.error([id, status].filter(Boolean).join(': '));
        });
        const facts = await inspectImage(client, reference);
        if (!facts) throw new InvalidImage(`${client.label} has no image ${reference} after its pull.`);
        checkArchitecture(reference, facts, client);
        if (stands) await tagImage(client, facts.id, stands);
        const pulled = { reference, id: facts.id, digests: facts.digests, ...(stands ? { as: stands } : {}) };
        print(options, pulled, () => `${facts.digests[0] ?? facts.id} pulled${stands ? ` as ${stands}` : ''}`);
      }),
    );
}

/** A file that is whole, or not there. */
async function saveTo(file: string, save: (into: WriteStream) => Promise<void>): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await save(createWriteStream(partial));
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}
