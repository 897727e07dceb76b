import bytes from 'bytes';
import type { Command } from 'commander';
import { removeImage } from '../engine/imagelist.js';
import { type Listed, listImages } from '../images/listing.js';
import { type ImagesOptions, imagesCommand, withImages } from './images-command.js';
import { print } from './report.js';

/** `images ls` and `images rm` */
export function addList(images: Command): void {
  imagesCommand(images, 'ls', 'show the images of the catalog, and which of them the engine has').action(
    (options: ImagesOptions) =>
      withImages(options, async ({ client, catalog }) => {
        const all = await listImages(client, catalog);
        print(options, all, () => all.map(row).join('\n'));
      }),
  );
  imagesCommand(images, 'rm <names...>', 'remove images of the catalog from the engine').action(
    (names: string[], options: ImagesOptions) =>
      withImages(options, async ({ client, catalog }) => {
        const removed: Array<{ reference: string; removed: boolean }> = [];
        for (const { reference } of names.map(name => catalog.get(name))) {
          removed.push({ reference, removed: await removeImage(client, reference) });
        }
        print(options, removed, () =>
          removed.map(each => `${each.reference} ${each.removed ? 'removed' : 'was not there'}`).join('\n'),
        );
      }),
  );
}

function row({ name, version, sizeBytes, commands, description }: Listed): string {
  const size = sizeBytes === undefined ? 'missing' : bytes.format(sizeBytes, { unit: 'MB', decimalPlaces: 0 });
  return `${name.padEnd(14)} ${version.padEnd(8)} ${String(size).padStart(8)}  ${description} (${commands.join(', ')})`;
}
