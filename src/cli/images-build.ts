import { type Command, Option } from 'commander';
import { removeImage } from '../engine/imagelist.js';
import { DEFAULT_BASE } from '../images/base.js';
import { type Built, ImageBuilder } from '../images/builder.js';
import { defaultCacheFolder } from '../images/cache.js';
import { checkImage } from '../images/check.js';
import { renderReport } from '../images/report.js';
import { scaffold } from '../images/scaffold.js';
import { createLocalProcess } from '../launcher/process.js';
import { InvalidImage } from '../sandbox/errors.js';
import { type ImagesContext, type ImagesOptions, imagesCommand, loadCatalog, withImages } from './images-command.js';
import { print, reporting } from './report.js';

interface BuildOptions extends ImagesOptions {
  base?: string;
  network: 'host' | 'none';
  fresh?: boolean;
  check?: boolean;
  all?: boolean;
  quiet?: boolean;
}

/** `images build` and `images new` */
export function addBuild(images: Command): void {
  imagesCommand(images, 'build [names...]', 'build images, and what they extend; one that is up to date is left alone')
    .option('--all', 'build every image of the catalog')
    .option(
      '--base <image>',
      `base of the images that extend no other: an image, or "local" (default: as before, else ${DEFAULT_BASE})`,
    )
    .addOption(new Option('--network <kind>', 'network of the steps').choices(['host', 'none']).default('host'))
    .option('--fresh', 'build what is up to date as well, with new packages')
    .option('--check', 'check each image that was built; one that fails is removed again')
    .option('-q, --quiet', 'no progress on stderr')
    .action((names: string[], options: BuildOptions) => withImages(options, context => build(names, options, context)));
  imagesCommand(images, 'new <name>', 'lay out a folder for a new image')
    .option('--extends <image>', 'image of the catalog that it is built on', 'python')
    .option('--in <folder>', 'folder that is to hold it', '.')
    .action((name: string, options: ImagesOptions & { extends: string; in: string }) =>
      reporting(options, async () => {
        const folder = await scaffold(options.in, name, (await loadCatalog(options)).get(options.extends));
        print(options, { name, folder }, () =>
          [
            `${folder} has a manifest (image.json) and a Containerfile; what next:`,
            `  code-sandbox images build ${name} --dir ${options.in}`,
            `  code-sandbox images check ${name} --dir ${options.in}`,
          ].join('\n'),
        );
      }),
    );
}

async function build(names: string[], options: BuildOptions, { client, catalog }: ImagesContext): Promise<void> {
  const { base, network, fresh = false, quiet, check, all } = options;
  const wanted = all ? catalog.all : names.map(name => catalog.get(name));
  if (wanted.length === 0) throw new InvalidImage('Name the images to build, or give --all.');
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupt.abort(new Error('The build was interrupted.')));
  const builder = new ImageBuilder({
    client,
    process: createLocalProcess(),
    cache: defaultCacheFolder(),
    ...(base ? { base } : {}),
    network,
    fresh,
    onLine: (image, line) => quiet || console.error(`[${image}] ${line}`),
    signal: interrupt.signal,
  });
  const built: Built[] = [];
  for (const image of wanted) {
    const result = await builder.build(image);
    built.push(result);
    if (!options.json) console.log(`${image.reference} ${result.fresh ? 'built' : 'is up to date'}`);
    if (!check || !result.fresh) continue;
    const report = await checkImage(client, image);
    if (report.ok) continue;
    await removeImage(client, image.reference);
    throw new InvalidImage(`The new build of ${image.reference} was removed again:\n${renderReport(report)}`);
  }
  if (!options.json) return;
  print(
    options,
    built.map(({ image, id, digest, fresh }) => ({
      name: image.manifest.name,
      reference: image.reference,
      id,
      digest,
      fresh,
    })),
    () => '',
  );
}
