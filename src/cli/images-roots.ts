import { type Command, InvalidArgumentError, Option } from 'commander';
import ms from 'ms';
import type { Catalog } from '../images/catalog.js';
import { currentOwner } from '../reaper/owner.js';
import { collectRoots } from '../roots/collect.js';
import { takeFromEngine } from '../roots/export.js';
import { pathOf } from '../roots/path.js';
import { RootStore } from '../roots/store.js';
import { duration } from './amounts.js';
import { openArchive } from './archive.js';
import { type ImagesOptions, imagesCommand, loadCatalog, withImages } from './images-command.js';
import { print, reporting } from './report.js';

/** `images unpack` and `images gc`: the roots of containers that need no engine. */
export function addRoots(images: Command): void {
  imagesCommand(images, 'unpack <reference>', 'unpack an image for runs without an engine (crun, runc)')
    .option('--from <file>', 'tar archive of a root file system, which gets that name; default: an engine’s image')
    .action(async (reference: string, options: ImagesOptions & { from?: string }) => {
      const store = new RootStore();
      const report = ({ id, folder }: { id: string; folder: string }) =>
        print(options, { reference, id, folder }, () => `${reference} is in ${folder}`);
      const inFull = (catalog: Catalog) => catalog.find(reference)?.reference ?? reference;
      const { from } = options;
      if (from) {
        return reporting(options, async () => {
          const archive = await openArchive(from);
          report(await store.add(archive, { name: inFull(await loadCatalog(options)), path: pathOf([]) }));
        });
      }
      return withImages(options, async ({ client, catalog }) => {
        report(await takeFromEngine(store, client, inFull(catalog), currentOwner()));
      });
    });
  images
    .command('gc')
    .description('remove unpacked roots that were not used for a long time')
    .addOption(new Option('--unused <time>', 'how long, at least 25h').argParser(unused).default(ms('30d'), '30d'))
    .option('--json', 'print JSON')
    .action((options: { unused: number; json?: boolean }) =>
      reporting(options, async () => {
        const removed = await collectRoots(new RootStore().folder, { unusedMs: options.unused });
        print(options, removed, () => (removed.length === 1 ? '1 root removed' : `${removed.length} roots removed`));
      }),
    );
}

/** Less could meet a root that a run of a day still stands on. */
function unused(text: string): number {
  const value = duration(text);
  if (value < ms('25h')) throw new InvalidArgumentError('Give at least 25h.');
  return value;
}
