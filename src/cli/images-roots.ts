import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import ms from 'ms';
import { currentOwner } from '../reaper/owner.js';
import { collectRoots } from '../roots/collect.js';
import { takeFromEngine } from '../roots/export.js';
import { pathOf } from '../roots/path.js';
import { RootStore } from '../roots/store.js';
import { duration } from './amounts.js';
import { type ImagesOptions, imagesCommand, print, reporting, withImages } from './images-command.js';

/** `images unpack` and `images gc`: the roots of containers that need no engine. */
export function addRoots(images: Command): void {
  imagesCommand(images, 'unpack <reference>', 'unpack an image for runs without an engine (crun, runc)')
    .option('--from <file>', 'tar archive of a root file system, which gets that name; default: an engine’s image')
    .action(async (reference: string, options: ImagesOptions & { from?: string }) => {
      const store = new RootStore();
      const report = ({ id, folder }: { id: string; folder: string }) =>
        print(options, { reference, id, folder }, () => `${reference} is in ${folder}`);
      const { from } = options;
      if (from) {
        return reporting(options, async () => {
          report(await store.add(createReadStream(from), { name: reference, path: pathOf([]) }));
        });
      }
      return withImages(options, async ({ client, catalog }) => {
        const image = catalog.find(reference)?.reference ?? reference;
        report(await takeFromEngine(store, client, image, currentOwner()));
      });
    });
  images
    .command('gc')
    .description('remove unpacked roots that were not used for a long time')
    .option('--unused <time>', 'how long, at least 25h', duration, ms('30d'))
    .option('--json', 'print JSON')
    .action((options: { unused: number; json?: boolean }) =>
      reporting(options, async () => {
        const removed = await collectRoots(new RootStore().folder, { unusedMs: options.unused });
        print(options, removed, () => (removed.length === 1 ? '1 root removed' : `${removed.length} roots removed`));
      }),
    );
}
